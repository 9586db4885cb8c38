internal import CSQLite
public import Commits
internal import Support

extension Store {
    /// Stores chunks of histories, and deletes those that have ended or are too old.
    func store(_ change: HistoryChange, of graph: Int64) throws(DatabaseError) {
        for node in change.ended {
            try database.run("DELETE FROM history WHERE graph = ? AND node = ?", .number(graph), .text(node))
        }
        for addition in change.added {
            let (node, chunk) = (addition.node, addition.chunk)
            try database.run(
                "INSERT OR REPLACE INTO history(graph, node, start, every, checksum, steps) VALUES(?,?,?,?,?,?)",
                .number(graph),
                .text(node),
                DatabaseValue(chunk.start),
                DatabaseValue(chunk.every),
                .number(chunk.sum(of: node, in: graph)),
                .bytes(chunk.bytes)
            )
            let first = try firstKept(of: node, in: graph, bytes: change.byteLimit)
            try database.run(
                "DELETE FROM history WHERE graph = ? AND node = ? AND start < ?",
                .number(graph),
                .text(node),
                DatabaseValue(max(addition.keptFrom, first))
            )
        }
    }

    /// The start of the oldest chunk that is within the limit, counted from the newest.
    private func firstKept(of node: String, in graph: Int64, bytes limit: Int) throws(DatabaseError) -> UInt64
    {
        let sql = """
            SELECT start, length(steps) FROM history WHERE graph = ? AND node = ? ORDER BY start DESC, every DESC
            """
        var rows = try database.rows(sql, [.number(graph), .text(node)])
        var left = Int64(limit)
        var first: UInt64 = 0
        while let row = try rows.next() {
            left -= row.number(1)
            guard left >= 0 else { return first }
            first = row.unsigned(0)
        }
        return 0
    }
}

extension HistoryChunk {
    /// What covers a row of `history`.
    func sum(of node: String, in graph: Int64) -> Int64 {
        let name = UInt64(checksum(of: Array(node.utf8)))
        return Int64(checksum(of: bytes, after: UInt64(bitPattern: graph), name, start, every))
    }
}

extension StoreReader {
    public func history(
        of node: String,
        in graph: String,
        _ times: ClosedRange<UInt64>
    ) throws(StoreError) -> [HistoryChunk] {
        // The first chunk may begin before the range.
        let sql = """
            SELECT start, every, checksum, steps FROM history WHERE graph = ?1 AND node = ?2 AND start <= ?4 AND start >=
                coalesce((SELECT max(start) FROM history WHERE graph = ?1 AND node = ?2 AND start <= ?3), 0)
                ORDER BY start, every
            """
        return try read(graph) { database, id in
            let bounds = [times.lowerBound, times.upperBound].map {
                DatabaseValue.number(Int64(clamping: $0))
            }
            var rows = try database.rows(sql, [.number(id), .text(node)] + bounds)
            var chunks: [HistoryChunk] = []
            while let row = try rows.next() {
                let bytes = row.withBytes(3) { Array($0) }
                let chunk = HistoryChunk(start: row.unsigned(0), every: row.unsigned(1), bytes)
                guard chunk.sum(of: node, in: id) == row.number(2) else {
                    throw damage("the history of node \(node) of graph \(graph) from \(chunk.start)")
                }
                chunks.append(chunk)
            }
            return chunks
        } ?? []
    }
}
