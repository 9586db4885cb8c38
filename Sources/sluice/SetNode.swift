internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient
internal import Support
internal import Values

struct SetNode: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set a mutable node, or compute its next value.",
        discussion: """
            The value is JSON: 21.5, true, '"eco"'. With --string it is taken as text: eco --string. Prints the epoch and the revision of the commit.

            With --update an expression (CEL) gives the next value: 'value' is the present one, null if there is none, and --with gives it other nodes. With --if nothing is set unless that expression is true.

            EXAMPLES
              sluice set house/indoor_c 21.5
              sluice set house/mode eco --string
              sluice set house/note '{"who":"alice","text":"hello"}' --context '{"src":"terminal"}'
              sluice set house/indoor_c 22 --if-match '"k3Zq:1031"'
              sluice set house/visits --update 'value + 1'
              sluice set bank/account.7 --update 'value - 10' --if 'a >= 10' --with a=account.7
            """
    )

    @Argument(help: "graph/node, or a node's URL.")
    var node: String

    // A list only so that a negative number is not mistaken for an option.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The value.", valueName: "value"))
    var values: [String] = []

    @Flag(help: "Take the value as a text.")
    var string = false

    @Option(help: ArgumentHelp("An expression for the next value.", valueName: "expression"))
    var update: String?

    @Option(name: .customLong("if"), help: ArgumentHelp("Only if this is true.", valueName: "expression"))
    var condition: String?

    @Option(help: ArgumentHelp("A node that expressions see under a name.", valueName: "name=node"))
    var with: [String] = []

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
        if update != nil || condition != nil || !with.isEmpty { return try change(address) }
        let value = try value
        var fields = remarks
        if let ifMatch { fields.append(("If-Match", ifMatch)) }
        let body = Array((string ? String(json: value) : try Self.json(value)).utf8)
        let answer = try Terminal.reporting {
            try ServiceRequest.put(body, to: address.path, at: address.service, fields: fields)
        }
        Terminal.print(answer.body)
    }

    /// The context and the path.
    private var remarks: [(name: StaticString, value: String)] {
        var fields: [(name: StaticString, value: String)] = []
        if let context { fields.append(("Sluice-Context", context)) }
        if let path { fields.append(("Sluice-Path", path)) }
        return fields
    }

    private var value: String {
        get throws {
            guard values.count == 1, let value = values.first else {
                throw ValidationError("one value is expected; quote it where it has spaces")
            }
            return value
        }
    }

    /// Makes a commit with expressions.
    private func change(_ address: NodeAddress) throws {
        guard ifMatch == nil else { throw ValidationError("--if-match is only for a value") }
        var body = ByteBuffer()
        body.append("{")
        let node = address.node ?? ""
        if let update {
            guard values.isEmpty, !string else {
                throw ValidationError("either a value or --update is expected")
            }
            body.member("update")
            body.append(object: [(node, String(json: update))])
        } else {
            let value = try value
            let json = string ? String(json: value) : try Self.json(value)
            body.member("set")
            body.append(object: [(node, json)])
        }
        if let condition { body.member("if", condition) }
        let names = try with.map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else {
                throw ValidationError("--with: NAME=NODE is expected, not '\(pair)'")
            }
            return (String(parts[0]), String(json: String(parts[1])))
        }
        if !names.isEmpty {
            body.member("with")
            body.append(object: names)
        }
        body.append("}")
        let answer = try Terminal.reporting {
            try ServiceRequest.post(
                Array(body.bytes),
                to: "/v1/graphs/\(address.graph)/batch",
                at: address.service,
                fields: remarks
            )
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

extension ByteBuffer {
    /// Appends an object; the values are JSON.
    fileprivate mutating func append(object members: [(key: String, value: String)]) {
        append("{")
        for (place, member) in members.enumerated() {
            if place > 0 { append(",") }
            append(json: member.key)
            append(":")
            append(utf8: member.value)
        }
        append("}")
    }
}
