import HTTP
import Support

extension Target {
    /// Requests: any cut of the bytes gives the same ones.
    static let request = Target(name: "request") { bytes in
        guard let (settings, input) = bytes.settings(1) else { return }
        let whole = transcript(input, pieces: input.count)
        let cut = transcript(input, pieces: Int(settings[0]) + 1)
        require(whole == cut, "cut into \(settings[0]) + 1: \(cut) instead of \(whole)")
    }

    private static func transcript(_ input: BorrowedBytes, pieces: Int) -> [String] {
        let parser = RequestParser(
            limits: Limits(targetBytes: 256, headerBytes: 1024, headerFields: 16, bodyBytes: 512)
        )
        var lines: [String] = []
        var isOver = false
        input.inPieces(of: pieces) { piece in
            var rest = BorrowedBytes(UnsafeRawBufferPointer(piece))
            while !isOver {
                switch parser.parse(&rest) {
                case .more: return true
                case .continueExpected: break
                case .failed(let failure):
                    lines.append("failed \(failure.code.rawValue)")
                    isOver = true
                case .upgrade:
                    lines.append("upgrade \(describe(parser))")
                    isOver = true
                case .request:
                    lines.append(describe(parser))
                }
            }
            return false
        }
        return lines
    }

    private static func describe(_ parser: RequestParser) -> String {
        let head = parser.head
        require(parser.body.count <= 512, "a body beyond the limit")
        require(head.fieldCount <= 16, "more fields than the limit")
        require(head.target.count <= 256, "a target beyond the limit")
        require(head.has(.host), "no Host")
        let query = Query(head.query).string("a") ?? ""
        let fields = (0..<head.fieldCount).map { head.field(at: $0) }.map {
            "\($0.name.text)=\($0.value.text)"
        }
        if ContentCoding(head.value(.contentEncoding)) == .gzip {
            var step = RequestParser.Inflation.more
            while case .more = step { step = parser.inflateBody() }
            require(parser.body.count <= 512, "an inflated body beyond the limit")
        }
        _ = Handshake.judge(head, subprotocols: ["sluice.v1.json"], compression: .full)
        return
            "\(head.method.name) \(head.path.text) \(head.authority.text) \(fields) \(parser.body.text) \(query)"
    }
}
