internal import ReactiveGraph
internal import Values

/// The section `nodes` of a graph: all nodes, and an order in which each comes after the nodes it
/// is made from.
struct NodeSection {
    /// The most declared nodes that all globs of a definition may match together (F-5).
    private static let mostMatches = 200_000

    private let reader: DocumentReader
    private(set) var nodes: [NodeDefinition] = []
    /// Indices into `nodes`.
    private(set) var order: [Int] = []
    let families: FamilyIndex
    /// The names in the order of the file; the sides of an `if` come right after its own name.
    private var names: [String] = []
    /// The index of each name; a member of a family that is named anywhere has the family's.
    private var index: [String: Int] = [:]
    /// The nodes that each is made from.
    private var upstream: [[NodeReference]] = []
    /// The glob of each node that has one, by its index.
    private var globs: [Int: GlobReference] = [:]
    /// The computed name of each node that has one, by its index.
    private var computed: [Int: ComputedReference] = [:]

    /// Reads the section; nil if a node cannot be used.
    init?(_ section: Document, _ ties: TieDefinitions, from reader: DocumentReader) {
        self.reader = reader
        guard let members = reader.members(section, of: "nodes") else { return nil }
        guard members.count <= reader.options.mostNodes else {
            reader.add(
                "a graph has at most \(reader.options.mostNodes) nodes",
                code: .tooLarge,
                at: section.position,
                hint: "limits.nodes"
            )
            return nil
        }
        let tied = Set(ties.syncs.flatMap { [$0.a, $0.b] } + ties.links.map(\.to))
        reader.types = KnownTypes(declaredIn: members, except: tied)
        defer { reader.types = KnownTypes() }
        var sidePlaces: [String: Position] = [:]
        for (name, entry) in members {
            var node = NodeReading(name, entry, from: reader)
            for definition in node.definitions() {
                nodes.append(definition)
                // For the nodes that come after it in the file.
                if case .derived(let derived) = definition.kind, !tied.contains(name) {
                    reader.types[node: definition.name] = derived.type
                }
            }
            globs[names.count] = node.glob
            computed[names.count] = node.computed
            names.append(name)
            upstream.append(node.references)
            for side in node.newNodes {
                names.append(side.node)
                sidePlaces[side.node] = side.position
                upstream.append([NodeReference(node: name, position: side.position)])
            }
        }
        for (place, name) in names.enumerated() {
            if index[name] == nil {
                index[name] = place
            } else {
                reader.add("a node '\(name)' exists already", at: sidePlaces[name] ?? .start)
            }
        }
        families = FamilyIndex(of: names, index)
        checkReferences()
        connectGlobs()
        connectComputedNames()
        checkCases()
        checkOverlaps()
        sort()
        guard nodes.count == names.count else { return nil }
    }

    /// Reports names of nodes that do not exist, and removes them.
    private mutating func checkReferences() {
        for place in upstream.indices {
            for reference in upstream[place] where index[reference.node] == nil {
                if let family = families.place(of: reference.node) {
                    index[reference.node] = family
                    continue
                }
                reader.addUnknown(node: reference.node, among: names, at: reference.position)
            }
            upstream[place].removeAll { index[$0.node] == nil }
        }
    }

