public import CEL
internal import Support

/// Regular expressions by RE2, whose searches take time linear in the text.
///
/// Equal patterns share one object on all threads. A pattern is kept while it is held; the most
/// recent ones are kept besides, including refused ones, so that a pattern that is used repeatedly
/// is compiled once.
public final class RE2Engine: RegexEngine, Sendable {
    /// The memory of one pattern, including its search cache.
    static let memoryBytes = 256 * 1024
    /// How many recent patterns are kept besides those that are held.
    static let recentCount = 64

    private struct Live {
        weak var pattern: RE2Pattern?
    }

    private struct Recent {
        let text: String
        let result: Result<RE2Pattern, RegexProblem>
    }

    private struct Table {
        var compilations = 0
        var live: [String: Live] = [:]
        var refused: [String: RegexProblem] = [:]
        var recent: [Recent] = []
        var nextRecent = 0

        func result(of pattern: String) -> Result<RE2Pattern, RegexProblem>? {
            if let known = live[pattern]?.pattern { return .success(known) }
            return refused[pattern].map { .failure($0) }
        }

        /// Keeps the result for a pattern until enough others have come.
        ///
        /// - Returns: the entry that is dropped; the caller must release it outside of the lock,
        ///   because a pattern that ends takes the lock.
        mutating func add(_ text: String, _ result: Result<RE2Pattern, RegexProblem>) -> Recent? {
            switch result {
            case .success(let made): live[text] = Live(pattern: made)
            case .failure(let problem): refused[text] = problem
            }
            let latest = Recent(text: text, result: result)
            guard recent.count == RE2Engine.recentCount else {
                recent.append(latest)
                return nil
            }
            let former = recent[nextRecent]
            if case .failure = former.result { refused[former.text] = nil }
            recent[nextRecent] = latest
            nextRecent = (nextRecent + 1) % RE2Engine.recentCount
            return former
        }
    }

    private let table = Locked(Table())

    /// An engine without patterns.
    public init() {}

    /// How many different patterns are kept at present.
    public var count: Int { table.withLock { $0.live.count } }

    /// How often RE2 compiled a pattern.
    var compilations: Int { table.withLock { $0.compilations } }

    public func work(of pattern: String) -> Int { RE2Work.units(of: pattern) }

    public func has(_ pattern: String) -> Bool {
        table.withLock { $0.result(of: pattern) } != nil
    }

    public func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        if let known = table.withLock({ $0.result(of: pattern) }) { return try known.get() }
        // Another thread may do the same; one of the two results is kept.
        let made = Result { () throws(RegexProblem) in
            try RE2Pattern(pattern, memoryBytes: Self.memoryBytes) { [weak self] text in self?.forget(text) }
        }
        let (result, _) = table.withLock { table in
            table.compilations += 1
            if let known = table.result(of: pattern) { return (known, Recent?.none) }
            return (made, table.add(pattern, made))
        }
        return try result.get()
    }

    /// A pattern has ended; another one with the same text may live.
    private func forget(_ text: String) {
        // It is taken out of the lock before it is released: if it holds the last reference to
        // another pattern, releasing that takes the lock too.
        _ = table.withLock { table in
            let other = table.live[text]?.pattern
            if other == nil { table.live[text] = nil }
            return other
        }
    }
}
