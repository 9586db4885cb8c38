/// An object that a ``NameTable`` finds by its name.
package protocol NameTableElement: AnyObject {
    /// The name, which never changes while the object is in a table.
    var key: String { get }
}

/// Finds an object by the bytes of its name, without making a `String`: open addressing over a power of two.
///
/// Invariants: `rows` has one row per name in order of insertion, and a hole for each name that was removed since
/// the table was last rebuilt; `slots` holds row + 1, 0 = free; at most half of `slots` is in use.
package struct NameTable<Element: NameTableElement> {
    @usableFromInline
    struct Row {
        @usableFromInline let hash: UInt32
        @usableFromInline let ends: Ends
        /// nil: a hole.
        @usableFromInline var element: Element?
    }

    /// How long a name is, its first bytes and its last, up to eight each: all of a name of sixteen bytes at most.
    @usableFromInline
    struct Ends: Equatable {
        @usableFromInline let count: UInt32
        @usableFromInline let first: UInt64
        @usableFromInline let last: UInt64

        @inlinable
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

    @usableFromInline var rows: ContiguousArray<Row> = []
    @usableFromInline var slots: ContiguousArray<UInt32> = ContiguousArray(repeating: 0, count: 8)
    /// The number of names.
    package private(set) var count = 0
    /// Names may come from strangers, who must not be able to choose names that collide.
    @usableFromInline let seeds = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

    package init() {}

    /// The elements, in order of insertion.
    @inlinable
    package var elements: some Sequence<Element> { rows.lazy.compactMap(\.element) }

    /// The element of that name.
    @inlinable
    package subscript(name: UnsafeRawBufferPointer) -> Element? {
        guard let slot = slot(of: name) else { return nil }
        return rows[Int(slots[slot]) - 1].element
    }

    /// The element of that name.
    @inlinable
    package subscript(name: String) -> Element? {
        var name = name
        return name.withUTF8 { self[UnsafeRawBufferPointer($0)] }
    }

    /// Adds an element under its name, which is not in the table yet.
    package mutating func insert(_ element: Element) {
        var name = element.key
        let (hash, ends) = name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            let ends = Ends(name)
            return (self.hash(name, ends), ends)
        }
        rows.append(Row(hash: hash, ends: ends, element: element))
        count += 1
        if rows.count * 2 > slots.count { rebuild() } else { place(row: rows.count - 1) }
    }

    /// Removes the element of that name, if there is one.
    package mutating func remove(named name: String) {
        var name = name
        guard let slot = name.withUTF8({ slot(of: UnsafeRawBufferPointer($0)) }) else { return }
        let row = Int(slots[slot]) - 1
        vacate(slot)
        let element = rows[row].element.take()
        count -= 1
        while let last = rows.last, last.element == nil { rows.removeLast() }
        if rows.count > 2 * count + 8 { rebuild() }
        withExtendedLifetime(element) {}
    }

    @inlinable
    func slot(of name: UnsafeRawBufferPointer) -> Int? {
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
    @inlinable
    @inline(never)
    func isMiddle(_ name: UnsafeRawBufferPointer, ofRow row: Int) -> Bool {
        guard var key = rows[row].element?.key else { return false }
        return key.withUTF8 { key in key[8..<key.count - 8].elementsEqual(name[8..<name.count - 8]) }
    }

    /// Frees a slot: what stands after it moves up, unless it would move away from where a search for it begins.
    private mutating func vacate(_ slot: Int) {
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
    private mutating func rebuild() {
        rows.removeAll { $0.element == nil }
        var size = 8
        while size < rows.count * 3 { size *= 2 }
        slots = ContiguousArray(repeating: 0, count: size)
        for row in rows.indices { place(row: row) }
    }

    private mutating func place(row: Int) {
        let mask = slots.count - 1
        var slot = Int(rows[row].hash) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = UInt32(row + 1)
    }

    @inlinable
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

    @inlinable
    @inline(__always)
    func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = (first ^ seeds.0).multipliedFullWidth(by: second ^ seeds.1)
        return product.high ^ product.low
    }
}
