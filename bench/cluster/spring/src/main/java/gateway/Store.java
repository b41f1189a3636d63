package gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.springframework.stereotype.Component;

/** Reads rows. Each batch has one kind of rows, and is one Table.get. */
@Component
class Store {
  record Page(String username, int first) {}

  record UserRow(String name) {}

  record Twit(String id, String content) {}

  private final Connection hbase;

  Store(Connection hbase) {
    this.hbase = hbase;
  }

  Map<String, UserRow> users(Set<String> usernames) {
    return read(Tables.USERS, usernames,
        username -> new Get(Bytes.toBytes(username)).addFamily(Tables.FAMILY),
        row -> row.isEmpty() ? null : new UserRow(Bytes.toString(row.getValue(Tables.FAMILY, Tables.NAME))));
  }

  Map<Page, List<String>> followers(Set<Page> pages) {
    return read(Tables.FOLLOWERS, pages, this::page, row -> {
      var followers = new ArrayList<String>(row.size());
      for (Cell cell : cells(row)) {
        followers.add(id(cell));
      }
      return followers;
    });
  }

  Map<Page, List<Twit>> twits(Set<Page> pages) {
    return read(Tables.TWITS, pages, this::page, row -> {
      var twits = new ArrayList<Twit>(row.size());
      for (Cell cell : cells(row)) {
        twits.add(new Twit(id(cell), Bytes.toString(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength())));
      }
      return twits;
    });
  }

  private Get page(Page page) {
    return new Get(Bytes.toBytes(page.username())).addFamily(Tables.FAMILY).setMaxResultsPerColumnFamily(page.first());
  }

  private <K, V> Map<K, V> read(TableName name, Set<K> keys, Function<K, Get> get, Function<Result, V> value) {
    var gets = new ArrayList<Get>(keys.size());
    for (K key : keys) {
      gets.add(get.apply(key));
    }
    try (var table = hbase.getTable(name)) {
      Result[] results = table.get(gets);
      var values = new HashMap<K, V>(2 * results.length);
      int i = 0;
      for (K key : keys) {
        values.put(key, value.apply(results[i++]));
      }
      return values;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Cell[] cells(Result row) {
    return row.isEmpty() ? new Cell[0] : row.rawCells();
  }

  private static String id(Cell cell) {
    return Bytes.toString(cell.getQualifierArray(), cell.getQualifierOffset() + Long.BYTES, cell.getQualifierLength() - Long.BYTES);
  }
}
