public import Support

/// Puts frames together to messages (RFC 6455 §5.4–5.6): fragments, control frames between them,
/// size, UTF-8, close codes, compression (RFC 7692).
///
/// A message that lies in the input in one frame is lent from there; only one that is cut off or
/// compressed is collected. A compressed one is inflated as it comes: its text is judged and its
/// size is bounded before it is complete. What a step lends is valid until the next `parse`.
public struct MessageAssembler: ~Copyable {
    /// What stopped `parse`.
    @safe public enum Step {
        /// The input is used up.
        case more
        /// A text message, valid UTF-8.
        case text(BorrowedBytes)
        case binary(BorrowedBytes)
        /// A ping: answer with a pong of the same payload.
        case ping(BorrowedBytes)
        case pong(BorrowedBytes)
        /// The peer closes.
        ///
        /// Answer with a close frame unless one was sent, then end the connection. `noneGiven`
        /// where the frame has no code.
        case close(CloseCode, reason: BorrowedBytes)
        /// The peer broke the protocol: send a close frame with this code and end the connection.
        case failed(FrameFailure)
    }

    private var frames: FrameParser
    private let limitBytes: Int
    private var header: FrameHeader?
    /// The opcode of the message that has begun; nil between messages.
    private var kind: Opcode?
    private var message = ByteBuffer()
    /// Where the message lent by the last step was collected in `message`, it is dropped at the
    /// next `parse`, if not before.
    private var isDelivered = false
    /// Up to 125 bytes of a control frame that is cut off.
    private var control = ByteBuffer()
    private var utf8 = UTF8Validator()
    private var failure: FrameFailure?
    /// What inflates the message that has begun; nil where that is not compressed.
    private var inflater: Inflater?
    /// Compressed bytes of it that were announced so far.
    private var compressedBytes = 0

    /// Where the inflater comes from; to be changed between two messages only.
    public var inflation = Inflation.none {
        didSet {
            if case .none = inflation {
                frames.allowsCompression = false
                frames.limitBytes = max(limitBytes, 125)
            } else {
                frames.allowsCompression = true
                frames.limitBytes = max(compressedLimit, 125)
            }
        }
    }

    /// The largest compressed form of a message: a fixed code makes nine bits of a byte, stored
    /// blocks have headers.
    private var compressedLimit: Int { limitBytes + limitBytes / 8 + 64 }

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

    /// Bytes held for an unfinished message, with those of an inflater that it has borrowed.
    public var heldBytes: Int {
        let collected = isDelivered ? 0 : message.count
        guard inflater != nil, case .shared = inflation else { return collected }
        return collected + Inflater.memoryBytes(windowBits: 15)
    }

    /// Drops the message that the last step lent.
    @inline(__always)
    public mutating func forgetDelivered() {
        guard isDelivered else { return }
        message.removeAll(keepingAtMost: 256)
        isDelivered = false
    }

    /// Takes bytes that a server has sent from the front of `input`, up to the next message.
    ///
    /// Its frames have no mask, so the bytes stay as they are.
    public mutating func parse(fromServer input: inout BorrowedBytes) -> Step {
        precondition(frames.role == .client, "only a server's frames have no mask")
        var rest = unsafe UnsafeMutableRawBufferPointer(mutating: input.buffer)
        defer { input = input.part((input.count - rest.count)...) }
        return unsafe parse(&rest)
    }

