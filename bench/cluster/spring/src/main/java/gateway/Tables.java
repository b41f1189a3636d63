package gateway;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** The tables: a row per user in each, by username. */
final class Tables {
  static final TableName USERS = TableName.valueOf("spring_users");
  /** Wide rows: a column per follower, by name, as the data have no times of follows. */
  static final TableName FOLLOWERS = TableName.valueOf("spring_followers");
  /** Wide rows: a column per twit, newest first; the value is its content. */
  static final TableName TWITS = TableName.valueOf("spring_twits");

  static final List<TableName> ALL = List.of(USERS, FOLLOWERS, TWITS);
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] NAME = Bytes.toBytes("name");

  /** A qualifier of reversed time and id: the newest sorts first. */
  static byte[] newestFirst(long milliseconds, String id) {
    byte[] text = id.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length).putLong(Long.MAX_VALUE - milliseconds).put(text).array();
  }

  private Tables() {}
}
