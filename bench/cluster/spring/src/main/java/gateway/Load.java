package gateway;

import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVRecord;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/** Creates the tables with HBase's default attributes, fills and flushes them. */
final class Load {
  static void load(Connection hbase, Path folder) throws IOException {
    try (var admin = hbase.getAdmin()) {
      for (TableName name : Tables.ALL) {
        admin.createTable(TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Tables.FAMILY)).build());
      }
      fill(hbase, Tables.USERS, folder.resolve("users.csv.gz"), r ->
          new Put(Bytes.toBytes(r.get("username"))).addColumn(Tables.FAMILY, Tables.NAME, Bytes.toBytes(r.get("name"))));
      fill(hbase, Tables.FOLLOWERS, folder.resolve("follows.csv.gz"), r ->
          new Put(Bytes.toBytes(r.get("followee")))
              .addColumn(Tables.FAMILY, Tables.newestFirst(0, r.get("follower")), new byte[0]));
      fill(hbase, Tables.TWITS, folder.resolve("twits.csv.gz"), r ->
          new Put(Bytes.toBytes(r.get("author"))).addColumn(Tables.FAMILY,
              Tables.newestFirst(Instant.parse(r.get("posted_at")).toEpochMilli(), r.get("id")), Bytes.toBytes(r.get("content"))));
      for (TableName name : Tables.ALL) {
        admin.flush(name);
      }
    }
  }

  private static void fill(Connection hbase, TableName table, Path file, Function<CSVRecord, Put> put) throws IOException {
    var format = CSVFormat.DEFAULT.builder().setHeader().setSkipHeaderRecord(true).build();
    try (var in = new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8);
        var records = format.parse(in);
        BufferedMutator mutator = hbase.getBufferedMutator(table)) {
      for (CSVRecord record : records) {
        mutator.mutate(put.apply(record));
      }
    }
  }

  private Load() {}
}