    /// Orders each node with a glob after all nodes that the glob matches; reports a glob that
    /// matches none.
    private mutating func connectGlobs() {
        guard !globs.isEmpty else { return }
        let definitions = Dictionary(nodes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var known: [String: [String]] = [:]
        var left = Self.mostMatches
        for (place, reference) in globs.sorted(by: { $0.key < $1.key }) {
            let glob = reference.glob
            let groups = try? NamePattern(glob)
            let meant =
                known[glob]
                ?? names.filter { groups?.includes($0) ?? GlobOverlap.overlaps(glob, $0) }
            known[glob] = meant
            left -= meant.count
            guard left >= 0 else {
                return reader.add(
                    "the globs of this graph match more than \(Self.mostMatches) nodes together",
                    code: .tooLarge,
                    at: reference.position
                )
            }
            upstream[place] += meant.map { NodeReference(node: $0, position: reference.position) }
            guard groups == nil else {
                if let groups { connect(place, to: groups, at: reference.position) }
                continue
            }
            if meant.isEmpty {
                reader.add(
                    "'\(glob)' matches no node and no family",
                    code: .unknownNode,
                    at: reference.position
                )
            }
            definitions[names[place]]?.matches = meant.filter { !NamePattern.isPattern($0) }.sorted()
        }
    }

    /// Orders a family after the one that it joins by groups (X-6); reports a name that belongs to
    /// none.
    private mutating func connect(_ node: Int, to joined: NamePattern, at position: Position) {
        guard let place = families.place(of: joined.text), let family = try? NamePattern(names[place])
        else {
            return reader.addUnknown(
                node: joined.text,
                among: names.filter(NamePattern.isPattern),
                at: position
            )
        }
        upstream[node].append(NodeReference(node: family.text, position: position))
        let own = (try? NamePattern(names[node]))?.placeholders ?? []
        for placeholder in joined.placeholders
        where !own.contains(placeholder) && !family.placeholders.contains(placeholder) {
            reader.add(
                "{\(placeholder)} is neither in '\(names[node])' nor in '\(family.text)'",
                at: position,
                hint: "a placeholder that is joined has the name that it has in the family"
            )
        }
    }

    /// Orders each node with a computed name after all families and declared nodes that it may
    /// follow; reports a name that fits no family (X-9).
    private mutating func connectComputedNames() {
        guard !computed.isEmpty else { return }
        let definitions = Dictionary(nodes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        // Declared nodes stand in the place of members.
        var declared: [Int: [String]] = [:]
        for name in names where !NamePattern.isPattern(name) {
            if let family = families.place(of: name) { declared[family, default: []].append(name) }
        }
        var left = Self.mostMatches
        for (place, reference) in computed.sorted(by: { $0.key < $1.key }) {
            let pattern = reference.pattern
            let meant = families.places(overlapping: pattern)
            let candidates = meant.flatMap { declared[$0] ?? [] }
            left -= meant.count + candidates.count
            guard left >= 0 else {
                return reader.add(
                    "the computed names of this graph could mean more than \(Self.mostMatches) nodes together",
                    code: .tooLarge,
                    at: reference.position
                )
            }
            guard !meant.isEmpty else {
                reader.add(
                    "no family has members with names such as '\(pattern.text)'",
                    code: .unknownNode,
                    at: reference.position,
                    hint: "a computed name chooses a member of a family; 'to' lists single nodes"
                )
                continue
            }
            let followable =
                meant.map { names[$0] } + candidates.filter { pattern.values(of: $0) != nil }
            upstream[place] += followable.map { NodeReference(node: $0, position: reference.position) }
            definitions[names[place]]?.followable = followable.sorted()
        }
    }

    /// Reports the first case above the limit of each switch.
    private func checkCases() {
        let switchKeys = reader.options.switchKeys
        var cases: [String: Int] = [:]
        for node in nodes {
            guard case .derived(let derived) = node.kind, let of = derived.source.argument.caseOf else {
                continue
            }
            cases[of, default: 0] += 1
            if cases[of] == switchKeys + 1 {
                reader.add(
                    "a switch has at most \(switchKeys) cases",
                    at: node.position,
                    hint: "limits.switchKeys"
                )
            }
        }
    }

    /// Reports families that could have a member with the same name (F-2).
    private func checkOverlaps() {
        let families = PatternTrie()
        var compared = 0
        for (place, node) in nodes.enumerated() {
            guard let pattern = node.pattern else { continue }
            for family in families.candidates(for: pattern.text).sorted(by: { $0.place < $1.place }) {
                let other = nodes[family.place]
                compared += 1
                // Only as many pairs of families are compared as take no noticeable time.
                guard compared <= 4_000_000 else {
                    let message = "too many families of this graph have names that begin alike"
                    return reader.add(message, at: node.position)
                }
                guard pattern.overlaps(family.pattern) else { continue }
                reader.add(
                    "'\(node.name)' and '\(other.name)' could match the same name",
                    at: node.position,
                    hint: "the other one is in line \(other.position.line)"
                )
            }
            families.insert(PatternTrie.Family(pattern: pattern, place: place))
        }
    }

    /// Sets the order; reports nodes that are made from themselves.
    private mutating func sort() {
        let result = NodeOrder(names: names, upstream: upstream, index: index)
        for cycle in result.cycles {
            reader.add(
                "a node cannot be made from itself: \(cycle.names.joined(separator: " → "))",
                at: cycle.position,
                hint: globs.values.contains { $0.position == cycle.position }
                    ? "the glob must match neither the node itself nor what is made from it"
                    : computed.keys.contains { cycle.names.contains(names[$0]) }
                        ? "the computed name must choose neither the node itself nor what is made from it"
                        : "declare an edge that closes a cycle under 'links'"
            )
        }
        order = result.sorted
    }
}

extension NamePattern {
    /// Whether a declared node of that name stands in the place of a member.
    fileprivate func includes(_ name: String) -> Bool {
        !Self.isPattern(name) && values(of: name) != nil
    }
}
