internal import CEL
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

// What depends on the state before a commit is computed when it is checked. Pending
// commits count as applied.
extension Commit {
    /// Whether it depends on what becomes of a commit on its way: because that may change a value
    /// that it needs over a tie, or because that is newer than what it leads to the same node.
    var awaitsPending: Bool {
        if birth != 0 { return (set.first?.node ?? clear.first)?.pending.map { $0.birth > birth } ?? false }
        guard let transaction, !graph.ties.all.isEmpty else { return false }
        return transaction.taken.contains { if case .unknown = $0.coming.value { true } else { false } }
    }

    /// Evaluates its expressions and finds the nodes that its globs mean, for the present state.
    ///
    /// - Throws: `conflict` if its condition does not hold; `bad_field` if it changes a node in two
    ///   ways; `too_large`; the errors of its expressions.
    mutating func decide() throws(HostError) {
        guard let transaction else { return }
        set = transaction.set
        clear = transaction.clear
        for update in transaction.updates { try CommitCheck.checkSettable(update.node, self) }
        for (_, node) in transaction.with { try Conditions.requireMutable(node, of: self, "with") }
        try requireOneChange(of: transaction)
        var evaluation = FormulaEvaluation(transaction, of: graph.host)
        defer { graph.host.work += UInt64(evaluation.spent / NodeBuilder.unitsPerNode) }
        if let condition = transaction.condition { try evaluation.require(condition) }
        var results = ByteBuffer()
        for update in transaction.updates {
            let value = try evaluation.result(of: update)
            set.append(Assignment(update.node, value))
            results.append(results.bytes.isEmpty ? "{" : ",")
            results.append(json: update.node.name)
            results.append(":")
            value.withBytes { results.append($0) }
            guard results.bytes.count <= graph.host.limits.answerBytes else {
                throw HostError(.tooLarge, "the results are larger than an answer (limits.answer)")
            }
        }
        if !results.bytes.isEmpty { results.append("}") }
        self.results = Array(results.bytes)
        if !transaction.globs.isEmpty { clear += try matches(of: transaction) }
    }

    private func requireOneChange(of transaction: Transaction) throws(HostError) {
        guard transaction.set.count > 0 || !transaction.clear.isEmpty else { return }
        let updated = Set(transaction.updates.map { ObjectIdentifier($0.node) })
        func refuse(_ node: NamedNode, _ word: String) throws(HostError) {
            guard updated.contains(ObjectIdentifier(node)) else { return }
            throw HostError(.badField, "\(node.name): either \(word) it or update it", node: node.name)
        }
        try transaction.set.forEachNode { (node) throws(HostError) in try refuse(node, "set") }
        for node in transaction.clear { try refuse(node, "clear") }
    }

    /// The most nodes that the globs of one commit clear.
    static var mostMatches: Int { 10_000 }

    /// The nodes that its globs mean: those that the caller may read and set, unless the commit
    /// changes them otherwise.
    private func matches(of transaction: Transaction) throws(HostError) -> [NamedNode] {
        let isPassed = path.map { PathNames(of: graph).passed(by: $0) }
        var seen = Set(setNodes.map(ObjectIdentifier.init)).union(clear.map(ObjectIdentifier.init))
        var found: [NamedNode] = []
        var steps = 0
        defer { graph.host.work += UInt64(steps / GlobSteps.perWork) }
        for glob in transaction.globs {
            try forEachNode(matching: glob, &steps) { (node) throws(HostError) in
                guard node.isSettable, transaction.access.rights(on: node).contains([.read, .set]),
                    seen.insert(ObjectIdentifier(node)).inserted,
                    isPassed?(node) != true
                else { return }
                found.append(node)
                guard found.count <= Self.mostMatches else {
                    let message = "the globs mean more than \(Self.mostMatches) nodes; clear them in parts"
                    throw HostError(.tooLarge, message)
                }
            }
        }
        return found
    }

