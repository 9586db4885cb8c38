import CLLHTTP

// Driving llhttp over one input.
extension UnsafeMutablePointer<MessageCore> {
    enum Advance {
        case more, message, paused, failed
    }

    /// Feeds llhttp from the front of `input` until it stops.
    ///
    /// While a head is unfinished no more than `Limits.headBytes` are offered, counted from its first byte,
    /// so that what a too large head is called does not depend on how it was cut into inputs.
    func advance(_ input: inout UnsafeRawBufferPointer) -> Advance {
        switch pointee.stage {
        case .failed:
            return .failed
        case .done:
            llhttp_resume(pointee.parser)
            let lasts =
                pointee.isRequest ? pointee.facts.keepsAlive : llhttp_should_keep_alive(pointee.parser) != 0
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
            let wasHead = pointee.stage == .idle || pointee.stage == .head
            if pointee.stage == .idle { pointee.stage = .head }
            let offered =
                wasHead ? Swift.min(input.count, pointee.limits.headBytes &- pointee.origin) : input.count
            pointee.input = start.assumingMemoryBound(to: UInt8.self)
            pointee.inputCount = offered
            let code = llhttp_execute(pointee.parser, start.assumingMemoryBound(to: CChar.self), offered)
            if code == HPE_OK {
                input = UnsafeRawBufferPointer(rebasing: input[offered...])
                pointee.keepUnfinished(offered)
                if pointee.stage == .failed { return .failed }
                continue
            }
            guard code == HPE_PAUSED, let stop = llhttp_get_error_pos(pointee.parser) else {
                _ = pointee.refuse(.badRequest, "malformed HTTP")
                return .failed
            }
            let used = UnsafeRawPointer(stop) - start
            if pointee.stage == .done, pointee.facts.isChunked, !endsInLine(start, used) {
                _ = pointee.refuse(.badRequest, "a line does not end in CR LF")
                return .failed
            }
            input = UnsafeRawBufferPointer(rebasing: input[used...])
            if pointee.stage == .done { return .message }
            llhttp_resume(pointee.parser)
            pointee.keepUnfinished(used)
            return .paused
        }
        return .more
    }

    /// Whether the byte before the last one used is a CR; llhttp ends the last chunk at LF alone.
    private func endsInLine(_ start: UnsafeRawPointer, _ used: Int) -> Bool {
        let byte = used >= 2 ? start.load(fromByteOffset: used &- 2, as: UInt8.self) : pointee.previousByte
        return byte == ASCII.carriageReturn
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
    /// Moves what the end of the input cuts off into own memory.
    mutating func keepUnfinished(_ used: Int) {
        guard let input, used > 0 else { return }
        previousByte = input[used &- 1]
        if stage == .head {
            if head.isSaved {
                head.saved.append(UnsafeRawBufferPointer(start: input, count: used))
            } else {
                head.saved.removeAll()
                head.saved.append(UnsafeRawBufferPointer(start: input, count: used))
                head.isSaved = true
            }
            rebase()
            origin &+= used
            if origin >= limits.headBytes {
                _ =
                    head.fieldCount == 0 && targetLength == 0
                    ? refuse(.uriTooLong, "the request line is too long")
                    : refuse(.headersTooLarge, "the header block is too large")
            }
        } else {
            hold()
        }
    }

    /// Moves head and body into own memory.
    mutating func hold() {
        if !head.isSaved, let base = head.base {
            head.saved.removeAll()
            head.saved.append(UnsafeRawBufferPointer(start: base, count: headEnd))
            head.isSaved = true
            rebase()
        }
        if body.count > 0 {
            body.save(expecting: facts.contentLength)
        }
    }
}
