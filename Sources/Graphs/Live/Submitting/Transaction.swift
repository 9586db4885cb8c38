internal import CEL
internal import Definitions
internal import Support
package import Values

/// What a commit says about the state before it: expressions, and globs of nodes to clear
///
///
/// It is decided when the commit is checked, and again if commits of other servers came in between
/// (``Commit/decide()``).
package struct Transaction {
    /// An expression, and what it was compiled to.
    struct Formula {
        let text: FormulaText
        let program: Program
    }

    /// A node, and the expression for its next value.
    struct Update {
        var node: NamedNode
        let formula: Formula
    }

    /// The sets and clears that do not depend on the state.
    private(set) var set = Assignments()
    private(set) var clear: [NamedNode] = []
    private(set) var updates: [Update] = []
    /// What the expressions see besides the node's own value, in the order of their variables.
    private(set) var with: [(name: String, node: NamedNode)]
    private(set) var condition: Formula?
    let globs: [String]
    /// The caller: globs mean what it may read and set.
    let access: Access

    /// What a commit depends on, whose sets and clears have been read.
    ///
    /// `texts` are its expressions, and `parsed` what another thread has made of them.
    ///
    /// - Throws: `unknown_node` or `forbidden` for a node that it updates and the caller may not
    ///   set and read; the problems of the expressions.
    package init(
        of commit: Commit,
        with: [(name: String, node: NamedNode)],
        _ texts: [FormulaText],
        _ parsed: ParsedPipeline?,
        globs: [String],
        for view: GraphView
    ) throws(HostError) {
        (set, clear, access) = (commit.set, commit.clear, view.access)
        (self.with, self.globs) = (with, globs)
        var nodes: [NamedNode?] = []
        for text in texts {
            guard let name = text.node else {
                nodes.append(nil)
                continue
            }
            nodes.append(try view.node(view.graph.node(name), named: name, to: [.set, .read]))
        }
        let programs = try PipelineParser(view.graph.host, parsed).formulas(texts)
        for (place, program) in programs.enumerated() {
            let formula = Formula(text: texts[place], program: program)
            if let node = nodes[place] {
                updates.append(Update(node: node, formula: formula))
            } else {
                condition = formula
            }
        }
    }

    /// Leaves nodes alone, as the commit does already.
    mutating func leave(
        _ passed: Set<ObjectIdentifier>,
        _ set: Assignments,
        _ clear: [NamedNode]
    ) {
        (self.set, self.clear) = (set, clear)
        updates.removeAll { passed.contains(ObjectIdentifier($0.node)) }
    }

    /// The nodes that the expressions take.
    var taken: [NamedNode] {
        let formulas = updates.map(\.formula) + (condition.map { [$0] } ?? [])
        let named = with.indices.filter { place in formulas.contains { $0.program.takes(place) } }
        return named.map { with[$0].node } + updates.filter(takesOwn).map(\.node)
    }

    private func takesOwn(_ update: Update) -> Bool { update.formula.program.takes(with.count) }

    var isCurrent: Bool {
        updates.allSatisfy(\.node.isCurrent) && with.allSatisfy(\.node.isCurrent)
            && clear.allSatisfy(\.isCurrent)
    }

    /// Looks up family members again; see ``Commit/renewMembers()``.
    mutating func renewMembers() {
        set = set.renewed
        clear = clear.map(\.present)
        for place in updates.indices { updates[place].node = updates[place].node.present }
        for place in with.indices { with[place].node = with[place].node.present }
    }

    /// Adds what it says to the hash of a change.
    func add(to hash: inout FNV128) {
        for (name, node) in with { hash.add("with \(name) \(node.name)") }
        for update in updates {
            hash.add("update \(update.node.name)")
            hash.add(update.formula.text.text)
        }
        if let condition {
            hash.add("if")
            hash.add(condition.text.text)
        }
        for glob in globs { hash.add("clear \(glob)") }
    }
}
