internal import ReactiveGraph

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
            writer.write(time: error.at)
        }
        let (status, retryAt) = (facets.error?.status, facets.error?.retryAt)
        writer.write(
            (facets.isLoading ? 1 : 0) + (facets.isStale ? 2 : 0) + (status == nil ? 0 : 4)
                + (retryAt == nil ? 0 : 8)
        )
        if let status { writer.write(status) }
        if let retryAt { writer.write(time: retryAt) }
        writer.write(facets.progress) { $0.write(Int(bitPattern: UInt(truncatingIfNeeded: $1.bitPattern))) }
        writer.write(facets.confirmed) { $0.write(time: $1) }
        writer.write(reported) { $0.write(rev: $1) }
        writer.write(deadline) { $0.write($1) }
    }

    init(from reader: inout StateReader) throws {
        var facets = Facets()
        facets.error = try reader.optional { reader in
            LoadFailure(code: try reader.text(), message: try reader.text(), at: try reader.time())
        }
        let flags = try reader.integer(in: 0...15)
        if flags & 4 != 0 { facets.error?.status = try reader.integer(in: 0...999) }
        if flags & 8 != 0 { facets.error?.retryAt = try reader.time() }
        if flags & 1 != 0 { facets.beginLoad() }
        facets.isStale = flags & 2 != 0
        facets.progress = try reader.optional {
            Double(bitPattern: UInt64(UInt(bitPattern: try $0.integer())))
        }
        facets.confirmed = try reader.optional { try $0.time() }
        self.facets = facets
        reported = try reader.optional { try $0.rev() }
        deadline = try reader.optional { try $0.deadline() }
    }
}
