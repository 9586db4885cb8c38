/// The rows of a ``NameTable``, in chunks: appending one never copies the others.
struct NameRows {
    private static var bits: Int { 12 }
    private static var mask: Int { (1 << bits) - 1 }

    /// All but the last are full.
    private var chunks: ContiguousArray<ContiguousArray<NameTable.Row>> = []
    /// How many there are, holes included.
    private(set) var count = 0

    subscript(row: Int) -> NameTable.Row {
        @inline(__always) _read { yield chunks[row >> Self.bits][row & Self.mask] }
    }

    var last: NameTable.Row? { count > 0 ? self[count - 1] : nil }

    mutating func append(_ row: NameTable.Row) {
        if count & Self.mask == 0 { chunks.append([]) }
        chunks[chunks.count - 1].append(row)
        count += 1
    }

    /// Makes a row a hole, and returns its object.
    mutating func remove(_ row: Int) -> AnyObject? {
        chunks[row >> Self.bits][row & Self.mask].object.take()
    }

    /// A hole takes over a row, which becomes one.
    mutating func move(_ row: Int, to hole: Int) {
        chunks[hole >> Self.bits][hole & Self.mask] = self[row]
        _ = remove(row)
    }

    mutating func removeLast(_ rows: Int = 1) {
        for _ in 0..<rows {
            chunks[chunks.count - 1].removeLast()
            if chunks[chunks.count - 1].isEmpty { chunks.removeLast() }
            count -= 1
        }
    }
}
