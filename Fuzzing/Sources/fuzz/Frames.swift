import HTTP
import Support

extension Target {
    /// WebSocket frames, put together and inflated: any cut of the bytes gives the same messages,
    /// none is larger than the limit, and text is UTF-8.
    static let frames = Target(name: "frames") { bytes in
        guard let (settings, input) = bytes.settings(2) else { return }
        let whole = transcript(input, pieces: input.count, settings[1])
        let cut = transcript(input, pieces: Int(settings[0]) + 1, settings[1])
        require(whole == cut, "cut into \(settings[0]) + 1: \(cut) instead of \(whole)")
    }

    private static let limit = 2000

    private static func transcript(_ input: BorrowedBytes, pieces: Int, _ choice: UInt8) -> [String]
    {
        var assembler = MessageAssembler(role: choice & 1 == 0 ? .server : .client, limitBytes: limit)
        assembler.inflation =
            switch choice >> 1 & 3 {
            case 0: .none
            case 1: .shared(InflaterPool())
            // Not with smaller windows: zlib refuses what refers back too far only once it has left
            // its output buffer, so that there the cut may decide.
            default: .own(Inflater(keepsContext: true))
            }
        // A borrowed inflater counts, too.
        let mostHeld = limit + (choice >> 1 & 3 == 1 ? Inflater.memoryBytes(windowBits: 15) : 0)
        var lines: [String] = []
        input.inPieces(of: pieces) { piece in
            var rest = piece
            while true {
                switch assembler.parse(&rest) {
                case .more:
                    require(assembler.heldBytes <= mostHeld, "more is held than a message may have")
                    return true
                case .text(let text):
                    require(text.count <= limit, "a message beyond the limit")
                    require(String(validating: text, as: UTF8.self) != nil, "text is not UTF-8")
                    lines.append("text \(text.text)")
                case .binary(let data):
                    require(data.count <= limit, "a message beyond the limit")
                    lines.append("binary \(Array(data))")
                case .ping(let data): lines.append("ping \(Array(data))")
                case .pong(let data): lines.append("pong \(Array(data))")
                case .close(let code, let reason):
                    require(String(validating: reason, as: UTF8.self) != nil, "a reason is not UTF-8")
                    lines.append("close \(code.rawValue) \(reason.text)")
                    return false
                case .failed(let failure):
                    lines.append("failed \(failure.code.rawValue)")
                    return false
                }
            }
        }
        return lines
    }
}
