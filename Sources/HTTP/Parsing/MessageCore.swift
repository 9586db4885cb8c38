import CLLHTTP
internal import Support

/// Why a message was refused.
///
/// The connection can only be closed after it, because it is unknown where the next message begins.
public struct ParseFailure: Error, Sendable {
    /// `bad_request`, `uri_too_long`, `headers_too_large` or `too_large`.
    public let code: ErrorCode
    /// What a person can act on.
    ///
    /// Never holds bytes of the message.
    public let reason: StaticString
    /// With `too_large`: by how much.
    public var excess: BodyExcess?
}

/// A body that is larger than it may be.
public struct BodyExcess: Sendable {
    /// How long it is, as its sender says; nil if it comes in chunks, whose sum is not announced.
    public let bytes: UInt64?
    /// How long it may be.
    public let limit: Int
    /// Whether that is the limit of requests that may have a longer body than others.
    public let isLong: Bool

    init(of bytes: UInt64?, _ limits: Limits, _ facts: RequestFacts) {
        (self.bytes, limit, isLong) = (bytes, limits.body(of: facts), facts.allowsLongBody)
    }
}

/// llhttp and what its callbacks collect: the state of one message, in memory of its own so that
/// the C callbacks reach it without reference counting.
///
/// `RequestParser` and `ResponseParser` own one each and differ in how a head is judged.
///
/// https://github.com/nodejs/llhttp: callbacks return 0, -1 (refuse) or `HPE_PAUSED`.
@safe struct MessageCore: ~Copyable {
    enum Stage: UInt8 {
        /// Between messages, no byte of the next one seen.
        case idle
        case head
        case body
        /// A message lies ready, or has been dropped by a later call of `parse`.
        case done
        /// The peer's last message lies ready or was dropped; whatever follows is ignored.
        case ended
        case failed
    }

    let parser: UnsafeMutablePointer<llhttp_t>

    var stage = Stage.idle
    var isReadingValue = false
    var isRequest: Bool
    /// Set while a response's request was HEAD: its head is not followed by a body.
    var skipsBody = false
    /// One CRLF before a message is tolerated (RFC 9112 §2.2): how many bytes of it were seen.
    var blankBytes: UInt8 = 0

    /// The input being parsed and the message offset of its first byte.
    var input: UnsafePointer<UInt8>?
    var inputCount = 0
    var origin = 0

    var limits: Limits
    var head = HeadStore()
    var headEnd = 0
    var target = 0
    var targetLength = 0
    var facts = RequestFacts()
    /// The path without escapes, where it had any.
    var decoded = ByteBuffer()
    /// The bytes of the head at hand, if the next one may be the same; otherwise empty.
    var remembered = ByteBuffer()
    var body = BodyStore()
    var chunks = ChunkedBody()
    var failure: ParseFailure?

    private init(isRequest: Bool, limits: Limits, parser: UnsafeMutablePointer<llhttp_t>) {
        unsafe self.parser = unsafe parser
        self.isRequest = isRequest
        self.limits = limits
    }

    /// llhttp's memory: the parser first, so that both have the same address, and the table of
    /// callbacks it refers to.
    @safe private struct Wire {
        var parser = unsafe llhttp_t()
        var settings = llhttp_settings_t()
    }

    /// Makes a core whose callbacks lead back to it.
    ///
    /// Freed by `destroy`.
    static func make(isRequest: Bool, limits: Limits) -> UnsafeMutablePointer<MessageCore> {
        precondition(
            limits.headBytes < 1 << 24 && limits.headerFields < 1 << 15,
            "limits beyond what slices can count"
        )
        let wire = UnsafeMutablePointer<Wire>.allocate(capacity: 1)
        unsafe wire.initialize(to: Wire())
        let raw = UnsafeMutableRawPointer(wire)
        let parser = unsafe raw.assumingMemoryBound(to: llhttp_t.self)
        let settings = unsafe (raw + MemoryLayout<Wire>.offset(of: \.settings)!)
            .assumingMemoryBound(to: llhttp_settings_t.self)
        let core = UnsafeMutablePointer<MessageCore>.allocate(capacity: 1)
        unsafe core.initialize(to: MessageCore(isRequest: isRequest, limits: limits, parser: parser))
        unsafe llhttp_settings_init(settings)
        unsafe installCallbacks(settings)
        unsafe llhttp_init(parser, isRequest ? HTTP_REQUEST : HTTP_RESPONSE, settings)
        unsafe parser.pointee.data = UnsafeMutableRawPointer(core)
        return unsafe core
    }

