internal import Support

/// A text of at most 16 bytes as two numbers: equal texts have equal ones, and different texts
/// different ones.
struct ShortText: Equatable {
    static let longest = 16

    private let ends: TextEnds
    private let count: UInt64

    /// Nil for an empty text, and one that is too long.
    @inline(__always)
    init?(_ text: BorrowedBytes) {
        guard 1...Self.longest ~= text.count else { return nil }
        ends = TextEnds(text)
        count = UInt64(text.count)
    }

    var hash: UInt64 { (ends.first &* 31 ^ ends.last ^ count << 59) &* 0x9e37_79b9_7f4a_7c15 }
}

/// Finds which one of a few words a text is, without a comparison with each of them.
///
/// The words are the names of an enumeration's cases. A word stands at the place that its hash
/// says, or after it.
struct WordTable<Word: CaseIterable & Sendable>: Sendable {
    private struct Place: Sendable {
        let text: ShortText
        let word: Word
    }

    private let places: ContiguousArray<Place?>
    private let shift: UInt64

    /// A table of all cases.
    init() {
        var bits: UInt64 = 2
        while 1 << bits < 2 * Word.allCases.count { bits += 1 }
        shift = 64 - bits
        var places = ContiguousArray<Place?>(repeating: nil, count: 1 << bits)
        for word in Word.allCases {
            let name = String(describing: word)
            guard let text = name.withBorrowedBytes({ ShortText($0) }) else {
                preconditionFailure("\(name) is longer than \(ShortText.longest) bytes")
            }
            var place = Int(text.hash >> shift)
            while places[place] != nil { place = (place + 1) % places.count }
            places[place] = Place(text: text, word: word)
        }
        self.places = places
    }

    /// The word that these bytes spell; nil: none.
    @inline(__always)
    subscript(text: BorrowedBytes) -> Word? {
        guard let text = ShortText(text) else { return nil }
        var place = Int(text.hash >> shift)
        while let candidate = places[place] {
            if candidate.text == text { return candidate.word }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// The word that a string of a message says, however it is written.
    @inline(__always)
    subscript(text: JSONTextSlice) -> Word? {
        if let word = self[text.inside] { return word }
        return text.hasEscapes ? text.withUTF8 { self[$0] } : nil
    }
}
