/// The word somebody probably meant.
enum Suggestion {
    /// The closest of `words`, where one is close: at most a third of the letters differ.
    static func `for`(_ typed: String, among words: some Sequence<String>) -> String? {
        var best: (word: String, distance: Int)?
        for word in words {
            let distance = distance(Array(typed.lowercased().utf8), Array(word.lowercased().utf8))
            if distance < best?.distance ?? .max { best = (word, distance) }
        }
        guard let best, best.distance <= max(1, typed.utf8.count / 3) else { return nil }
        return best.word
    }

    /// How many letters must be inserted, removed or changed.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let change = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
