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

/// RE2, but each pattern is met for the first time.
private final class ForgetfulEngine: RegexEngine {
    func work(of pattern: String) -> Int { RE2Engine().work(of: pattern) }

    func has(_ pattern: String) -> Bool { false }

    func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher {
        try RE2Engine().matcher(for: pattern)
    }
}
