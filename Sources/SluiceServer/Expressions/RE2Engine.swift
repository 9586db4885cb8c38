public import CEL

/// Regular expressions by RE2, whose searches take time linear in the text.
///
/// Equal patterns are one. A pattern is kept for as long as it is held, and the last few that came are kept besides, with those that
/// were refused: a pattern that is asked for again and again is compiled once.
public final class RE2Engine: RegexEngine {
    /// Bytes one pattern may take, with what it remembers while searching.
    static let memoryBytes = 256 * 1024
    /// How many of the last patterns are kept besides those that are held.
    static let recentCount = 64

    /// How many times RE2 was given a pattern.
    private(set) var compilations = 0

    private struct Live {
        weak var pattern: RE2Pattern?
    }

    private struct Recent {
        let text: String
        let result: Result<RE2Pattern, RegexProblem>
    }

    private var live: [String: Live] = [:]
    private var refused: [String: RegexProblem] = [:]
    private var recent: [Recent] = []
    private var nextRecent = 0

    /// An engine without patterns.
    public init() {}

    /// How many different patterns are kept at present.
    public var count: Int { live.count }

    public func work(of pattern: String) -> Int { RE2Work.units(of: pattern) }

    public func has(_ pattern: String) -> Bool {
        live[pattern]?.pattern != nil || refused[pattern] != nil
    }

    public func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        if let known = live[pattern]?.pattern { return known }
        if let problem = refused[pattern] { throw problem }
        compilations += 1
        let result = Result { () throws(RegexProblem) in
            try RE2Pattern(pattern, memoryBytes: Self.memoryBytes) { [weak self] text in
                self?.live[text] = nil
            }
        }
        switch result {
        case .success(let made): live[pattern] = Live(pattern: made)
        case .failure(let problem): refused[pattern] = problem
        }
        remember(Recent(text: pattern, result: result))
        return try result.get()
    }

    /// Keeps what came of a pattern until as many others have come as are remembered.
    private func remember(_ latest: Recent) {
        guard recent.count == Self.recentCount else { return recent.append(latest) }
        let former = recent[nextRecent]
        if case .failure = former.result { refused[former.text] = nil }
        recent[nextRecent] = latest
        nextRecent = (nextRecent + 1) % Self.recentCount
    }
}
