internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// `flatten: { from: mode, to: { eco: indoor_c, … }, otherwise: indoor_f }`.
struct FlattenArgument: SourceArgument {
    /// The node whose value is the key: a string, or a number, boolean or null by its JSON text.
    let from: String
    /// Keys and the nodes they choose, in the order of the definition.
    let to: [(key: String, node: String)]
    /// The node for all other keys; without it they are `not_a_key`.
    let otherwise: String?

    static let schema = Schema.mapping(fields)
    private static let fields: [Schema.Field] = [
        .required("from", .node, "The node whose value is the key."),
        .required(
            "to",
            .map(of: .node).with("minProperties", 1),
            "Keys and the nodes they choose."
        ),
        .optional("otherwise", .node, "The node for all other keys."),
    ]

    var inputs: [String] { [from] }
    var branching: Branching? { .chosen }
    package var passesOn: Bool { true }
    var choices: [String] { to.map(\.node) + (otherwise.map { [$0] } ?? []) }

    var canonical: String {
        var text = Array(from.utf8)
        for (key, node) in to {
            text.append(UInt8(ascii: ";"))
            text.append(json: key)
            text.append(contentsOf: "=\(node)".utf8)
        }
        return String(decoding: text, as: UTF8.self) + (otherwise.map { ";else=\($0)" } ?? "")
    }

    static func read(_ reading: SourceReading) -> FlattenArgument? {
        let reader = reading.reader
        let fields = reading.fields(Self.fields)
        let from = reading.node("from", in: fields)
        let otherwise = reading.node("otherwise", in: fields)
        let members = fields["to"].flatMap { reader.members($0, of: "to") } ?? []
        let to = members.compactMap { key, entry in
            reading.node(entry.value, of: "'\(key)'").map { (key: key, node: $0) }
        }
        if let place = fields["to"], place.entries?.isEmpty == true {
            reader.add("'to' must name at least one node", at: place.position)
        }
        return from.map { FlattenArgument(from: $0, to: to, otherwise: otherwise) }
    }
}

extension StageMaker {
    /// The node that another node's value names (G-77).
    ///
    /// It is built when it is chosen and released when another one is chosen.
    func flattened(_ flatten: FlattenArgument, from outer: Node<Datum>) -> Node<Datum> {
        let chosen = Dictionary(flatten.to.map { ($0.key, $0.node) }, uniquingKeysWith: { first, _ in first })
        let notAKey = Datum.fail("not_a_key", at: place, "no node belongs to this key")
        return outer.flattenMap { [self] key in
            // A failure is passed on: it replaces the chosen node.
            if key.isFail { return stand(for: key) }
            return (chosen[keyText(key)] ?? flatten.otherwise).flatMap(living) ?? stand(for: notAKey)
        }
    }

    /// A stand-in that is followed while no node is chosen; part of the stage.
    private func stand(for failure: Datum) -> Node<Datum> {
        let node = core.node(failure)
        hide(node)
        return node
    }
}

/// How a key is written in `to`: a string as its content, anything else as its JSON text.
private func keyText(_ key: Datum) -> String {
    if key.kind == .string, case .string(let text) = key.tree { text } else { key.text }
}