    /// Visits the nodes that a glob matches: the declared ones, the family members that have a
    /// value, and those that pending commits will create.
    ///
    /// - Throws: what `visit` throws; `sub_limit` if comparing names takes too many steps.
    private func forEachNode(
        matching glob: String,
        _ steps: inout Int,
        _ visit: (NamedNode) throws(HostError) -> Void
    ) throws(HostError) {
        func visitMeant(_ node: NamedNode) throws(HostError) {
            if try NodeSelection.isMeant(node.name, by: glob, &steps, graph.host.limits) { try visit(node) }
        }
        for node in graph.nodes { try visitMeant(node) }
        var refusal: HostError?
        let members = graph.members
        members.names.visit(prefix: Glob.prefix(of: glob)) { name in
            steps += GlobSteps.perLook
            // Derived members need no entry.
            guard members.family(of: name)?.isMutable == true, let node = graph.node(name)
            else { return true }
            do throws(HostError) {
                try visitMeant(node)
                return true
            } catch {
                refusal = error
                return false
            }
        }
        if let refusal { throw refusal }
        for node in graph.host.submissions.coming(in: graph) { try visitMeant(node) }
    }
}

/// Evaluates the expressions of one commit.
///
/// All of them together may spend what a client's pipeline may: the budget of one evaluation for
/// each stage.
private struct FormulaEvaluation {
    private let transaction: Transaction
    private let most: Int
    private(set) var spent = 0

    init(_ transaction: Transaction, of host: Host) {
        self.transaction = transaction
        most = host.limits.stages * host.definitions.expressions.cost
    }

    /// - Throws: `conflict` with the nodes that the condition takes.
    mutating func require(_ condition: Transaction.Formula) throws(HostError) {
        let nodes = transaction.with.map(\.node)
        let result = try value(of: condition, nodes)
        guard case .bool(let holds) = result else {
            throw condition.text.refusal("expr_type", "a condition must be true or false")
        }
        guard !holds else { return }
        let taken = nodes.indices.filter { condition.program.takes($0) }.map { nodes[$0] }
        var error = HostError(
            .conflict,
            "if: the condition does not hold",
            node: taken.first?.name,
            rev: taken.first?.coming.rev
        )
        error.failed = taken.map { node in
            let (value, rev) = node.coming
            let held: Held = if case .known(let datum?) = value { .value(datum) } else { .empty }
            let member = held.member
            return HostError.Failed(node: node.name, rev: rev, held: member.count <= 4096 ? member : [])
        }
        throw error
    }

    mutating func result(of update: Transaction.Update) throws(HostError) -> Datum {
        let tree = try value(of: update.formula, transaction.with.map(\.node) + [update.node])
        let datum: Datum
        do throws(JSONError) { datum = try Datum(tree: tree) } catch {
            throw update.formula.text.refusal("expr_bad_value", "the result cannot be written as JSON")
        }
        spent += datum.isContainer ? datum.numbersCost : 0
        return datum
    }

    private mutating func value(
        of formula: Transaction.Formula,
        _ nodes: [NamedNode]
    ) throws(HostError) -> Value {
        spent += StageCost.rowUnits(nodes.count)
        var arguments: [Value] = []
        for (place, node) in nodes.enumerated() {
            guard formula.program.takes(place), case .known(let datum?) = node.coming.value else {
                arguments.append(.null)
                continue
            }
            // Paid for before it is read.
            spent += datum.isContainer ? datum.numbersCost : datum.textCost
            try requireUnits(for: formula)
            arguments.append(datum.tree)
        }
        try requireUnits(for: formula)
        do throws(EvaluationError) {
            return try formula.program.evaluate(arguments, spent: &spent)
        } catch {
            throw formula.text.refusal(error)
        }
    }

    private func requireUnits(for formula: Transaction.Formula) throws(HostError) {
        guard spent > most else { return }
        throw formula.text.refusal(
            .exprCost,
            "the expressions of one commit cost more than \(most) units together"
        )
    }
}

extension NamedNode {
    /// Its value and the rev of its last change, with what is on its way.
    var coming: (value: PendingChange.Value, rev: UInt64) {
        guard let pending else { return (.known(source?.value), changed.rev) }
        return (pending.value, pending.rev)
    }
}
