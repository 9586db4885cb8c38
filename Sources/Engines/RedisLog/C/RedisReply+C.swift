internal import CHiredis
internal import Support

extension RedisReply {
    /// A copy of what hiredis has read.
    init(_ reply: UnsafeMutablePointer<redisReply>) {
        let reply = unsafe reply.pointee
        switch unsafe reply.type {
        case REDIS_REPLY_INTEGER: self = unsafe .number(reply.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS:
            self = unsafe .bytes(Array(BorrowedBytes(start: reply.str, count: reply.len)))
        case REDIS_REPLY_ERROR:
            self = unsafe .error(
                String(decoding: BorrowedBytes(start: reply.str, count: reply.len), as: UTF8.self)
            )
        case REDIS_REPLY_ARRAY:
            self = unsafe .list(
                (0..<reply.elements).compactMap { unsafe reply.element[$0].map(RedisReply.init) }
            )
        default: self = .null
        }
    }
}
