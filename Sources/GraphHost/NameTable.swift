/// Finds an object by the bytes of its name, without making a `String`: open addressing over a power of two.
///
/// Invariants: `rows` and `values` have one row per name, in order of insertion, and `bytes` has the names one
/// behind the other; `slots` holds row + 1, 0 = free; at most half of `slots` is in use.
struct NameTable<Element: AnyObject> {
    private struct Row {
        let hash: UInt64
        let start: Int
        let count: Int
    }

    private var rows: ContiguousArray<Row> = []
    private var bytes: ContiguousArray<UInt8> = []
    private(set) var values: [Element] = []
    private var slots: ContiguousArray<UInt32> = ContiguousArray(repeating: 0, count: 8)

    /// The element of that name.
    subscript(name: UnsafeRawBufferPointer) -> Element? {
        guard let row = row(of: name) else { return nil }
        return values[row]
    }

    /// The element of that name.
    subscript(name: String) -> Element? {
        var name = name
        return name.withUTF8 { self[UnsafeRawBufferPointer($0)] }
    }

    /// Adds an element under a name that is not in the table yet.
    mutating func insert(_ element: Element, named name: String) {
        var name = name
        name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            rows.append(Row(hash: Self.hash(name), start: bytes.count, count: name.count))
            bytes.append(contentsOf: name)
        }
        values.append(element)
        if values.count * 2 > slots.count {
            rebuild(slotCount: slots.count * 2)
        } else {
            place(row: values.count - 1)
        }
    }

    /// Removes the element of that name, if there is one; linear.
    mutating func remove(named name: String) {
        var name = name
        guard let row = name.withUTF8({ row(of: UnsafeRawBufferPointer($0)) }) else { return }
        rows.remove(at: row)
        values.remove(at: row)
        rebuild(slotCount: slots.count)
    }

    private func row(of name: UnsafeRawBufferPointer) -> Int? {
        let hash = Self.hash(name)
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place] != 0 {
            let row = Int(slots[place]) - 1
            if rows[row].hash == hash, isName(name, rows[row]) { return row }
            place = (place + 1) & mask
        }
        return nil
    }

    private func isName(_ name: UnsafeRawBufferPointer, _ row: Row) -> Bool {
        guard row.count == name.count else { return false }
        for index in 0..<row.count where bytes[row.start + index] != name[index] { return false }
        return true
    }

    private mutating func rebuild(slotCount: Int) {
        slots = ContiguousArray(repeating: 0, count: slotCount)
        for row in values.indices { place(row: row) }
    }

    private mutating func place(row: Int) {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: rows[row].hash) & mask
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = UInt32(row + 1)
    }

    private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
        // FNV-1a, folded: names are short and come from definitions, not from attackers.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash ^ (hash >> 29)
    }
}
