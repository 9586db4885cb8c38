import Definitions
import Values

/// A JSON text in which `¦` stands before every place where a problem is expected.
struct Marked {
    /// The text without the marks.
    let text: String
    /// The places that were marked, in order; a place marked twice comes twice.
    let places: [Position]

    init(_ marked: String) {
        var text = ""
        var places: [Position] = []
        var (line, column) = (1, 1)
        for character in marked {
            switch character {
            case "¦":
                places.append(Position(line: line, column: column))
                continue
            case "\n":
                (line, column) = (line + 1, 1)
            default:
                column += 1
            }
            text.append(character)
        }
        self.text = text
        self.places = places
    }

    /// What must be reported: `messages` at the marked places, as `line:column: message (hint)`.
    func expected(_ messages: [String]) -> [String] {
        guard messages.count == places.count else {
            return ["\(places.count) marks, \(messages.count) messages"]
        }
        return zip(places, messages).map { "\($0.line):\($0.column): \($1)" }
    }

    /// What is reported for this text as a graph.
    func found(options: DefinitionOptions = DefinitionOptions()) throws -> [String] {
        let document = try Document.parse(json: text)
        let (definition, problems) = GraphDefinition.read(document, file: nil, options: options)
        return (definition == nil) == problems.isEmpty
            ? ["a definition and problems exclude each other"] : problems.map(\.description)
    }
}
