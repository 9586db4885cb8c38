/// Finds an object by the bytes of its name, without making a `String`: open addressing over a power of two.
///
/// Invariants: `keys`, `values` and `hashes` have one row per name, in order of insertion; `slots` holds
/// row + 1, 0 = free; at most half of `slots` is in use.
struct NameTable<Element: AnyObject> {
    private var keys: [[UInt8]] = []
    private var hashes: [UInt64] = []
    private(set) var values: [Element] = []
    private var slots: [UInt32] = Array(repeating: 0, count: 8)

    /// The element of that name.
    subscript(name: UnsafeRawBufferPointer) -> Element? {
        let hash = Self.hash(name)
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place] != 0 {
            let row = Int(slots[place]) - 1
            if hashes[row] == hash, Self.isEqual(keys[row], name) { return values[row] }
            place = (place + 1) & mask
        }
        return nil
    }

    /// The element of that name.
    subscript(name: String) -> Element? {
        var name = name
        return name.withUTF8 { self[UnsafeRawBufferPointer($0)] }
    }

    /// Adds an element under a name that is not in the table yet.
    mutating func insert(_ element: Element, named name: String) {
        let key = Array(name.utf8)
        keys.append(key)
        hashes.append(key.withUnsafeBytes(Self.hash))
        values.append(element)
        if values.count * 2 > slots.count {
            rebuild(slotCount: slots.count * 2)
        } else {
            place(row: values.count - 1)
        }
    }

    /// Removes the element of that name, if there is one; linear.
    mutating func remove(named name: String) {
        let key = Array(name.utf8)
        guard let row = keys.firstIndex(of: key) else { return }
        keys.remove(at: row)
        hashes.remove(at: row)
        values.remove(at: row)
        rebuild(slotCount: slots.count)
    }

    private mutating func rebuild(slotCount: Int) {
        slots = Array(repeating: 0, count: slotCount)
        for row in values.indices { place(row: row) }
    }

    private mutating func place(row: Int) {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hashes[row]) & mask
        while slots[place] != 0 { place = (place + 1) & mask }
        slots[place] = UInt32(row + 1)
    }

    private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
        // FNV-1a, folded: names are short and come from definitions, not from attackers.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash ^ (hash >> 29)
    }

    private static func isEqual(_ key: [UInt8], _ name: UnsafeRawBufferPointer) -> Bool {
        key.withUnsafeBytes { $0.count == name.count && $0.elementsEqual(name) }
    }
}
