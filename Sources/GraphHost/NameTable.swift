/// Finds an object by the bytes of its name, without making a `String`: open addressing over a power of two.
///
/// Invariants: `rows` and `values` have one row per name, in order of insertion, and `bytes` has the names one
/// behind the other; `slots` holds row + 1, 0 = free; at most half of `slots` is in use.
struct NameTable<Element: AnyObject> {
    private struct Row {
        let hash: UInt64
        let ends: Ends
        var start: Int
    }

    /// How long a name is, its first bytes and its last, up to eight each: all of a name of sixteen bytes at most.
    private struct Ends: Equatable {
        let count: Int
        let first: UInt64
        let last: UInt64

        @inline(__always)
        init(_ name: UnsafeRawBufferPointer) {
            count = name.count
            guard let base = name.baseAddress, count > 0 else {
                first = 0
                last = 0
                return
            }
            if count >= 8 {
                first = base.loadUnaligned(as: UInt64.self)
                last = base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            } else if count >= 4 {
                first = UInt64(base.loadUnaligned(as: UInt32.self))
                last = UInt64(base.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            } else {
                let middle = UInt64(base.load(fromByteOffset: count / 2, as: UInt8.self))
                first = UInt64(base.load(as: UInt8.self))
                last = middle << 8 | UInt64(base.load(fromByteOffset: count - 1, as: UInt8.self))
            }
        }
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
            let ends = Ends(name)
            rows.append(Row(hash: Self.hash(name, ends), ends: ends, start: bytes.count))
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
        let former = rows.remove(at: row)
        values.remove(at: row)
        bytes.removeSubrange(former.start..<former.start + former.ends.count)
        for later in row..<rows.count { rows[later].start -= former.ends.count }
        rebuild(slotCount: slots.count)
    }

    private func row(of name: UnsafeRawBufferPointer) -> Int? {
        let ends = Ends(name)
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: Self.hash(name, ends)) & mask
        while slots[place] != 0 {
            let row = Int(slots[place]) - 1
            if rows[row].ends == ends, name.count <= 16 || isName(name, rows[row].start) { return row }
            place = (place + 1) & mask
        }
        return nil
    }

    @inline(never)
    private func isName(_ name: UnsafeRawBufferPointer, _ start: Int) -> Bool {
        name.elementsEqual(bytes[start..<start + name.count])
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

    /// Names are short and come from definitions, not from attackers.
    @inline(__always)
    private static func hash(_ name: UnsafeRawBufferPointer, _ ends: Ends) -> UInt64 {
        var hash = mix(ends.first ^ UInt64(truncatingIfNeeded: ends.count), ends.last)
        // What the ends leave out: names of many nodes may differ in their middle only.
        var place = 8
        while place &+ 8 < ends.count {
            hash = mix(hash, name.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place &+= 8
        }
        return hash
    }

    @inline(__always)
    private static func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ second &* 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
        return product.high ^ product.low
    }
}
