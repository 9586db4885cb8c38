/// Puts frames together to messages (RFC 6455 §5.4–5.6): fragments, control frames between them, size, UTF-8,
/// close codes.
///
/// A message that lies in the input in one frame is lent from there; only one that is cut off is collected.
/// What a step lends is valid until the next `parse`.
public struct MessageAssembler: ~Copyable {
    /// What stopped `parse`.
    public enum Step {
        /// The input is used up.
        case more
        /// A text message, valid UTF-8.
        case text(UnsafeRawBufferPointer)
        case binary(UnsafeRawBufferPointer)
        /// A ping: answer with a pong of the same payload.
        case ping(UnsafeRawBufferPointer)
        case pong(UnsafeRawBufferPointer)
        /// The peer closes.
        ///
        /// Answer with a close frame unless one was sent, then end the connection. `noneGiven` where the
        /// frame has no code.
        case close(CloseCode, reason: UnsafeRawBufferPointer)
        /// The peer broke the protocol: send a close frame with this code and end the connection.
        case failed(FrameFailure)
    }

    private var frames: FrameParser
    private let limitBytes: Int
    private var header: FrameHeader?
    /// The opcode of the message that has begun; nil between messages.
    private var kind: Opcode?
    private var message = ByteBuffer()
    /// Where the message lent by the last step was collected in `message`, it is dropped at the next `parse`.
    private var isDelivered = false
    /// Up to 125 bytes of a control frame that is cut off.
    private var control = ByteBuffer()
    private var utf8 = UTF8Validator()
    private var failure: FrameFailure?

    /// Makes an assembler for one connection.
    /// - Parameters:
    ///   - role: the side it reads on.
    ///   - limitBytes: the largest message; a larger one fails with 1009 before it is read.
    public init(role: FrameParser.Role, limitBytes: Int = 64 * 1024) {
        // A control frame may be as long as the RFC lets it, whatever a message may be.
        frames = FrameParser(role: role, limitBytes: max(limitBytes, 125))
        self.limitBytes = limitBytes
    }

    /// Whether a frame or a fragmented message is unfinished (time limit: 30 s).
    public var isUnfinished: Bool { frames.isMidFrame || kind != nil }

    /// Bytes held for an unfinished message.
    public var heldBytes: Int { isDelivered ? 0 : message.count }

    /// Takes bytes from the front of `input`, up to the next message.
    ///
    /// Payload bytes are unmasked in place.
    public mutating func parse(_ input: inout UnsafeMutableRawBufferPointer) -> Step {
        if let failure { return .failed(failure) }
        if isDelivered {
            message.removeAll(keepingAtMost: 256)
            isDelivered = false
        }
        while true {
            switch frames.parse(&input) {
            case .more:
                return .more
            case .failed(let failure):
                return fail(failure)
            case .header(let header):
                if let failure = judge(header) { return fail(failure) }
                self.header = header
                guard header.length == 0 else { continue }
                if let step = take(header, UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) {
                    return step
                }
            case .payload(let piece, let isLast):
                guard let header else { preconditionFailure("a payload follows its header") }
                if let step = take(header, UnsafeRawBufferPointer(piece), isLast: isLast) { return step }
            }
        }
    }

    /// Whether a frame may stand here; called before its payload is read.
    private mutating func judge(_ header: FrameHeader) -> FrameFailure? {
        if header.opcode.isControl {
            control.removeAll(keepingCapacity: false)
            return nil
        }
        if header.opcode == .continuation {
            guard kind != nil else { return protocolError("a continuation of nothing") }
        } else {
            guard kind == nil else { return protocolError("a message within a message") }
            kind = header.opcode
            utf8 = UTF8Validator()
        }
        guard header.length <= limitBytes &- message.count else {
            return FrameFailure(code: .messageTooBig, reason: "message too big")
        }
        return nil
    }

    /// Takes a piece of a frame.
    /// - Returns: a step where one is due, nil to go on.
    private mutating func take(_ header: FrameHeader, _ piece: UnsafeRawBufferPointer, isLast: Bool) -> Step?
    {
        if header.opcode.isControl { return takeControl(header, piece, isLast: isLast) }
        let kind = kind ?? header.opcode
        if kind == .text, !utf8.validate(piece) {
            return fail(FrameFailure(code: .invalidPayload, reason: "text is not UTF-8"))
        }
        guard isLast, header.isFinal else {
            message.append(piece)
            return nil
        }
        if kind == .text, !utf8.isComplete {
            return fail(FrameFailure(code: .invalidPayload, reason: "text is not UTF-8"))
        }
        self.kind = nil
        var whole = piece
        if !message.isEmpty {
            message.append(piece)
            isDelivered = true
            whole = message.bytes
        }
        return kind == .text ? .text(whole) : .binary(whole)
    }

    private mutating func takeControl(
        _ header: FrameHeader,
        _ piece: UnsafeRawBufferPointer,
        isLast: Bool
    ) -> Step? {
        var whole = piece
        if !isLast || piece.count < header.length {
            control.append(piece)
            guard isLast else { return nil }
            whole = control.bytes
        }
        switch header.opcode {
        case .ping: return .ping(whole)
        case .pong: return .pong(whole)
        default: return takeClose(whole)
        }
    }

    private mutating func takeClose(_ payload: UnsafeRawBufferPointer) -> Step {
        if payload.isEmpty { return .close(.noneGiven, reason: payload) }
        guard payload.count >= 2 else { return fail(protocolError("a close frame of one byte")) }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { return fail(protocolError("a close code that must not be sent")) }
        let reason = UnsafeRawBufferPointer(rebasing: payload[2...])
        var validator = UTF8Validator()
        guard validator.validate(reason), validator.isComplete else {
            return fail(FrameFailure(code: .invalidPayload, reason: "a close reason is not UTF-8"))
        }
        return .close(code, reason: reason)
    }

    private mutating func fail(_ failure: FrameFailure) -> Step {
        self.failure = failure
        message.removeAll(keepingCapacity: false)
        return .failed(failure)
    }

    private func protocolError(_ reason: String) -> FrameFailure {
        FrameFailure(code: .protocolError, reason: reason)
    }
}