    /// Takes bytes from the front of `input`, up to the next message.
    ///
    /// Payload bytes are unmasked in place.
    public mutating func parse(_ input: inout UnsafeMutableRawBufferPointer) -> Step {
        if let failure { return .failed(failure) }
        forgetDelivered()
        while true {
            switch unsafe frames.parse(&input) {
            case .more:
                return .more
            case .failed(let failure):
                return fail(failure)
            case .header(let header):
                if let failure = judge(header) { return fail(failure) }
                self.header = header
                guard header.length == 0 else { continue }
                if let step = take(header, BorrowedBytes(), isLast: true) {
                    return step
                }
            case .payload(let piece, let isLast):
                guard let header else { preconditionFailure("a payload follows its header") }
                if let step = unsafe take(
                    header,
                    BorrowedBytes(UnsafeRawBufferPointer(piece)),
                    isLast: isLast
                ) {
                    return step
                }
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
            guard kind != nil else {
                return protocolError("a continuation frame without a message to continue")
            }
        } else {
            guard kind == nil else {
                return protocolError("a new message begins before the previous one has ended")
            }
            kind = header.opcode
            utf8 = UTF8Validator()
            if header.isCompressed { beginInflating() }
        }
        guard inflater == nil else {
            compressedBytes += header.length
            return compressedBytes <= compressedLimit ? nil : Self.tooBig
        }
        return header.length <= limitBytes &- message.count ? nil : Self.tooBig
    }

    private static var tooBig: FrameFailure { FrameFailure(code: .messageTooBig, reason: "message too big") }

    private mutating func beginInflating() {
        switch inflation {
        case .none: preconditionFailure("the parser refuses what was not agreed on")
        case .shared(let pool): inflater = pool.take()
        case .own(let own): inflater = own
        }
        inflater?.begin()
        compressedBytes = 0
    }

    private mutating func endInflating() {
        if case .shared(let pool) = inflation, let inflater { pool.give(inflater) }
        inflater = nil
    }

    /// Inflates a piece and appends it to what is collected.
    /// - Returns: what is wrong with it, or nil.
    private mutating func inflate(_ piece: BorrowedBytes, _ inflater: Inflater) -> FrameFailure? {
        inflater.feed(piece)
        while true {
            let start = message.count
            let step = inflater.produce(to: &message, limitBytes: limitBytes)
            let new = message.bytes.part(start...)
            if kind == .text, !utf8.validate(new) { return Self.notUTF8 }
            switch step {
            case .tooLarge: return Self.tooBig
            case .malformed: return FrameFailure(code: .invalidPayload, reason: "not deflated data")
            case .hungry: return nil
            case .produced: break
            }
        }
    }

    private static var notUTF8: FrameFailure {
        FrameFailure(code: .invalidPayload, reason: "text is not UTF-8")
    }

    /// Takes a piece of a compressed message.
    private mutating func take(
        compressed piece: BorrowedBytes,
        _ inflater: Inflater,
        isLast: Bool
    ) -> Step? {
        if let failure = inflate(piece, inflater) { return fail(failure) }
        guard isLast else { return nil }
        // Nothing at all is what some senders make of an empty message: the RFC's form of it is one
        // zero byte.
        if compressedBytes > 0 {
            // What the sender left out (RFC 7692 §7.2.2): an empty stored block without the three
            // bits of its header.
            let failure = unsafe withUnsafeBytes(of: UInt32(0xFFFF_0000).littleEndian) {
                unsafe inflate(BorrowedBytes($0), inflater)
            }
            if let failure { return fail(failure) }
            guard inflater.isAtBoundary else {
                return fail(FrameFailure(code: .invalidPayload, reason: "not deflated data"))
            }
        }
        endInflating()
        let kind = kind
        self.kind = nil
        isDelivered = true
        guard kind == .text else { return .binary(message.bytes) }
        return utf8.isComplete ? .text(message.bytes) : fail(Self.notUTF8)
    }

    /// Takes a piece of a frame.
    /// - Returns: a step where one is due, nil to go on.
    private mutating func take(_ header: FrameHeader, _ piece: BorrowedBytes, isLast: Bool) -> Step? {
        if header.opcode.isControl { return takeControl(header, piece, isLast: isLast) }
        if let inflater { return take(compressed: piece, inflater, isLast: isLast && header.isFinal) }
        let kind = kind ?? header.opcode
        if kind == .text, !utf8.validate(piece) { return fail(Self.notUTF8) }
        guard isLast, header.isFinal else {
            message.append(piece)
            return nil
        }
        if kind == .text, !utf8.isComplete { return fail(Self.notUTF8) }
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
        _ piece: BorrowedBytes,
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

    private mutating func takeClose(_ payload: BorrowedBytes) -> Step {
        if payload.isEmpty { return unsafe .close(.noneGiven, reason: payload) }
        guard payload.count >= 2 else { return fail(protocolError("a close frame of one byte")) }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.mayBeSent else { return fail(protocolError("a close code that must not be sent")) }
        let reason = payload.part(2...)
        var validator = UTF8Validator()
        guard validator.validate(reason), validator.isComplete else {
            return fail(FrameFailure(code: .invalidPayload, reason: "a close reason is not UTF-8"))
        }
        return unsafe .close(code, reason: reason)
    }

    private mutating func fail(_ failure: FrameFailure) -> Step {
        self.failure = failure
        endInflating()
        message.removeAll(keepingCapacity: false)
        return .failed(failure)
    }

    private func protocolError(_ reason: String) -> FrameFailure {
        FrameFailure(code: .protocolError, reason: reason)
    }
}
