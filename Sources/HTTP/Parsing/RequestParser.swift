import CLLHTTP
public import Support

/// Reads requests from bytes, one at a time (HTTP/1.1 by llhttp, made stricter where it accepts
/// what RFC 9112 does not).
///
/// `parse` takes bytes from the front of an input and stops whenever there is something to do, so
/// the caller decides when the next pipelined request is looked at:
/// ```
/// var input = received
/// while true {
///     switch parser.parse(&input) {
///     case .more: return                                  // all of the input is taken
///     case .request: answer(parser.head, parser.body)     // then go on, or keep `input` and go on later
///     case .upgrade: return becomeWebSocket(with: input)  // `input` belongs to the new protocol
///     case .continueExpected: send("HTTP/1.1 100 Continue\r\n\r\n")   // or answer and close
///     case .failed(let failure): answer(failure), then close
///     }
/// }
/// ```
/// `head` and `body` are lent: they may point into the input, and are valid until the next `parse`
/// or until the input goes away. Any split of the bytes gives the same requests.
@safe public final class RequestParser {
    /// What stopped `parse`.
    public enum Step {
        /// The input is used up and no request is complete.
        case more
        /// `head` and `body` hold a request.
        case request
        /// `head` holds a request to upgrade to WebSocket; what is left of the input follows it.
        case upgrade
        /// `head` is complete and its sender waits for `100 Continue`.
        ///
        /// Parsing on means that it was sent. If the body follows in the same input, the client
        /// does not wait, and this step is left out.
        case continueExpected
        /// The bytes are not an acceptable request.
        ///
        /// Nothing more is parsed; answer and close.
        case failed(ParseFailure)
    }

    private let core: UnsafeMutablePointer<MessageCore>
    /// Inflates the body of the request at hand.
    private var gunzip: Gunzip?

    /// Makes a parser for one connection.
    public init(limits: Limits = Limits()) {
        unsafe core = unsafe MessageCore.make(isRequest: true, limits: limits)
    }

    deinit {
        unsafe MessageCore.destroy(core)
    }

    /// The limits; a change holds from the next byte on.
    public var limits: Limits {
        get { unsafe core.pointee.limits }
        set {
            unsafe core.pointee.limits = newValue
            unsafe core.pointee.remembered.removeAll()
        }
    }

    /// The head of the request at hand; meaningful after every step but `more` and `failed`.
    public var head: RequestHead { unsafe RequestHead(core: core) }

    /// The body of the request at hand, lent as the head is; empty if there is none.
    public var body: BorrowedBytes {
        unsafe BorrowedBytes(start: core.pointee.body.base, count: core.pointee.body.count)
    }

    /// Whether no byte of an unfinished request has been seen: the connection may be closed at any
    /// moment.
    public var isIdle: Bool {
        switch unsafe core.pointee.stage {
        case .idle, .done, .ended: true
        case .head, .body, .failed: false
        }
    }

    /// Whether a head has begun and is not complete (time limit: headers).
    public var isReadingHead: Bool { unsafe core.pointee.stage == .head }

    /// Whether a head is complete and its body is not (time limit: body).
    public var isReadingBody: Bool { unsafe core.pointee.stage == .body }

    /// How long the body of the request at hand may be, as sent and inflated.
    public var bodyLimit: Int { unsafe core.pointee.limits.body(of: core.pointee.facts) }

    /// Bytes of the body so far, for the least rate a sender must keep.
    public var bodyBytes: Int { unsafe core.pointee.body.count }

    /// Bytes held for the request at hand, complete or not, until the next `parse` after it.
    @inline(__always)
    public var heldBytes: Int {
        unsafe core.pointee.head.saved.count &+ core.pointee.body.saved.count &+ (gunzip?.heldBytes ?? 0)
    }

    /// Moves the request at hand into memory of the parser's own: the input may go away, and `head`
    /// and `body` are valid until the next `parse`.
    public func hold() { unsafe core.pointee.hold() }

    /// Whether the body of the request at hand is being inflated.
    public var isInflating: Bool { gunzip != nil }

    /// Bytes of the last head, kept for a next request that has the same.
    var rememberedBytes: Int { unsafe core.pointee.remembered.count }

    /// Takes bytes from the front of `input`, up to the next thing to do.
    /// - Parameter input: shortened by what was used. It must stay as it is while `head` and `body`
    ///   are used.
    /// - Returns: what there is to do.
    public func parse(_ input: inout BorrowedBytes) -> Step {
        switch unsafe core.advance(&input) {
        case .more: .more
        case .paused: .continueExpected
        case .failed:
            unsafe .failed(
                core.pointee.failure ?? ParseFailure(code: .badRequest, reason: "malformed request")
            )
        case .message: unsafe core.pointee.facts.upgradesToWebSocket ? .upgrade : .request
        }
    }

    /// Inflates the next slice of the body of the request at hand, which is gzip.
    ///
    /// The inflated body has the limit of one that comes as it is. While there is more to do,
    /// `head` and `body` are in memory of the parser's own: the input may go away.
    public func inflateBody() -> Inflation {
        let gunzip = gunzip ?? Gunzip()
        let step = gunzip.advance(body, limitBytes: bodyLimit)
        if case .more = step {
            unsafe core.pointee.hold()
            self.gunzip = gunzip
            return step
        }
        self.gunzip = nil
        if case .done = step { unsafe core.pointee.body.replace(with: gunzip.take()) }
        return step
    }

    /// The request at hand is answered before its body is inflated.
    @inline(__always)
    public func stopInflating() {
        if gunzip != nil { gunzip = nil }
    }

    /// Forgets everything but the limits: for another connection.
    public func reset() {
        stopInflating()
        unsafe core.pointee.reset()
    }
}
