internal import CHiredis
internal import Platform
internal import Support

/// A connection to Redis whose user waits for the answers: for a thread of its own.
///
/// hiredis can wait with a limit only this way: its asynchronous connections have none before
/// version 1.0.
@safe final class RedisConnection {
    let context: UnsafeMutablePointer<redisContext>
    /// The server's version, such as 7.0.15.
    private(set) var version: [Int] = []

    /// Connects, and says who asks; `patience` is how many milliseconds are waited for the
    /// connection, and for each answer.
    init(_ address: RedisAddress, patience: Int) throws(RedisError) {
        if address.isSecure { try Self.checkTLS() }
        let limit = Self.limit(patience)
        let made =
            switch address.place {
            case .tcp(let host, let port): unsafe redisConnectWithTimeout(host, Int32(clamping: port), limit)
            case .unix(let path): unsafe redisConnectUnixWithTimeout(path, limit)
            }
        guard let made = unsafe made else { throw .unreachable("no memory for a connection") }
        unsafe context = unsafe made
        guard unsafe made.pointee.err == 0 else { throw failure() }
        try wait(patience)
        if case .tcp(let host, _) = address.place {
            _ = unsafe redisEnableKeepAlive(made)
            if address.isSecure { try secure(host, authorities: address.authorities) }
        }
        if let password = address.password {
            try ask(address.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password))
        }
        if address.database != 0 { try ask(RedisCommand("SELECT", String(address.database))) }
        let lines = try ask(RedisCommand("INFO", "server")).text?.split(whereSeparator: \.isNewline) ?? []
        let line = lines.first { $0.hasPrefix("redis_version:") } ?? ""
        version = line.dropFirst("redis_version:".count).split(separator: ".").compactMap { Int($0) }
    }

    deinit {
        unsafe redisFree(context)
    }

    /// From now on each answer is waited for so many milliseconds.
    func wait(_ patience: Int) throws(RedisError) {
        guard unsafe redisSetTimeout(context, Self.limit(patience)) == REDIS_OK else { throw failure() }
    }

    /// Asks for one thing.
    ///
    /// - Throws: ``RedisError``, also where the answer is an error.
    @discardableResult
    func ask(_ command: RedisCommand) throws(RedisError) -> RedisReply {
        try send(command)
        let reply = try receive()
        if case .error(let words) = reply { throw .refused(words) }
        return reply
    }

    /// Asks for several things, all of which are sent before the first answer is waited for.
    ///
    /// - Returns: the answers, errors among them.
    func ask(all commands: [RedisCommand]) throws(RedisError) -> [RedisReply] {
        for command in commands { try send(command) }
        var replies: [RedisReply] = []
        replies.reserveCapacity(commands.count)
        for _ in commands { replies.append(try receive()) }
        return replies
    }

    private func send(_ command: RedisCommand) throws(RedisError) {
        let code = command.bytes.withBorrowedBytes { bytes in
            var offset = 0
            var arguments: [UnsafePointer<CChar>?] = unsafe command.lengths.map { length in
                defer { offset += length }
                // A pointer to nothing is not looked at.
                return unsafe bytes.baseAddress.map {
                    unsafe ($0 + offset).assumingMemoryBound(to: CChar.self)
                }
            }
            return unsafe redisAppendCommandArgv(context, Int32(arguments.count), &arguments, command.lengths)
        }
        guard code == REDIS_OK else { throw failure() }
    }

    private func receive() throws(RedisError) -> RedisReply {
        var reply: UnsafeMutableRawPointer?
        guard unsafe redisGetReply(context, &reply) == REDIS_OK, let reply = unsafe reply else {
            throw failure()
        }
        defer { unsafe freeReplyObject(reply) }
        return unsafe RedisReply(reply.assumingMemoryBound(to: redisReply.self))
    }

    /// What hiredis says has gone wrong.
    func failure() -> RedisError {
        let words = unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        // EAGAIN is what the time-out of a socket comes to.
        let isLate = unsafe context.pointee.err == REDIS_ERR_IO && errno == EAGAIN
        return .unreachable(isLate ? "no answer in time" : words.isEmpty ? "the connection is lost" : words)
    }

    private static func limit(_ milliseconds: Int) -> timeval {
        timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
    }
}
