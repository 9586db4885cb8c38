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
    func advance(_ input: inout UnsafeRawBufferPointer) -> Advance {
        switch pointee.stage {
        case .failed:
            return .failed
        case .done:
            if pointee.takesRepeated(&input) { return .message }
            if input.isEmpty, pointee.mayRepeat { return .more }
            let lasts =
                pointee.isRequest ? pointee.facts.keepsAlive : llhttp_should_keep_alive(pointee.parser) != 0
            if pointee.facts.isChunked {
                // It still waits for the body that it did not get to see.
                llhttp_reset(pointee.parser)
            } else {
                llhttp_resume(pointee.parser)
            }
            pointee.beginMessage()
            pointee.stage = lasts ? .idle : .ended
        case .idle, .head, .body, .ended:
            break
        }
        if pointee.stage == .ended {
            input = UnsafeRawBufferPointer(start: nil, count: 0)
            return .more
        }
        if pointee.stage == .idle, !skipBlankLine(&input) { return .failed }
        while let start = input.baseAddress, input.count > 0 {
            if pointee.readsChunks { return pointee.advanceChunks(&input) }
            if pointee.stage == .idle { pointee.stage = .head }
            let offered = pointee.stage == .head ? Swift.min(input.count, pointee.allowance) : input.count
            pointee.input = start.assumingMemoryBound(to: UInt8.self)
            pointee.inputCount = offered
            let code = llhttp_execute(pointee.parser, start.assumingMemoryBound(to: CChar.self), offered)
            if code == HPE_OK {
                input = UnsafeRawBufferPointer(rebasing: input[offered...])
                pointee.passed(offered, isEnd: input.isEmpty)
                if pointee.stage == .failed { return .failed }
                continue
            }
            guard code == HPE_PAUSED, let stop = llhttp_get_error_pos(pointee.parser) else {
                _ = pointee.refuse(.badRequest, "malformed HTTP")
                return .failed
            }
            let used = UnsafeRawPointer(stop) - start
            input = UnsafeRawBufferPointer(rebasing: input[used...])
            if pointee.stage == .done { return .message }
            let isAsked = pointee.facts.expectsContinue
            pointee.passed(used, isEnd: isAsked || input.isEmpty)
            if pointee.readsChunks {
                pointee.chunks.begin(room: pointee.limits.headerBytes)
            } else {
                llhttp_resume(pointee.parser)
            }
            if isAsked { return .paused }
        }
        return .more
    }

    /// Takes one CRLF before a message (RFC 9112 §2.2).
    /// - Returns: false where something else made of CR and LF stands there.
    private func skipBlankLine(_ input: inout UnsafeRawBufferPointer) -> Bool {
        // The usual case: a method begins.
        if pointee.blankBytes == 0, input.count > 0, input[0] > ASCII.carriageReturn { return true }
        while let byte = input.first {
            switch (byte, pointee.blankBytes) {
            case (ASCII.carriageReturn, 0), (ASCII.lineFeed, 1):
                pointee.blankBytes += 1
                input = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            case (ASCII.carriageReturn, _), (ASCII.lineFeed, _), (_, 1):
                _ = pointee.refuse(.badRequest, "empty lines before a request")
                return false
            default:
                pointee.blankBytes = 0
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
        if !head.isSaved, let base = head.base {
            head.saved.removeAll()
            head.saved.append(UnsafeRawBufferPointer(start: base, count: headEnd))
            head.isSaved = true
            head.base = head.saved.bytes.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) }
        }
        if body.count > 0 { body.save() }
    }
}
