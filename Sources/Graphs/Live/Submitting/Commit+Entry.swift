package import Commits
internal import Definitions
internal import Support
internal import Values

// Conversion between commits and log entries.

extension Commit {
    /// The commit as names and bytes.
    func entry() -> LogEntry {
        var entry = LogEntry(graph: graph.name, kind: entryKind)
        entry.set.reserveCapacity(set.count)
        set.forEach { assignment in
            entry.set.append(
                LogEntry.Assignment(assignment.node.name, assignment.value.withBytes { Array($0) })
            )
        }
        entry.clear = clear.map(\.name)
        entry.reports = reports.map { LogEntry.Report($0.node.name, $0.change) }
        entry.claimed = claimed.map(\.name)
        if !claimed.isEmpty { entry.claimer = graph.host.instance }
        entry.by = by
        entry.context = context.map { $0.withBytes { Array($0) } }
        entry.key = key.map { LogEntry.Key($0, digest: digest, values: results) }
        entry.checkedAt = conditions.isEmpty && transaction == nil ? nil : graph.rev
        entry.path = path?.entries ?? []
        entry.isOfLink = isOfLink
        entry.birth = birth
        if case .expire = kind { entry.expiredBy = earliest }
        return entry
    }

    private var entryKind: LogEntry.Kind {
        switch kind {
        case .values: .values
        case .define: .define(text: graph.definition.text, graph.origin)
        case .redefine(let definition, let origin): .redefine(text: definition.text, origin)
        case .remove: .remove
        case .tick(let now): .tick(now: now)
        case .drop: .drop
        case .expire: .expire
        }
    }

    /// The hash of the change under an idempotency key, as the client asked for it: its sets,
    /// clears, expressions, context and conditions.
    var digest: UInt128 {
        var hash = FNV128()
        transaction?.add(to: &hash)
        let (set, clear) = (transaction?.set ?? set, transaction?.clear ?? clear)
        set.forEach { assignment in
            hash.add(assignment.node.name)
            assignment.value.withBytes { hash.add($0) }
        }
        hash.add("clear")
        for node in clear { hash.add(node.name) }
        for report in reports {
            hash.add("load \(report.node.name)")
            var bytes: [UInt8] = []
            report.change.append(to: &bytes)
            bytes.withBorrowedBytes { hash.add($0) }
        }
        hash.add("context")
        context?.withBytes { hash.add($0) }
        for entry in path?.entries ?? [] { hash.add("passed \(entry)") }
        for condition in conditions {
            hash.add(condition.node.name)
            switch condition.test {
            case .unchangedSince(let rev): hash.add("unchanged since \(rev)")
            case .changedAt(let rev): hash.add("changed at \(rev)")
            case .holds(let value): value.withBytes { hash.add($0) }
            case .isEmpty: hash.add("empty")
            }
        }
        return hash.value
    }

    /// The commit of an entry of this graph.
    ///
    /// - Throws: ``StoreError`` if the entry names a node or has a value that this graph cannot
    ///   have: then the log belongs to another graph, or is damaged.
    package init(_ entry: LogEntry, of graph: LiveGraph) throws(StoreError) {
        self.init(graph: graph)
        for assignment in entry.set {
            let node = try graph.storedNode(assignment.node)
            set.append(Assignment(node, try Datum(stored: assignment.value)))
            if node.isFed { isOfSource = true }
        }
        if !entry.clear.isEmpty {
            for name in entry.clear { clear.append(try graph.storedNode(name)) }
        }
        for report in entry.reports {
            reports.append(FacetReport(node: try graph.storedNode(report.node), change: report.change))
        }
        if !entry.claimed.isEmpty {
            for name in entry.claimed { claimed.append(try graph.storedNode(name)) }
            claimer = entry.claimer
        }
        by = entry.by
        isOfLink = entry.isOfLink
        if entry.birth != 0 { birth = entry.birth }
        if !entry.path.isEmpty { path = ValuePath(entry.path) }
        context = try entry.context.map { (bytes) throws(StoreError) in try Datum(stored: bytes) }
        switch entry.kind {
        case .values: break
        case .define:
            throw StoreError("the log defines graph \(graph.name) twice")
        case .redefine(let text, let origin):
            kind = .redefine(try graph.host.restorer.storedDefinition(of: graph.name, text), origin)
        case .remove: kind = .remove
        case .tick(let now): kind = .tick(now)
        case .drop: kind = .drop
        case .expire: kind = .expire(0)
        }
    }
}

extension LiveGraph {
    /// A mutable node of a stored entry.
    fileprivate func storedNode(_ name: String) throws(StoreError) -> NamedNode {
        guard let node = node(name), node.isMutable else {
            throw StoreError("the log sets '\(name)' of graph \(self.name), which has no such mutable node")
        }
        return node
    }
}

extension Datum {
    /// A value of a stored entry.
    convenience init(stored bytes: [UInt8]) throws(StoreError) {
        let reader: Result<JSONReader, JSONError> = bytes.withBorrowedBytes { bytes in
            Result { () throws(JSONError) in try JSONReader(restoring: bytes) }
        }
        guard case .success(let reader) = reader else {
            throw StoreError("the log has a value that is not JSON")
        }
        self.init(reader)
    }
}
