extension String {
    /// The byte offset of what stands at `place` in a pattern, where the literal at `offset` is
    /// that pattern letter for letter; else the literal's own offset, as escapes have moved what
    /// follows them.
    func offset(ofLiteralAt offset: Int, plus place: Int, in pattern: String) -> Int {
        let literal = utf8.dropFirst(offset)
        let isOpening: (UInt8) -> Bool = { $0 == UInt8(ascii: "'") || $0 == UInt8(ascii: "\"") }
        guard let first = literal.firstIndex(where: isOpening) else { return offset }
        for content in [literal[first...].dropFirst(), literal[first...].dropFirst(3)]
        where content.starts(with: pattern.utf8) {
            return utf8.distance(from: utf8.startIndex, to: content.startIndex) + place
        }
        return offset
    }
}
