/// Finds an object by the bytes of its name, without making a `String`: open addressing over a power of two.
///
/// Neither generic nor a structure, because it is used in other modules: there generic code is not specialised, and each
/// look-up would copy the structure.
///
/// Invariants: `rows` has one row per name in order of insertion, and a hole for each name that was removed since
/// the table was last rebuilt; `slots` holds row + 1, 0 = free; at most half of `slots` is in use.
package final class NameTable {
    struct Row {
        let hash: UInt32
        let ends: Ends
        let name: String
        /// nil: a hole.
        var object: AnyObject?
    }

    /// How long a name is, its first bytes and its last, up to eight each: all of a name of sixteen bytes at most.
    struct Ends: Equatable {
        let count: UInt32
        let first: UInt64
        let last: UInt64

        @inline(__always)
        init(_ name: UnsafeRawBufferPointer) {
            count = UInt32(truncatingIfNeeded: name.count)
            guard let base = name.baseAddress, name.count > 0 else {
                first = 0
                last = 0
                return
            }
            let size = name.count
            if size >= 8 {
                first = base.loadUnaligned(as: UInt64.self)
                last = base.loadUnaligned(fromByteOffset: size - 8, as: UInt64.self)
            } else if size >= 4 {
                first = UInt64(base.loadUnaligned(as: UInt32.self))
                last = UInt64(base.loadUnaligned(fromByteOffset: size - 4, as: UInt32.self))
            } else {
                let middle = UInt64(base.load(fromByteOffset: size / 2, as: UInt8.self))
                first = UInt64(base.load(as: UInt8.self))
                last = middle << 8 | UInt64(base.load(fromByteOffset: size - 1, as: UInt8.self))
            }
        }
    }

    @exclusivity(unchecked) private(set) var rows: ContiguousArray<Row> = []
    @exclusivity(unchecked) private(set) var slots: ContiguousArray<UInt32> = ContiguousArray(
        repeating: 0,
        count: 8
    )
    /// The number of names.
    @exclusivity(unchecked) private(set) var count = 0
    /// Names may come from strangers, who must not be able to choose names that collide.
    private let seeds = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    package init() {}

    /// The object of that name.
    package subscript(name: UnsafeRawBufferPointer) -> AnyObject? {
        guard let slot = slot(of: name) else { return nil }
        return rows[Int(slots[slot]) - 1].object
    }

    /// The object of that name.
    package subscript(name: String) -> AnyObject? {
        var name = name
        return name.withUTF8 { self[UnsafeRawBufferPointer($0)] }
    }

    /// Adds an object under a name that is not in the table yet.
    package func insert(_ object: AnyObject, named name: String) {
        var name = name
        let (hash, ends) = name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            let ends = Ends(name)
            return (self.hash(name, ends), ends)
        }
        rows.append(Row(hash: hash, ends: ends, name: name, object: object))
        count += 1
        if rows.count * 2 > slots.count { rebuild() } else { place(row: rows.count - 1) }
    }

    /// Removes the object of that name, if there is one.
    package func remove(named name: String) {
        var name = name
        guard let slot = name.withUTF8({ slot(of: UnsafeRawBufferPointer($0)) }) else { return }
        let row = Int(slots[slot]) - 1
        vacate(slot)
        let object = rows[row].object.take()
        count -= 1
        while let last = rows.last, last.object == nil { rows.removeLast() }
        if rows.count > 2 * count + 8 { rebuild() }
        withExtendedLifetime(object) {}
    }

    @inline(__always)
    private func slot(of name: UnsafeRawBufferPointer) -> Int? {
        let ends = Ends(name)
        let mask = slots.count - 1
        var slot = Int(hash(name, ends)) & mask
        while slots[slot] != 0 {
            let row = Int(slots[slot]) - 1
            if rows[row].ends == ends, name.count <= 16 || isMiddle(name, ofRow: row) { return slot }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Whether the name of a row has these bytes between its ends.
    @inline(never)
    func isMiddle(_ name: UnsafeRawBufferPointer, ofRow row: Int) -> Bool {
        var other = rows[row].name
        return other.withUTF8 { $0[8..<name.count - 8].elementsEqual(name[8..<name.count - 8]) }
    }

    /// Frees a slot: what stands after it moves up, unless it would move away from where a search for it begins.
    private func vacate(_ slot: Int) {
        let mask = slots.count - 1
        var (gap, next) = (slot, (slot + 1) & mask)
        while slots[next] != 0 {
            let home = Int(rows[Int(slots[next]) - 1].hash) & mask
            if (next - home) & mask >= (next - gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        slots[gap] = 0
    }

    /// Without holes, and with room for half as many names again before the next time.
    private func rebuild() {
        rows.removeAll { $0.object == nil }
        var size = 8
        while size < rows.count * 3 { size *= 2 }
        slots = ContiguousArray(repeating: 0, count: size)
        for row in rows.indices { place(row: row) }
    }

    private func place(row: Int) {
        let mask = slots.count - 1
        var slot = Int(rows[row].hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(row + 1)
    }

    @inline(__always)
    func hash(_ name: UnsafeRawBufferPointer, _ ends: Ends) -> UInt32 {
        var hash = mix(ends.first ^ UInt64(ends.count), ends.last)
        // What the ends leave out: names of many nodes may differ in their middle only.
        var place = 8
        while place &+ 8 < name.count {
            hash = mix(hash, name.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place &+= 8
        }
        return UInt32(truncatingIfNeeded: hash)
    }

    @inline(__always)
    func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ seeds.0).multipliedFullWidth(by: second ^ seeds.1)
        return product.high ^ product.low
    }
}

/// The objects, in order of insertion.
extension NameTable: Sequence {
    /// Goes through the objects that were there when it was made.
    package struct Iterator: IteratorProtocol {
        let rows: ContiguousArray<Row>
        var place = 0

        init(_ rows: ContiguousArray<Row>) {
            self.rows = rows
        }

        package mutating func next() -> AnyObject? {
            while place < rows.count {
                place += 1
                if let object = rows[place - 1].object { return object }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(rows) }
}
