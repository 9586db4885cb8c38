import HTTP

/// What a parser made of some bytes, as lines that can be compared whole.
enum Transcript {
    /// Parses the pieces in order with one parser; a `continue` line stands for a step that waits for 100.
    static func of(_ pieces: [[UInt8]], limits: Limits = Limits()) -> [String] {
        let parser = RequestParser(limits: limits)
        var lines: [String] = []
        for piece in pieces {
            // A copy of exactly this size, freed at once: the address sanitizer sees any view that outlives its input.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            defer { memory.deallocate() }
            var input = UnsafeRawBufferPointer(memory)
            reading: while true {
                switch parser.parse(&input) {
                case .more: break reading
                case .continueExpected: lines.append("continue")
                case .failed(let failure):
                    lines.append("failed \(failure.code.rawValue)")
                    return lines
                case .request: lines.append(line(parser))
                case .upgrade:
                    lines.append(line(parser) + " upgrade")
                    return lines + ["rest"]
                }
            }
        }
        return lines
    }

    static func of(_ text: String, limits: Limits = Limits()) -> [String] {
        of([Array(text.utf8)], limits: limits)
    }

    private static func line(_ parser: RequestParser) -> String {
        let head = parser.head
        var line = "\(head.method.name) \(head.path.text)"
        if !head.query.isEmpty { line += " ?\(head.query.text)" }
        line += " @\(head.authority.text) [\(parser.body.text)]"
        line += head.keepsAlive ? " keep" : " close"
        return line
    }
}
