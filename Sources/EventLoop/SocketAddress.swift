internal import CLibuv
internal import Platform

/// The address of a socket, or of its peer.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of addresses a server meets.
    public enum Family: Hashable, Sendable {
        case ipv4, ipv6, unix
    }

    /// The kind of address.
    public let family: Family

    /// The number in text form (`127.0.0.1`, `::1`), or the path of a Unix socket; empty for the
    /// nameless end of one.
    public let host: String

    /// The port; 0 for Unix sockets.
    public let port: UInt16

    /// For example `127.0.0.1:8080`, `[::1]:8080`, `unix:/run/sluice.sock`.
    public var description: String {
        switch family {
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        case .unix: "unix:\(host)"
        }
    }

    /// Whether this can only be the same machine: 127.0.0.0/8, ::1 (also as an IPv4 address written
    /// in IPv6) or a Unix socket.
    public var isLoopback: Bool {
        switch family {
        case .ipv4: host.hasPrefix("127.")
        case .ipv6: host == "::1" || host.hasPrefix("::ffff:127.")
        case .unix: true
        }
    }
}

extension SocketAddress {
    /// Reads what a socket call filled in; nil for families that are not served.
    init?(_ storage: sockaddr_storage, length: Int) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            family = .ipv4
            host = unsafe Self.text { unsafe numericName(&storage, $0, $1) }
            port = unsafe withUnsafeBytes(of: &storage) {
                unsafe UInt16(bigEndian: $0.load(as: sockaddr_in.self).sin_port)
            }
        case AF_INET6:
            family = .ipv6
            host = unsafe Self.text { unsafe numericName(&storage, $0, $1) }
            port = unsafe withUnsafeBytes(of: &storage) {
                unsafe UInt16(bigEndian: $0.load(as: sockaddr_in6.self).sin6_port)
            }
        case AF_UNIX:
            family = .unix
            host = unsafe withUnsafeBytes(of: &storage) { bytes in
                let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)!
                guard length > start else { return "" }
                return unsafe String(
                    decoding: bytes[start..<min(length, bytes.count)].prefix { $0 != 0 },
                    as: UTF8.self
                )
            }
            port = 0
        default:
            return nil
        }
    }

    /// The own address of a socket; nil if it has none.
    package init?(of descriptor: Int32) { unsafe self.init(descriptor: descriptor, by: getsockname) }

    /// What `getsockname` or `getpeername` says about a descriptor.
    init?(
        descriptor: Int32,
        by ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
    ) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe ask(descriptor, $0, &length)
            }
        }
        guard status == 0 else { return nil }
        self.init(storage, length: Int(length))
    }

    private static func text(_ fill: (UnsafeMutablePointer<CChar>, Int) -> Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            unsafe buffer.initialize(repeating: 0)
            return unsafe fill(buffer.baseAddress!, buffer.count) == 0
                ? String(cString: buffer.baseAddress!) : ""
        }
    }
}

/// The text form of an IPv4 or IPv6 address.
private func numericName(
    _ storage: inout sockaddr_storage,
    _ text: UnsafeMutablePointer<CChar>,
    _ size: Int
) -> Int32 {
    unsafe withUnsafeBytes(of: &storage) { bytes in
        var v4 = unsafe bytes.load(as: sockaddr_in.self)
        var v6 = unsafe bytes.load(as: sockaddr_in6.self)
        return unsafe Int32(v4.sin_family) == AF_INET
            ? uv_ip4_name(&v4, text, size) : uv_ip6_name(&v6, text, size)
    }
}
