import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.quotas.QuotaSettingsFactory;
import org.apache.hadoop.hbase.quotas.ThrottleType;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Witness reads and writes rows with HBase's own client, without a gateway, and executes the commands
 * on its standard input. Its arguments are the rows: r/TABLE/ROW is read, w/TABLE/ROW/FAMILY is
 * written, with the row in hexadecimal digits.
 *
 * It prints "r" when it has read all rows, "w I" when it has written the row of argument I, and after
 * a command "done" with the result, or "failed" with the reason. A write deletes a column that does
 * not exist.
 */
public class Witness {
  static Admin admin;
  static Connection probes;

  public static void main(String[] args) throws Exception {
    Configuration conf = HBaseConfiguration.create();
    admin = ConnectionFactory.createConnection(conf).getAdmin();
    // The program reports each attempt.
    conf = new Configuration(conf);
    conf.setInt("hbase.client.retries.number", 0);
    for (String timeout : new String[] {"hbase.rpc.timeout", "hbase.client.operation.timeout",
        "hbase.client.meta.operation.timeout", "hbase.ipc.client.socket.timeout.connect"}) {
      conf.setInt(timeout, 1000);
    }
    probes = ConnectionFactory.createConnection(conf);
    List<String[]> read = new ArrayList<>();
    for (int i = 0; i < args.length; i++) {
      String[] parts = args[i].split("/");
      if (parts[0].equals("r")) {
        read.add(parts);
        continue;
      }
      Delete delete = new Delete(Bytes.fromHex(parts[2])).addColumns(Bytes.toBytes(parts[3]), Bytes.toBytes("none"));
      repeat("w " + i, () -> with(parts[1], table -> table.delete(new Delete(delete))));
    }
    repeat("r", () -> {
      for (String[] row : read) {
        with(row[1], table -> table.get(new Get(Bytes.fromHex(row[2]))));
      }
    });
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = in.readLine()) != null;) {
      try {
        print("done " + execute(line.split(" ")));
      } catch (Exception e) {
        print("failed " + e.toString().lines().findFirst().get());
      }
    }
    System.exit(0);
  }

  interface Step {
    void run() throws Exception;
  }

  interface Call {
    void of(Table table) throws IOException;
  }

  static void with(String name, Call call) throws IOException {
    try (Table table = probes.getTable(TableName.valueOf(name))) {
      call.of(table);
    }
  }

  /** repeat runs a step again and again, and prints a line after each success. */
  static void repeat(String line, Step step) {
    Thread thread = new Thread(() -> {
      while (true) {
        try {
          step.run();
          print(line);
          Thread.sleep(50);
        } catch (Exception e) {
          sleep();
        }
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  static void sleep() {
    try {
      Thread.sleep(20);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static synchronized void print(String line) {
    System.out.println(line);
    System.out.flush();
  }

  static final int MINUTE = 60;

  static Object execute(String[] command) throws Exception {
    TableName table = command.length > 1 ? TableName.valueOf(command[1]) : null;
    switch (command[0]) {
      case "split":
        admin.splitRegionAsync(region(table, row(command)).getRegionName(), row(command)).get(MINUTE, TimeUnit.SECONDS);
        return "";
      case "merge": // the first two regions
        List<RegionInfo> regions = admin.getRegions(table);
        regions.sort(RegionInfo.COMPARATOR);
        byte[][] pair = {regions.get(0).getEncodedNameAsBytes(), regions.get(1).getEncodedNameAsBytes()};
        admin.mergeRegionsAsync(pair, false).get(MINUTE, TimeUnit.SECONDS);
        return "";
      case "server":
        return server(table, row(command)).getPort();
      case "move":
        ServerName from = server(table, row(command));
        for (ServerName to : admin.getRegionServers()) {
          if (!to.equals(from)) {
            admin.move(region(table, row(command)).getEncodedNameAsBytes(), to);
            return to.getPort();
          }
        }
        throw new IllegalStateException("there is no other server");
      case "balance":
        // It does not run while a region is in transition.
        for (int i = 0; i < 60; i++, Thread.sleep(500)) {
          if (admin.balance()) {
            return "";
          }
        }
        throw new IOException("the balancer did not run");
      case "flush":
        admin.flush(table);
        return "";
      case "compact":
        admin.majorCompact(table);
        do {
          Thread.sleep(200);
        } while (admin.getCompactionState(table) != CompactionState.NONE);
        return "";
      case "snapshot":
        admin.snapshot("witness", table);
        return "";
      case "disable":
        admin.disableTable(table);
        return "";
      case "enable":
        admin.enableTable(table);
        return "";
      case "readonly":
        admin.modifyTable(TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))
            .setReadOnly(Boolean.parseBoolean(command[2])).build());
        return "";
      case "throttle":
        admin.setQuota(QuotaSettingsFactory.throttleTable(
            table, ThrottleType.REQUEST_NUMBER, Long.parseLong(command[2]), TimeUnit.MINUTES));
        return "";
      case "unthrottle":
        admin.setQuota(QuotaSettingsFactory.unthrottleTable(table));
        return "";
      default:
        throw new IllegalArgumentException(command[0]);
    }
  }

  static byte[] row(String[] command) {
    return Bytes.fromHex(command[2]);
  }

  static RegionInfo region(TableName table, byte[] row) throws IOException {
    if (table.equals(TableName.META_TABLE_NAME)) {
      return RegionInfoBuilder.FIRST_META_REGIONINFO;
    }
    for (RegionInfo region : admin.getRegions(table)) {
      if (region.containsRow(row)) {
        return region;
      }
    }
    throw new IOException("no region");
  }

  /** The server of a region. After an event the master may not know it for some seconds. */
  static ServerName server(TableName table, byte[] row) throws IOException, InterruptedException {
    for (int i = 0; i < 20; i++, Thread.sleep(500)) {
      RegionInfo region = region(table, row);
      for (ServerName server : admin.getRegionServers()) {
        for (RegionInfo served : admin.getRegions(server)) {
          if (served.getEncodedName().equals(region.getEncodedName())) {
            return server;
          }
        }
      }
    }
    throw new IOException("no server has the region");
  }
}
