public import CEL

/// Regular expressions by RE2, whose searches take time linear in the text.
///
/// Equal patterns are one. Those of expressions and checks are held by them and counted: there may be so many different ones at
/// a time. Those that are known only while an expression is evaluated are remembered for a while, a fixed number of them.
public final class RE2Engine: RegexEngine {
    /// The largest number of different patterns in expressions and checks.
    public let most: Int
    /// Bytes one pattern may take, with what it remembers while searching.
    public let memoryBytes: Int

    private struct Entry {
        weak var pattern: RE2Pattern?
    }

    /// Patterns that somebody holds.
    private var live: [String: Entry] = [:]
    private var recent: [RE2Pattern] = []
    private var nextRecent = 0
    private static let recentCount = 64

    /// An engine without patterns.
    public init(most: Int = 1000, memoryBytes: Int = 256 * 1024) {
        self.most = most
        self.memoryBytes = memoryBytes
    }

    /// How many different patterns are held at present.
    public var count: Int { live.count }

    public func cost(ofCompiling pattern: String) -> Int {
        PatternCost.units(for: pattern)
    }

    public func matcher(for pattern: String, isKept: Bool) throws(RegexProblem) -> any RegexMatcher {
        if let known = live[pattern]?.pattern { return known }
        if isKept, live.count >= most + recent.count {
            throw RegexProblem("\(most) different patterns are in use already (limits.patterns)")
        }
        let made = try RE2Pattern(pattern, memoryBytes: memoryBytes) { [weak self] text in
            self?.live[text] = nil
        }
        live[pattern] = Entry(pattern: made)
        if !isKept { remember(made) }
        return made
    }

    /// Holds a pattern until as many others have come as are remembered.
    private func remember(_ pattern: RE2Pattern) {
        guard recent.count == Self.recentCount else { return recent.append(pattern) }
        recent[nextRecent] = pattern
        nextRecent = (nextRecent + 1) % Self.recentCount
    }
}
