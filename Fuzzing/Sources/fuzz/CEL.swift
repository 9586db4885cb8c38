import CEL
import SluiceServer

extension Target {
    /// Expressions: a value or an error within the budget; what is accepted can be written down and
    /// read again.
    static let cel = Target(name: "cel") { bytes in
        guard let source = String(validating: bytes, as: UTF8.self) else { return }
        let variables = [Variable("value"), Variable("list"), Variable("map")]
        let arguments: [Value] = [21.5, [1, 2.5, "a", true, .null, [1]], ["a": 1, "b": ["c": "x"]]]
        for strict in [false, true] {
            var options = Options.system(strict: strict)
            options.cost = 2_000
            guard let program = try? Program(source, variables: variables, options: options) else { continue }
            _ = try? program.evaluate(arguments)
            let canonical = program.canonicalText
            guard let again = try? Program(canonical, variables: variables, options: options) else {
                fatalError("the canonical text is refused: \(canonical)")
            }
            require(again.canonicalText == canonical, "another canonical text: \(again.canonicalText)")
        }
    }
}
