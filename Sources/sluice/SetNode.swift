internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import SluiceClient
internal import Support
internal import Values

struct SetNode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a mutable node.",
        discussion: """
            The value is JSON: 21.5, true, '"eco"'. With --string it is taken as text: eco --string. Prints the epoch and the revision of the commit.

            EXAMPLES
              sluice set house/indoor_c 21.5
              sluice set house/mode eco --string
              sluice set house/note '{"who":"alice","text":"hello"}' --context '{"src":"terminal"}'
              sluice set house/indoor_c 22 --if-match '"k3Zq:1031"'
            """
    )

    @Argument(help: "graph/node, or a node's URL.")
    var node: String

    // A list only so that a negative number is not mistaken for an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The value.", valueName: "value"))
    var values: [String]

    @Flag(help: "Take the value as a text.")
    var string = false

    @Option(help: "The commit's context, as JSON.")
    var context: String?

    @Option(help: "Where the value has been, as a JSON list; a node among these is not set.")
    var path: String?

    @Option(help: "Set only if the node's entity tag is still this one.")
    var ifMatch: String?

    @OptionGroup var options: ServiceOptions

    mutating func validate() throws {
        // `sluice set house/outdoor_c -- -4`: the parser leaves the mark in place.
        if values.first == "--" { values.removeFirst() }
    }

    func run() throws {
        let address = try NodeAddress(node, options)
        guard address.node != nil else { throw ValidationError("'\(node)' names a graph, not a node") }
        guard values.count == 1, let value = values.first else {
            throw ValidationError("one value is expected; quote it where it has spaces")
        }
        var fields: [(name: StaticString, value: String)] = []
        if let context { fields.append(("Sluice-Context", context)) }
        if let path { fields.append(("Sluice-Path", path)) }
        if let ifMatch { fields.append(("If-Match", ifMatch)) }
        let body = Array((string ? String(json: value) : try Self.json(value)).utf8)
        let answer = try Terminal.reporting {
            try ServiceRequest.put(body, to: address.path, at: address.service, fields: fields)
        }
        Terminal.print(answer.body)
    }

    /// The value if it is JSON, or a usage error that explains how to set text.
    private static func json(_ value: String) throws -> String {
        do {
            _ = try Datum.parse(value)
            return value
        } catch {
            throw ValidationError(
                "the value is not JSON: \(error.message). To set it as a text, add --string"
            )
        }
    }
}
