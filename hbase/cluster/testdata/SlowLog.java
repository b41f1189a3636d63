import java.util.*;
import org.apache.hadoop.hbase.*;
import org.apache.hadoop.hbase.client.*;

/** Prints the method and the attributes of the calls in the slow logs of all region servers. */
public class SlowLog {
  public static void main(String[] args) throws Exception {
    try (Connection c = ConnectionFactory.createConnection(HBaseConfiguration.create()); Admin admin = c.getAdmin()) {
      Set<ServerName> servers = new HashSet<>(admin.getRegionServers());
      for (LogEntry e : admin.getLogEntries(servers, "SLOW_LOG", ServerType.REGION_SERVER, 200, Map.of())) {
        OnlineLogRecord call = (OnlineLogRecord) e;
        call.getRequestAttributes().forEach((name, value) ->
            System.out.println(call.getMethodName() + " " + name + "=" + new String(value)));
      }
    }
  }
}
