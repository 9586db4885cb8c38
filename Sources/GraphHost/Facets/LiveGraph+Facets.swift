internal import ReactiveGraph
internal import Support

extension LiveGraph {
    // MARK: - Changing

    /// Applies producers' reports.
    func load(_ changes: [FacetReport], _ stamp: LogStamp) {
        for report in changes {
            let node = report.node.present
            // An empty member exists only while this server needs it, and its facets do not outlast
            // it.
            guard node.living != nil else { continue }
            demand?.reported(node)
            let entry = facets.begin(node)
            var changed = entry.facets
            changed.take(report.change, at: stamp.time)
            facets.change(entry, to: changed)
            if !changed.isClear { entry.reported = stamp.rev }
            if report.change == .notModified, node.source?.isEmpty == false {
                entry.start(at: stamp.time)
            }
        }
    }

    /// A node with facets was set, or cleared by a client: the value is now up to date (L-2).
    @inline(never)
    func clearFacets(of node: NamedNode, at time: UInt64, isSet: Bool) {
        guard let entry = facets.entry(of: node) else { return }
        facets.change(entry, to: Facets())
        if isSet { entry.start(at: time) } else { entry.stop() }
    }

    /// The value has expired: a missing value cannot be stale; the other facets stay.
    func valueExpired(of node: NamedNode) {
        guard let entry = facets.entry(of: node) else { return }
        var changed = entry.facets
        changed.isStale = false
        changed.confirmed = nil
        facets.change(entry, to: changed)
        entry.stop()
    }

    /// A mutable node starts with, or gets, a definition that says how long its values are fresh.
    func keepFresh(_ node: NamedNode, for lifetime: Stage.Span?, isSet: Bool) {
        guard let lifetime else {
            facets.entry(of: node)?.keepFresh(for: nil)
            return
        }
        let entry = facets.begin(node)
        entry.keepFresh(for: lifetime.duration)
        if isSet { entry.start(at: max(node.changed.time, entry.facets.confirmed ?? 0)) }
    }

    /// Restores a node's saved facets.
    func restore(_ saved: SavedFacets, of node: NamedNode) {
        let entry = facets.begin(node)
        facets.change(entry, to: saved.facets)
        entry.reported = saved.reported
        entry.deadline = saved.deadline
    }

    // MARK: - Reading

    /// A node's facets as JSON: `{"t","loading","progress","stale","error"}`.
    public func stateJSON(of node: NamedNode) -> [UInt8] {
        var buffer = ByteBuffer()
        guard node.exists, !node.isMutable || node.living != nil else { return Array("{}".utf8) }
        let living = materialise(node)
        append(mergedFacets(of: living).facets, of: living, to: &buffer)
        return Array(buffer.bytes)
    }

    /// Appends `"state":{…}` if the node has facets.
    func append(state facets: Facets, of node: AnyNode, to buffer: inout ByteBuffer) {
        buffer.append("\"state\":")
        append(facets, of: node, to: &buffer)
    }

    private func append(_ facets: Facets, of node: AnyNode, to buffer: inout ByteBuffer) {
        var lastSet: UInt64?
        if let named = name(of: node), let source = named.source, !source.isEmpty {
            lastSet = named.changed.time
        }
        facets.append(lastSet: lastSet, to: &buffer)
    }
}

/// A producer's report on one node, in a commit.
struct FacetReport {
    let node: NamedNode
    let change: FacetChange
}

// MARK: - Saving

/// The saved form of a ``FacetEntry``.
struct SavedFacets {
    let facets: Facets
    let reported: UInt64?
    let deadline: Deadline?

    init(_ entry: FacetEntry) {
        (facets, reported, deadline) = (entry.facets, entry.reported, entry.deadline)
    }

    func write(to writer: inout StateWriter) {
        writer.write(facets.error) { writer, error in
            writer.write(text: error.code)
            writer.write(text: error.message)
            writer.write(rev: error.at)
        }
        writer.write((facets.isLoading ? 1 : 0) + (facets.isStale ? 2 : 0))
        writer.write(facets.progress) { $0.write(Int(bitPattern: UInt(truncatingIfNeeded: $1.bitPattern))) }
        writer.write(facets.confirmed) { $0.write(rev: $1) }
        writer.write(reported) { $0.write(rev: $1) }
        writer.write(deadline) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws {
        var facets = Facets()
        facets.error = try reader.optional { reader in
            Facets.Failure(code: try reader.text(), message: try reader.text(), at: try reader.rev())
        }
        let flags = try reader.integer(in: 0...3)
        facets.isLoading = flags & 1 != 0
        facets.isStale = flags & 2 != 0
        facets.progress = try reader.optional {
            Double(bitPattern: UInt64(UInt(bitPattern: try $0.integer())))
        }
        facets.confirmed = try reader.optional { try $0.rev() }
        self.facets = facets
        reported = try reader.optional { try $0.rev() }
        deadline = try reader.optional { try $0.deadline() }
    }
}
