/// Which Sluice this is.
public enum Version {
    /// The number, as `sluice version` and `GET /version` show it.
    public static let text = "0.1.0"
}
