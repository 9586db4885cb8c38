extension RegexMatcher {
    /// Searches `text`, within the budget.
    func search(_ text: String, _ meter: inout Meter) throws(Failure) -> Bool {
        try meter.spend(cost(ofBytes: text.utf8.count))
        do throws(RegexProblem) {
            return try isFound(in: text)
        } catch {
            throw .badValue(error.sentence)
        }
    }
}

extension Meter {
    /// Compiles a pattern that is known only now.
    ///
    /// That costs the same whether the engine remembers the pattern or not.
    mutating func matcher(for pattern: String) throws(Failure) -> any RegexMatcher {
        guard let regex else { throw .type("there is no engine for regular expressions") }
        // To read off what it takes is paid for first.
        try spend(bytes: pattern.utf8.count)
        try spend(regex.work(of: pattern))
        do throws(RegexProblem) {
            return try regex.matcher(for: pattern)
        } catch {
            throw .badValue(error.sentence)
        }
    }
}
