import HTTP
import Support

extension Target {
    /// Responses: any cut of the bytes gives the same ones.
    static let response = Target(name: "response") { bytes in
        guard let (settings, input) = bytes.settings(2) else { return }
        let answersHead = settings[1] & 1 != 0
        let whole = transcript(input, pieces: input.count, answersHead: answersHead)
        let cut = transcript(input, pieces: Int(settings[0]) + 1, answersHead: answersHead)
        require(whole == cut, "cut into \(settings[0]) + 1: \(cut) instead of \(whole)")
    }

    private static func transcript(
        _ input: BorrowedBytes,
        pieces: Int,
        answersHead: Bool
    ) -> [String] {
        let parser = ResponseParser(limits: Limits(headerBytes: 1024, headerFields: 16, bodyBytes: 512))
        parser.answersHead = answersHead
        var lines: [String] = []
        var isOver = false
        input.inPieces(of: pieces) { piece in
            var rest = BorrowedBytes(UnsafeRawBufferPointer(piece))
            while !isOver {
                switch parser.parse(&rest) {
                case .more: return true
                case .failed:
                    lines.append("failed")
                    isOver = true
                case .upgrade:
                    lines.append("upgrade")
                    isOver = true
                case .response:
                    let fields = (0..<parser.head.fieldCount).map { parser.head.field(at: $0) }
                    require(parser.body.count <= 512, "a body beyond the limit")
                    lines.append(
                        "\(parser.head.status.rawValue) \(fields.map { "\($0.name.text)=\($0.value.text)" }) "
                            + parser.body.text
                    )
                }
            }
            return false
        }
        if !isOver, case .response = parser.finish() { lines.append("end \(parser.body.text)") }
        return lines
    }
}
