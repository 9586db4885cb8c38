internal import ArgumentParser
internal import CEL
internal import CommandSupport
internal import SluiceServer
internal import Support
internal import Values

struct Eval: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eval",
        abstract: "Evaluate an expression and print its value as JSON.",
        discussion: """
            Names are given with --bind. Numbers from JSON are doubles, as in a graph. A mistake in the expression is \
            shown with its place, and the exit code is 1.

            EXAMPLES
              sluice eval 'math.round(value * 9 / 5 + 32)' --bind value=21.5
              sluice eval '{"warm": rooms.filter(r, r.c > 20).map(r, r.name)}' --bind 'rooms=[{"name":"hall","c":22}]'
            """
    )

    // A list only so that an expression may begin with a minus.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The expression, in the Common Expression Language.", valueName: "expression")
    )
    var expressions: [String] = []

    @Option(name: .long, help: ArgumentHelp("A name the expression may use.", valueName: "name=JSON"))
    var bind: [String] = []

    @Flag(help: "Exactly the published standard: int, uint and double do not mix.")
    var strict = false

    mutating func validate() throws {
        // `sluice eval -- -x`: the parser leaves the mark in place.
        if expressions.first == "--" { expressions.removeFirst() }
        guard expressions.count == 1 else {
            throw ValidationError("one expression is needed; quote it for the shell")
        }
    }

    func run() throws {
        let (expression, options) = (expressions[0], Options.system(strict: strict))
        let bindings = try bind.map(Eval.binding)
        switch Evaluation.run(expression, bindings, options) {
        case .value(let value):
            do throws(JSONError) {
                Terminal.print(try Eval.json(value))
            } catch {
                Terminal.note("expr_bad_value: \(error.explanation)")
                throw ExitCode(1)
            }
        case .problems(let problems):
            for problem in problems {
                Terminal.note(text: "\(problem.code.rawValue) at \(problem.rendered(in: expression))")
            }
            throw ExitCode(1)
        case .failure(let error):
            Terminal.note(text: "\(error.code.rawValue) at \(error.rendered(in: expression))")
            throw ExitCode(1)
        }
    }

    /// Reads `name=JSON`.
    private static func binding(_ text: String) throws -> (name: String, value: Value) {
        guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
            throw ValidationError("--bind '\(text)' is not of the form name=JSON")
        }
        let name = String(text[..<equals])
        let bytes = Array(text[text.index(after: equals)...].utf8)
        do {
            return (name, try bytes.withBorrowedBytes { try JSONTree.parse($0) })
        } catch {
            let reason = (error as? JSONError)?.explanation ?? "\(error)"
            throw ValidationError("--bind \(name): the value is not JSON (\(reason)); quote strings")
        }
    }

    private static func json(_ value: Value) throws(JSONError) -> String {
        var bytes: [UInt8] = []
        try JSONWriter.append(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
