import CEL
import SluiceServer

/// A program with the arguments it is measured with.
struct Subject {
    let program: Program
    let arguments: [Value]

    /// Nil where the text is no program.
    init?(_ source: String, reading inputs: [Input], options: Options) {
        let variables = inputs.map { Variable($0.name) }
        guard let program = try? Program(source, variables: variables, options: options) else { return nil }
        self.program = program
        arguments = inputs.map(\.value)
    }
}

extension Options {
    /// As the server has them, for programs that are measured.
    static var measured: Options { Options(regex: ForgetfulEngine(), zones: SystemTimeZones()) }
}

/// RE2, but each pattern that is known only to an evaluation is met for the first time.
private final class ForgetfulEngine: RegexEngine {
    private let kept = RE2Engine(most: .max / 2)

    func cost(ofCompiling pattern: String) -> Int {
        kept.cost(ofCompiling: pattern)
    }

    func matcher(for pattern: String, isKept: Bool) throws(RegexProblem) -> any RegexMatcher {
        try (isKept ? kept : RE2Engine()).matcher(for: pattern, isKept: isKept)
    }
}