    static func destroy(_ core: UnsafeMutablePointer<MessageCore>) {
        unsafe UnsafeMutableRawPointer(core.pointee.parser).assumingMemoryBound(to: Wire.self).deallocate()
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }

    /// The C callbacks: recover the core, call one method.
    ///
    /// Only those that are needed are set, each costs a call.
    private static func installCallbacks(_ settings: UnsafeMutablePointer<llhttp_settings_t>) {
        unsafe settings.pointee.on_url = { parser, at, length in
            unsafe MessageCore.of(parser).pointee.targetArrived(at.unsafelyUnwrapped, length)
        }
        unsafe settings.pointee.on_header_field = { parser, at, length in
            unsafe MessageCore.of(parser).pointee.fieldArrived(at.unsafelyUnwrapped, length)
        }
        unsafe settings.pointee.on_header_value = { parser, at, length in
            unsafe MessageCore.of(parser).pointee.valueArrived(at.unsafelyUnwrapped, length)
        }
        unsafe settings.pointee.on_headers_complete = { parser in
            unsafe MessageCore.of(parser).pointee.headCompleted()
        }
        unsafe settings.pointee.on_body = { parser, at, length in
            unsafe MessageCore.of(parser).pointee.bodyArrived(at.unsafelyUnwrapped, length)
        }
        unsafe settings.pointee.on_message_complete = { parser in
            unsafe MessageCore.of(parser).pointee.messageCompleted()
        }
    }

    @inline(__always)
    private static func of(_ parser: UnsafeMutablePointer<llhttp_t>?) -> UnsafeMutablePointer<MessageCore> {
        unsafe parser.unsafelyUnwrapped.pointee.data.unsafelyUnwrapped.assumingMemoryBound(
            to: MessageCore.self
        )
    }

    /// Forgets the message that was delivered.
    mutating func beginMessage() {
        head.removeAll()
        body.removeAll()
        remembered.removeAll()
        origin = 0
        headEnd = 0
        target = 0
        targetLength = 0
        isReadingValue = false
        facts = RequestFacts()
    }

    /// Forgets everything but the limits: for another connection.
    mutating func reset() {
        unsafe llhttp_reset(parser)
        beginMessage()
        remembered.removeAll(keepingCapacity: false)
        stage = .idle
        blankBytes = 0
        failure = nil
    }

    /// Notes why the message is refused; what it returns makes llhttp stop.
    @inline(never)
    mutating func refuse(_ code: ErrorCode, _ reason: StaticString) -> Int32 {
        if failure == nil {
            failure = ParseFailure(code: code, reason: reason)
        }
        stage = .failed
        return -1
    }

    /// Refuses a body of `bytes`; nil where that is not known.
    @inline(never)
    mutating func refuseBody(of bytes: UInt64?) -> Int32 {
        defer { failure?.excess = BodyExcess(of: bytes, limits, facts) }
        return refuse(.tooLarge, "the body is too large")
    }
}

// What the callbacks do. `at` points into the current input. The short ones, of which every message
// calls many, are parts of the C functions.
extension MessageCore {
    @inline(__always)
    private mutating func targetArrived(_ at: UnsafePointer<CChar>, _ length: Int) -> Int32 {
        if targetLength == 0 {
            target = unsafe offset(at)
        }
        targetLength &+= length
        return 0
    }

    @inline(__always)
    private mutating func fieldArrived(_ at: UnsafePointer<CChar>, _ length: Int) -> Int32 {
        let offset = unsafe offset(at)
        if isReadingValue || head.fieldCount == 0 {
            head.addField(at: offset, nameLength: length)
            isReadingValue = false
        } else {
            unsafe head.fields[head.fieldCount &- 1].nameLength &+= UInt32(truncatingIfNeeded: length)
        }
        return 0
    }

