/// Guesses which known word was meant by an unknown one.
package enum Spelling {
    /// `did you mean 'x'?` for the nearest of `words`; nil if none is near enough.
    package static func hint(for word: String, among words: some Sequence<String>) -> String? {
        nearest(to: word, among: words).map { "did you mean '\($0)'?" }
    }

    /// The nearest of `words`, when one is near enough: two letters away, in short words one, in
    /// long ones a third.
    ///
    /// Of equally near ones it is the one that begins most alike, then the first.
    package static func nearest(to word: String, among words: some Sequence<String>) -> String? {
        let typed = Array(word.lowercased().unicodeScalars.prefix(64))
        let limit = typed.count <= 3 ? 1 : max(2, typed.count / 3)
        var best: (distance: Int, prefix: Int, word: String)?
        for candidate in words {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(64))
            guard abs(other.count - typed.count) <= limit else { continue }
            let distance = distance(typed, other)
            guard distance <= limit else { continue }
            let prefix = zip(typed, other).prefix { $0 == $1 }.count
            if let best, (best.distance, -best.prefix) <= (distance, -prefix) { continue }
            best = (distance, prefix, candidate)
        }
        return best?.word
    }

    /// Letters to insert, drop, change or swap with their neighbour (optimal string alignment).
    private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var above = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var cost = min(above[j + 1] + 1, row[j] + 1, above[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            (before, above) = (above, row)
        }
        return above[b.count]
    }
}
