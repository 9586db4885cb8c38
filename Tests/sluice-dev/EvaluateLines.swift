internal import ArgumentParser
internal import CEL
internal import CommandSupport
internal import SluiceServer

/// Evaluates many expressions, for the conformance cases and the reference runtime.
struct EvaluateLines: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Evaluate requests from standard input, a line of JSON each, with typed values.",
        discussion: """
            EXAMPLES
              echo '{"id":1,"expr":"a + 1","bindings":{"a":{"type":"int","value":"41"}}}' | sluice-dev eval
            """
    )

    @Flag(help: "Exactly the published standard: int, uint and double do not mix.")
    var strict = false

    func run() {
        let batch = EvalBatch(options: .system(strict: strict))
        while let line = readLine() {
            if !line.isEmpty { Terminal.print(batch.answer(line)) }
        }
    }
}
