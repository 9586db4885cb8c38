/// The regular expressions that stand as literals in what is read together: in one expression, one
/// request, one definition.
///
/// Equal ones are compiled once. How much work they may take and how many there may be is bounded
/// before the engine sees them; a pattern that the engine has already takes no work.
public final class LiteralPatterns {
    /// Units that have been spent on compiling, and on refusing.
    public private(set) var spent = 0

    private let engine: any RegexEngine
    private let units: Int
    private let count: Int
    private var known: [String: Result<any RegexMatcher, RegexProblem>] = [:]

    /// At most `count` different patterns for `engine`, of at most so many units of 20 ns.
    public init(_ engine: any RegexEngine, units: Int = .max, count: Int = .max) {
        self.engine = engine
        self.units = units
        self.count = count
    }

    /// Compiles `pattern`, unless it is known.
    ///
    /// - Throws: why the pattern cannot be used, with the code `pattern_limit` where only the
    ///   bounds are against it.
    public func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        if let known = known[pattern] { return try known.get() }
        guard known.count < count else {
            throw RegexProblem(
                "at most \(count) different regular expressions",
                code: .patternLimit,
                hint: "use fewer, or one with alternatives"
            )
        }
        let work = engine.has(pattern) ? 0 : engine.work(of: pattern)
        guard work <= units - spent else {
            let whole = work > units ? "this one takes \(work)" : "\(spent) are used, this one takes \(work)"
            throw RegexProblem(
                "compiling regular expressions may take \(units) units together: \(whole)",
                code: .patternLimit,
                hint: "classes such as \\pL and counted repetitions take the most"
            )
        }
        spent += work
        let result = Result { () throws(RegexProblem) in try engine.matcher(for: pattern) }
        known[pattern] = result
        return try result.get()
    }
}
