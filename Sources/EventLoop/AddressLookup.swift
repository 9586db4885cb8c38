internal import CLibuv
internal import Platform
internal import Support

/// A socket address in the form that the kernel takes.
struct RawAddress {
    var storage = sockaddr_storage()
    var length: socklen_t = 0

    var family: Int32 { Int32(storage.ss_family) }

    /// The number of an IPv4 or IPv6 address.
    var number: IPAddress? { SocketAddress(storage, length: Int(length)).flatMap { IPAddress($0.host) } }

    /// A numeric IPv4 or IPv6 address; nil for names.
    init?(numeric host: String, port: UInt16) {
        let v4 = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe uv_ip4_addr(host, Int32(port), $0)
            }
        }
        if v4 == 0 {
            length = socklen_t(MemoryLayout<sockaddr_in>.size)
            return
        }
        let v6 = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe uv_ip6_addr(host, Int32(port), $0)
            }
        }
        guard v6 == 0 else { return nil }
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    }

    /// A copy of what the resolver answered.
    init(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
        self.length = length
    }

    /// A path in the file system; nil when it is too long for the kernel's structure.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = unsafe withUnsafeMutableBytes(of: &address.sun_path) { room in
            let bytes = Array(path.utf8)
            guard bytes.count < room.count else { return false }
            unsafe room.copyBytes(from: bytes)
            return true
        }
        guard fits else { return nil }
        unsafe withUnsafeMutableBytes(of: &storage) { room in
            unsafe withUnsafeBytes(of: &address) { unsafe room.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    /// Hands the address to a socket call.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}

/// Turns a host name into addresses with the system's resolver.
///
/// Transcribes https://docs.libuv.org/en/v1.x/dns.html. Numeric addresses need no look-up.
enum AddressLookup {
    /// Looks up at once, blocking the loop: for start-up.
    static func addresses(of host: String, port: UInt16, on loop: Loop) throws(UVError) -> [RawAddress] {
        if let address = RawAddress(numeric: host, port: port) { return [address] }
        var request = unsafe uv_getaddrinfo_t()
        var hints = unsafe Self.hints
        unsafe try check(uv_getaddrinfo(loop.raw, &request, nil, host, "\(port)", &hints), "getaddrinfo")
        defer { unsafe uv_freeaddrinfo(request.addrinfo) }
        return unsafe list(request.addrinfo)
    }

    /// Looks up on libuv's threads and answers on the loop, never before this returns.
    static func addresses(
        of host: String,
        port: UInt16,
        on loop: Loop,
        answer: @escaping (Result<[RawAddress], UVError>) -> Void
    ) throws(UVError) {
        let lookup = Lookup(loop: loop, answer: answer)
        var hints = unsafe Self.hints
        unsafe lookup.raw.pointee.data = unsafe Unmanaged.passRetained(lookup).toOpaque()
        let status = unsafe uv_getaddrinfo(
            loop.raw,
            lookup.raw,
            { request, status, list in
                unsafe Unmanaged<Lookup>.fromOpaque(request!.pointee.data).takeRetainedValue().finish(
                    status,
                    list
                )
            },
            host,
            "\(port)",
            &hints
        )
        if status < 0 { unsafe Unmanaged.passUnretained(lookup).release() }
        try check(status, "getaddrinfo")
    }

    private static var hints: addrinfo {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = streamSocket
        return unsafe hints
    }

    fileprivate static func list(_ first: UnsafeMutablePointer<addrinfo>?) -> [RawAddress] {
        var addresses: [RawAddress] = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr,
                unsafe [AF_INET, AF_INET6].contains(entry.pointee.ai_family)
            {
                unsafe addresses.append(RawAddress(copying: address, length: entry.pointee.ai_addrlen))
            }
            unsafe next = unsafe entry.pointee.ai_next
        }
        return addresses
    }
}

/// One look-up in flight; it holds itself and its loop until libuv has answered.
@safe private final class Lookup {
    let loop: Loop
    let raw = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    private let answer: (Result<[RawAddress], UVError>) -> Void

    init(loop: Loop, answer: @escaping (Result<[RawAddress], UVError>) -> Void) {
        self.loop = loop
        self.answer = answer
    }

    deinit { unsafe raw.deallocate() }

    func finish(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        defer { unsafe uv_freeaddrinfo(list) }
        let addresses = unsafe AddressLookup.list(list)
        if status < 0 || addresses.isEmpty {
            answer(
                .failure(
                    UVError(
                        code: status < 0 ? status : UVError.Code.unknownHost.rawValue,
                        call: "getaddrinfo"
                    )
                )
            )
        } else {
            answer(.success(addresses))
        }
    }
}

#if canImport(Glibc)
    let streamSocket = Int32(SOCK_STREAM.rawValue)
#else
    let streamSocket = SOCK_STREAM
#endif
