import Support

/// Something that takes any bytes: it must neither trap, nor read beyond them, nor break the
/// properties it states.
struct Target: Sendable {
    let name: String
    let run: @Sendable (BorrowedBytes) -> Void

    static let all: [Target] = [
        .request, .response, .frames, .yaml, .json, .jose, .message, .cel,
    ]
}

/// Ends the run where a property does not hold; libFuzzer then keeps the input.
func require(_ claim: Bool, _ sentence: @autoclosure () -> String) {
    guard claim else { fatalError(sentence()) }
}

extension BorrowedBytes {
    /// The first `count` bytes, which choose the settings of a run, and the rest, its input.
    func settings(_ count: Int) -> (settings: [UInt8], input: BorrowedBytes)? {
        guard self.count >= count else { return nil }
        return (Array(self[..<count]), self.part(count...))
    }

    /// The bytes cut into pieces, each in memory of its own and of exactly its size, freed after
    /// the call: the address sanitizer sees whatever outlives its input.
    func inPieces(of size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Bool) {
        var start = 0
        while start < count {
            let end = Swift.min(start + Swift.max(size, 1), count)
            let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: end - start, alignment: 1)
            defer { piece.deallocate() }
            piece.copyMemory(from: part(start..<end).buffer)
            guard body(piece) else { return }
            start = end
        }
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
