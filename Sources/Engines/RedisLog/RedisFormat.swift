/// The format of what is stored in Redis.
public enum RedisFormat {
    /// Another one for each change that servers of the last version cannot read.
    public static let version = 1
}
