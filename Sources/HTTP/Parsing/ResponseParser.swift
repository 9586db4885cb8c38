import CLLHTTP
public import Support

/// Reads responses from bytes, one at a time: the client side, for the command line and the load
/// run.
///
/// Used as `RequestParser` is. Interim answers (100, 103) are passed over.
@safe public final class ResponseParser {
    /// What stopped `parse`.
    public enum Step {
        /// The input is used up and no response is complete.
        case more
        /// `head` and `body` hold a response.
        case response
        /// `head` holds a 101; what is left of the input belongs to the new protocol.
        case upgrade
        /// The bytes are not a response.
        ///
        /// Close.
        case failed(ParseFailure)
    }

    private let core: UnsafeMutablePointer<MessageCore>

    /// Makes a parser for one connection.
    public init(limits: Limits = Limits(headerBytes: 64 * 1024, bodyBytes: 16 * 1024 * 1024)) {
        unsafe core = unsafe MessageCore.make(isRequest: false, limits: limits)
    }

    deinit {
        unsafe MessageCore.destroy(core)
    }

    /// Whether the next response answers a HEAD and so has no body.
    ///
    /// Set it before that response arrives.
    public var answersHead: Bool {
        get { unsafe core.pointee.skipsBody }
        set { unsafe core.pointee.skipsBody = newValue }
    }

    /// The head of the response at hand.
    public var head: ResponseHead { unsafe ResponseHead(core: core) }

    /// The body of the response at hand, lent as the head is.
    public var body: BorrowedBytes {
        unsafe BorrowedBytes(start: core.pointee.body.base, count: core.pointee.body.count)
    }

    /// Whether a head is complete and its body is not: then ``head`` holds it.
    public var isReadingBody: Bool { stage == .body }

    private var stage: MessageCore.Stage { unsafe core.pointee.stage }

    /// Calls `take` with what has come of the body since the last call, and forgets it: for a body
    /// that does not end, whose limit is then that of a piece.
    public func takeBody(_ take: (BorrowedBytes) -> Void) {
        take(body)
        unsafe core.pointee.body.removeAll()
    }

    /// Whether the server will take another request on this connection; meaningful while a response
    /// is at hand.
    public var keepsAlive: Bool { unsafe llhttp_should_keep_alive(core.pointee.parser) != 0 }

    /// Takes bytes from the front of `input`, up to the next response.
    public func parse(_ input: inout BorrowedBytes) -> Step {
        while true {
            switch unsafe core.advance(&input) {
            case .more: return .more
            case .paused: continue
            case .failed:
                return unsafe .failed(
                    core.pointee.failure ?? ParseFailure(code: .badRequest, reason: "malformed response")
                )
            case .message:
                let status = head.status.rawValue
                if status == 101 { return .upgrade }
                if status >= 200 { return .response }
            }
        }
    }

    /// Says that the server has closed its side.
    /// - Returns: `response` where its end was the end of the connection, `more` between responses,
    ///   `failed` within one.
    public func finish() -> Step {
        switch stage {
        case .idle, .done, .ended: return .more
        case .failed, .head: break
        case .body:
            let code = unsafe llhttp_finish(core.pointee.parser)
            if code == HPE_OK || code == HPE_PAUSED, stage == .done { return .response }
        }
        return .failed(ParseFailure(code: .badRequest, reason: "the connection ended within a response"))
    }
}
