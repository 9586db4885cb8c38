import CLLHTTP
internal import Support

// Driving llhttp over one input.
extension UnsafeMutablePointer<MessageCore> {
    enum Advance {
        case more, message, paused, failed
    }

    /// Feeds llhttp from the front of `input` until it stops.
    ///
    /// While a head is unfinished bytes are offered up to two fixed places, counted from its first
    /// byte: where its target must have ended, and where it must have ended itself. What a too
    /// large head is called is decided there and when it is complete, never in between, so that the
    /// answer does not depend on how the bytes were cut into inputs.
    func advance(_ input: inout BorrowedBytes) -> Advance {
        switch unsafe pointee.stage {
        case .failed:
            return .failed
        case .done:
            if unsafe pointee.takesRepeated(&input) { return .message }
            if input.isEmpty, unsafe pointee.mayRepeat { return .more }
            let lasts =
                unsafe pointee.isRequest
                ? pointee.facts.keepsAlive : llhttp_should_keep_alive(pointee.parser) != 0
            if unsafe pointee.facts.isChunked {
                // It still waits for the body that it did not get to see.
                unsafe llhttp_reset(pointee.parser)
            } else {
                unsafe llhttp_resume(pointee.parser)
            }
            unsafe pointee.beginMessage()
            unsafe pointee.stage = lasts ? .idle : .ended
        case .idle, .head, .body, .ended:
            break
        }
        if unsafe pointee.stage == .ended {
            input = BorrowedBytes()
            return .more
        }
        if unsafe pointee.stage == .idle, unsafe !skipBlankLine(&input) { return .failed }
        while let start = unsafe input.baseAddress, input.count > 0 {
            if unsafe pointee.readsChunks { return unsafe pointee.advanceChunks(&input) }
            if unsafe pointee.stage == .idle { unsafe pointee.stage = .head }
            let offered =
                unsafe pointee.stage == .head ? Swift.min(input.count, pointee.allowance) : input.count
            unsafe pointee.input = unsafe start.assumingMemoryBound(to: UInt8.self)
            unsafe pointee.inputCount = offered
            let code = unsafe llhttp_execute(
                pointee.parser,
                start.assumingMemoryBound(to: CChar.self),
                offered
            )
            if code == HPE_OK {
                input = input.part(offered...)
                unsafe pointee.passed(offered, isEnd: input.isEmpty)
                if unsafe pointee.stage == .failed { return .failed }
                continue
            }
            guard code == HPE_PAUSED, let stop = unsafe llhttp_get_error_pos(pointee.parser) else {
                _ = unsafe pointee.refuse(.badRequest, "malformed HTTP")
                return .failed
            }
            let used = unsafe UnsafeRawPointer(stop) - start
            input = input.part(used...)
            if unsafe pointee.stage == .done { return .message }
            let isAsked = unsafe pointee.facts.expectsContinue
            unsafe pointee.passed(used, isEnd: isAsked || input.isEmpty)
            if unsafe pointee.readsChunks {
                unsafe pointee.chunks.begin(room: pointee.limits.headerBytes)
            } else {
                unsafe llhttp_resume(pointee.parser)
            }
            if isAsked { return .paused }
        }
        return .more
    }

    /// Takes one CRLF before a message (RFC 9112 §2.2).
    /// - Returns: false where something else made of CR and LF stands there.
    private func skipBlankLine(_ input: inout BorrowedBytes) -> Bool {
        // The usual case: a method begins.
        if unsafe pointee.blankBytes == 0, input.count > 0, input[0] > ASCII.carriageReturn {
            return true
        }
        while let byte = input.first {
            switch unsafe (byte, pointee.blankBytes) {
            case (ASCII.carriageReturn, 0), (ASCII.lineFeed, 1):
                unsafe pointee.blankBytes += 1
                input = BorrowedBytes(rebasing: input.dropFirst())
            case (ASCII.carriageReturn, _), (ASCII.lineFeed, _), (_, 1):
                _ = unsafe pointee.refuse(.badRequest, "empty lines before a request")
                return false
            default:
                unsafe pointee.blankBytes = 0
                return true
            }
        }
        return true
    }
}

extension MessageCore {
    /// Where a request's target must have ended: after the longest method and the longest target.
    private var targetEndBytes: Int { limits.targetBytes + 24 }

    /// How many bytes more may be offered while the head is unfinished.
    var allowance: Int {
        // The limits may have become smaller.
        max(1, (isRequest && origin < targetEndBytes ? targetEndBytes : limits.headBytes) &- origin)
    }

    /// Notes that llhttp has taken all of the offered bytes.
    /// - Parameters:
    ///   - used: how many.
    ///   - isEnd: whether the input ends here, so that what is unfinished must be kept.
    mutating func passed(_ used: Int, isEnd: Bool) {
        guard used > 0 else { return }
        guard stage == .head else {
            if isEnd { hold() }
            return
        }
        if isEnd { saveHead(upTo: origin &+ used) }
        origin &+= used
        if isRequest, origin == targetEndBytes, head.fieldCount == 0,
            targetLength == 0 || target &+ targetLength == origin
        {
            _ = refuse(.uriTooLong, "the request target is too long")
        } else if origin >= limits.headBytes {
            _ = refuse(.headersTooLarge, "the header block is too large")
        }
    }

    /// Whether what follows is the rest of a body in chunks.
    var readsChunks: Bool { stage == .body && facts.isChunked }

    /// Moves head and body into own memory.
    mutating func hold() {
        if !head.isSaved, let base = unsafe head.base {
            head.saved.removeAll()
            unsafe head.saved.append(BorrowedBytes(start: base, count: headEnd))
            head.isSaved = true
            unsafe head.base = unsafe head.saved.bytes.baseAddress.map {
                unsafe $0.assumingMemoryBound(to: UInt8.self)
            }
        }
        if body.count > 0 { body.save() }
    }
}
