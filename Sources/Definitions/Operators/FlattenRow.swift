internal import CEL
internal import ReactiveGraph
internal import Support
internal import Values

/// `flatten: { from: mode, to: { eco: indoor_c, … }, otherwise: indoor_f }`, or
/// `flatten: { from: selected, node: "sensor.{value}.celsius" }`.
struct FlattenArgument: SourceArgument {
    /// The node whose value is the key: a string, or a number, boolean or null by its JSON text.
    let from: String
    /// Keys and the nodes they choose, in the order of the definition.
    let to: [(key: String, node: String)]
    /// In place of `to`: the name of the node, with `{value}` for the key.
    package let computedName: NamePattern?
    /// The node for all other keys; without it they are `not_a_key`.
    let otherwise: String?

    static let schema = Schema.mapping(fields).and(.oneOf([.requires(["to"]), .requires(["node"])]))
    private static let fields: [Schema.Field] = [
        .required("from", .node, "The node whose value is the key."),
        .optional(
            "to",
            .map(of: .node).with("minProperties", 1),
            "Keys and the nodes they choose."
        ),
        .optional(
            "node",
            .node,
            "Instead of 'to': the name of a member of a family, in which {value} stands for the key."
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
        if let computedName { text.append(contentsOf: ";\(computedName.text)".utf8) }
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
        let computedName = fields["node"].flatMap { reading.computedName($0, of: "node") }
        if reading.argument.entries != nil, (fields["to"] == nil) == (fields["node"] == nil) {
            reader.add(
                fields["to"] == nil ? "flatten needs 'to' or 'node'" : "flatten takes either 'to' or 'node'",
                at: reading.argument.position,
                hint:
                    "'to' lists keys and their nodes; 'node' is a name such as \"sensor.{value}.celsius\""
            )
        }
        return from.map {
            FlattenArgument(from: $0, to: to, computedName: computedName, otherwise: otherwise)
        }
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
            let text = keyText(key)
            do throws(HostError) {
                if let name = flatten.computedName, let node = try member(name, of: text) { return node }
            } catch {
                let noRoom =
                    error.code == .subLimit
                    ? Datum.fail("sub_limit", at: place, error.message)
                    : Datum.fail("too_large", at: place, error.message)
                return stand(for: noRoom)
            }
            return (chosen[text] ?? flatten.otherwise).flatMap(living) ?? stand(for: notAKey)
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
