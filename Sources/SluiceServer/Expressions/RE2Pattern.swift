internal import CEL
internal import CRE2

/// One regular expression, compiled by RE2.
///
/// Searching takes time linear in the text, without backtracking. At worst each byte costs a step
/// for every instruction of the program, which ``cost(ofBytes:)`` assumes unless the program is
/// small.
@safe final class RE2Pattern: RegexMatcher, Sendable {
    let text: String
    /// RE2 allows concurrent searches.
    nonisolated(unsafe) private let compiled: OpaquePointer
    private let unitsPerEightBytes: Int
    private let unitsPerSearch: Int
    /// A program this small has so few states that RE2 keeps them all: then a byte is one step.
    ///
    /// A larger one may have more states than fit in memory, and then each byte costs a step for
    /// each instruction.
    private static let fewInstructions = 10
    /// Called when the pattern is destroyed.
    private let onEnd: @Sendable (String) -> Void

    /// Compiles `text` to a program that takes at most `memoryBytes` with its search cache.
    init(_ text: String, memoryBytes: Int, onEnd: @escaping @Sendable (String) -> Void) throws(RegexProblem) {
        var pattern: OpaquePointer?
        var problem = cre2_problem()
        var source = text
        _ = source.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe cre2_compile($0.baseAddress, $0.count, Int64(memoryBytes), &pattern, &problem)
            }
        }
        guard let pattern = unsafe pattern else {
            let message = unsafe withUnsafeBytes(of: &problem.message) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw RegexProblem(message, at: problem.offset)
        }
        self.text = text
        self.onEnd = onEnd
        unsafe compiled = unsafe pattern
        let instructions = unsafe Int(cre2_instructions(pattern))
        unitsPerEightBytes = instructions <= RE2Pattern.fewInstructions ? 3 : 5 * instructions / 2
        unitsPerSearch = 10 + instructions / 16
    }

    deinit {
        unsafe cre2_free(compiled)
        onEnd(text)
    }

    func cost(ofBytes count: Int) -> Int {
        let (product, isTooMuch) = count.multipliedReportingOverflow(by: unitsPerEightBytes)
        return isTooMuch ? .max : product / 8 + unitsPerSearch
    }

    func isFound(in text: String) throws(RegexProblem) -> Bool {
        var text = text
        let found = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe cre2_find(compiled, $0.baseAddress, $0.count)
            }
        }
        guard found >= 0 else { throw RegexProblem("there was no memory for the search") }
        return found == 1
    }
}
