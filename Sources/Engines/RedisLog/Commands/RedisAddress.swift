/// Where a Redis or Valkey server is, and who asks.
public struct RedisAddress: Hashable, Sendable, CustomStringConvertible {
    /// How it is reached.
    public enum Place: Hashable, Sendable {
        case tcp(host: String, port: Int)
        /// A socket file.
        case unix(path: String)
    }

    /// How it is reached.
    public var place: Place
    /// The user; nil: the server's default one.
    public var user: String?
    /// The password; nil: none is asked for.
    public var password: String?
    /// Whether it speaks TLS.
    public var isSecure = false
    /// Path of a PEM file of the authorities that may have signed its certificate; nil: those that
    /// the system trusts.
    public var authorities: String?
    /// The number of the database.
    public var database = 0

    /// A server that asks for no password.
    public init(_ place: Place) {
        self.place = place
    }

    /// For messages and logs: without user and password.
    public var description: String {
        switch place {
        case .tcp(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
