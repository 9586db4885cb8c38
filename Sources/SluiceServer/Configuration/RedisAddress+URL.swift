internal import EventLoop
internal import RedisLog
internal import Support

extension RedisAddress {
    /// Parses `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, with `rediss` for TLS, or
    /// `unix:PATH` as in addresses to listen on.
    ///
    /// User and password may be percent-encoded (RFC 3986 §3.2.1); the default port is 6379.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard case .unix(let path) = Endpoint(text) else { return nil }
            self.init(.unix(path: path))
            return
        }
        let isSecure = text.hasPrefix("rediss://")
        guard isSecure || text.hasPrefix("redis://") else { return nil }
        var rest = text.dropFirst(isSecure ? "rediss://".count : "redis://".count)
        var database = 0
        if let slash = rest.firstIndex(of: "/") {
            let number = rest[slash...].dropFirst()
            guard number.isEmpty || (number.utf8.allSatisfy(ASCII.isDigit) && number.count < 6)
            else {
                return nil
            }
            database = Int(number) ?? 0
            rest = rest[..<slash]
        }
        var (user, password): (String?, String?)
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = Self.decode(parts[0]), let secret = Self.decode(parts[1])
            else { return nil }
            (user, password) = (name.isEmpty ? nil : name, secret)
            rest = rest[at...].dropFirst()
        }
        guard !rest.isEmpty,
            case .tcp(let host, let port)? = Endpoint(String(rest)) ?? Endpoint("\(rest):6379"),
            port > 0
        else { return nil }
        self.init(.tcp(host: host, port: Int(port)))
        (self.user, self.password, self.database, self.isSecure) = (user, password, database, isSecure)
    }

    /// Trusts the authorities in a file; without a path, those of the system.
    mutating func trust(_ path: String) {
        authorities = path.isEmpty ? nil : path
    }

    /// The address for people, without the password.
    var shown: String {
        guard case .tcp(let host, let port) = place else { return "unix:\(description)" }
        let secret = password == nil ? "" : "\(user ?? ""):***@"
        let number = database == 0 ? "" : "/\(database)"
        return
            "\(isSecure ? "rediss" : "redis")://\(secret)\(Endpoint.tcp(host: host, port: UInt16(clamping: port)))\(number)"
    }

    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(ASCII.hexadecimal),
                let low = rest.popFirst().flatMap(ASCII.hexadecimal)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
