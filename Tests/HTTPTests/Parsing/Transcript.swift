import HTTP
import Support

/// What a parser made of some bytes, as lines that can be compared whole.
enum Transcript {
    /// Parses the pieces in order with one parser, a new one unless it is given.
    ///
    /// A `continue` line stands for a step that waits for 100; `rest` holds what followed an
    /// upgrade.
    static func of(
        _ pieces: [[UInt8]],
        limits: Limits = Limits(),
        showsContinue: Bool = false,
        by given: RequestParser? = nil
    ) -> [String] {
        let parser = given ?? RequestParser(limits: limits)
        var lines: [String] = []
        var rest: [UInt8]?
        for piece in pieces {
            guard rest == nil else {
                rest?.append(contentsOf: piece)
                continue
            }
            // A copy of exactly this size, freed at once: the address sanitizer sees any view that
            // outlives its input.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
            memory.copyBytes(from: piece)
            defer { memory.deallocate() }
            var input = BorrowedBytes(UnsafeRawBufferPointer(memory))
            reading: while rest == nil {
                switch parser.parse(&input) {
                case .more: break reading
                case .continueExpected: if showsContinue { lines.append("continue") }
                case .failed(let failure):
                    lines.append("failed \(failure.code.rawValue)")
                    return lines
                case .request: lines.append(line(parser))
                case .upgrade:
                    lines.append(line(parser))
                    rest = Array(input)
                }
            }
        }
        if let rest { lines.append("upgrade, rest [\(String(decoding: rest, as: UTF8.self))]") }
        return lines
    }

    static func of(_ text: String, limits: Limits = Limits(), showsContinue: Bool = false) -> [String] {
        of([Array(text.utf8)], limits: limits, showsContinue: showsContinue)
    }

    private static func line(_ parser: RequestParser) -> String {
        let head = parser.head
        var line = "\(head.method.name) \(head.path.text)"
        if !head.query.isEmpty { line += " ?\(head.query.text)" }
        line += " @\(head.authority.text)"
        for index in 0..<head.fieldCount {
            let field = head.field(at: index)
            line += " \(field.name.text)=\(field.value.text);"
        }
        line += " [\(parser.body.text)]"
        line += head.keepsAlive ? " keep" : " close"
        return line
    }
}