    @inline(__always)
    private mutating func valueArrived(_ at: UnsafePointer<CChar>, _ length: Int) -> Int32 {
        let offset = unsafe offset(at)
        // Asked here and not when the name begins: llhttp speaks of a value only when the name was
        // well-formed, so that the answer does not depend on where the input was cut.
        guard head.fieldCount <= limits.headerFields else {
            return refuse(.headersTooLarge, "too many header fields")
        }
        let field = unsafe head.fields + (head.fieldCount &- 1)
        if unsafe !isReadingValue || field.pointee.valueLength == 0 {
            isReadingValue = true
            unsafe field.pointee.value = UInt32(truncatingIfNeeded: offset)
            unsafe field.pointee.valueLength = UInt32(truncatingIfNeeded: length)
        } else {
            guard unsafe Int(field.pointee.value) &+ Int(field.pointee.valueLength) == offset else {
                return refuse(.badRequest, "a folded header line is not accepted")
            }
            unsafe field.pointee.valueLength &+= UInt32(truncatingIfNeeded: length)
        }
        return 0
    }

    private mutating func headCompleted() -> Int32 {
        guard head.fieldCount > 0 else {
            // Without a field there is no Host; a response may well have none.
            return isRequest ? refuse(.badRequest, "Host is missing") : responseHeadCompleted()
        }
        let last = unsafe head.fields[head.fieldCount &- 1]
        headEnd = Self.lineEnd(of: last) &+ 2
        let available = min(headEnd, origin &+ inputCount)
        if head.isSaved {
            saveHead(upTo: available)
        } else {
            unsafe head.base = unsafe input.map { unsafe $0 - origin }
        }
        guard headEnd <= origin &+ inputCount else {
            // Its size is judged first here too, so that the answer does not depend on how the
            // input was cut.
            if isRequest, judgeSize() != 0 { return -1 }
            return refuse(.badRequest, "a line does not end in CR LF")
        }
        stage = .body
        let code = isRequest ? requestHeadCompleted() : responseHeadCompleted()
        guard code == 0, facts.isChunked else { return code }
        // The rest of the message is not for llhttp.
        return Int32(HPE_PAUSED.rawValue)
    }

    /// Reads on in a body in chunks.
    mutating func advanceChunks(
        _ input: inout BorrowedBytes
    ) -> UnsafeMutablePointer<MessageCore>.Advance {
        while true {
            let step = chunks.advance(
                &input,
                bodyRoom: max(0, limits.body(of: facts) &- body.count),
                maximumFields: limits.headerFields
            )
            switch step {
            case .data(let size):
                guard let start = unsafe input.baseAddress else { return .more }
                let count = min(size, input.count)
                unsafe body.append(start, count)
                chunks.take(count)
                input = input.part(count...)
            case .more:
                hold()
                return .more
            case .done:
                stage = .done
                return .message
            case .failed(.tooLarge, _):
                _ = refuseBody(of: nil)
                return .failed
            case .failed(let code, let reason):
                _ = refuse(code, reason)
                return .failed
            }
        }
    }

    /// Takes in a piece of the body.
    @inline(__always)
    private mutating func bodyArrived(_ at: UnsafePointer<CChar>, _ length: Int) -> Int32 {
        guard length <= limits.body(of: facts) &- body.count else { return refuseBody(of: nil) }
        unsafe body.append(UnsafeRawPointer(at), length)
        return 0
    }

    @inline(__always)
    private mutating func messageCompleted() -> Int32 {
        stage = .done
        return Int32(HPE_PAUSED.rawValue)
    }

    /// Where the line of `field` ends, after its CR LF.
    ///
    /// llhttp places an empty value after the line already.
    @inline(__always)
    static func lineEnd(of field: FieldSlice) -> Int {
        field.valueLength > 0 ? Int(field.value) &+ Int(field.valueLength) &+ 2 : Int(field.value)
    }

    @inline(__always)
    private func offset(_ at: UnsafePointer<CChar>) -> Int {
        unsafe origin &+ (UnsafeRawPointer(at) - UnsafeRawPointer(input.unsafelyUnwrapped))
    }

    /// Moves the head's bytes up to an offset within the current input into own memory, after those
    /// that are there.
    mutating func saveHead(upTo end: Int) {
        if !head.isSaved {
            head.saved.removeAll()
            head.isSaved = true
        }
        let start = head.saved.count
        if end > start, let input = unsafe input {
            unsafe head.saved.append(
                BorrowedBytes(start: input + (start &- origin), count: end &- start)
            )
        }
        unsafe head.base = unsafe head.saved.bytes.baseAddress.map {
            unsafe $0.assumingMemoryBound(to: UInt8.self)
        }
    }
}
