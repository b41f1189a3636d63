package gateway;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** The tables. Each has a row per user, by username. */
final class Tables {
  static final TableName USERS = TableName.valueOf("spring_users");
  /** A column per follower, by name, because the data have no times of follows. */
  static final TableName FOLLOWERS = TableName.valueOf("spring_followers");
  /** A column per twit, newest first. The value is the content. */
  static final TableName TWITS = TableName.valueOf("spring_twits");

  static final List<TableName> ALL = List.of(USERS, FOLLOWERS, TWITS);
  static final byte[] FAMILY = Bytes.toBytes("f");
  static final byte[] NAME = Bytes.toBytes("name");

  /** Returns a qualifier of inverted time and id, so that the newest sorts first. */
  static byte[] newestFirst(long milliseconds, String id) {
    byte[] text = id.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length).putLong(Long.MAX_VALUE - milliseconds).put(text).array();
  }

  private Tables() {}
}
