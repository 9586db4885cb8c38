package import Support

/// Finds an object by the bytes of its name, without making a `String`: open addressing over a
/// power of two.
///
/// Neither generic nor a structure, because it is used in other modules: there generic code is not
/// specialised, and each look-up would copy the structure. No single call takes long, however many
/// names there are: tables grow and close their holes by small steps.
///
/// Invariants: `rows` has one row per name in order of insertion, and holes for names that were
/// removed. Every name is found by way of `slots`, or of those that are being replaced.
package final class NameTable {
    struct Row {
        let ends: Ends
        /// nil: a hole.
        var object: AnyObject?
    }

    /// The hash of a name, how long it is, and its ends.
    struct Ends: Equatable {
        var hash: UInt32 = 0
        let count: UInt32
        let text: TextEnds

        @inline(__always)
        init(_ name: BorrowedBytes) {
            count = UInt32(truncatingIfNeeded: name.count)
            text = TextEnds(name)
        }
    }

    private(set) var rows = Chunks<Row>()
    private(set) var slots = NameSlots(8)
    /// Slots that are being replaced by more of them: up to `moved` they are in `slots` as well.
    private var former: NameSlots?
    private var moved = 0
    /// While holes are being closed: rows before `filled` have been moved up, those from `open` on
    /// have not.
    private var closing: (filled: Int, open: Int)?
    /// The number of names.
    package private(set) var count = 0
    /// Names may come from strangers, who must not be able to choose names that collide.
    private let seeds = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
    private let name: (AnyObject) -> String

    /// An empty table.
    ///
    /// - Parameter name: gives the name of an object, which the table does not keep.
    package init(_ name: @escaping (AnyObject) -> String) {
        self.name = name
    }

    /// The object of that name.
    package subscript(name: BorrowedBytes) -> AnyObject? {
        let ends = ends(of: name)
        guard let slot = slot(of: name, ends, in: slots) else {
            return formerObject(name, ends)
        }
        return rows[slots.row(at: slot)].object
    }

    /// The object of that name.
    package subscript(name: String) -> AnyObject? {
        name.withBorrowedBytes { self[$0] }
    }

    @inline(never)
    private func formerObject(_ name: BorrowedBytes, _ ends: Ends) -> AnyObject? {
        guard let former, let slot = slot(of: name, ends, in: former) else { return nil }
        return rows[former.row(at: slot)].object
    }

    /// Adds an object under a name that is not in the table yet.
    package func insert(_ object: AnyObject, named name: String) {
        let ends = name.withBorrowedBytes { self.ends(of: $0) }
        rows.append(Row(ends: ends, object: object))
        count += 1
        slots.place(row: rows.count - 1, ends.hash)
        if former != nil { move() } else if count * 2 > slots.count { resize() }
        close()
    }

    /// Removes the object of that name, if there is one.
    package func remove(named name: String) {
        name.withBorrowedBytes { name in
            let ends = ends(of: name)
            var row: Int?
            if let slot = slot(of: name, ends, in: slots) {
                row = slots.row(at: slot)
                slots.vacate(slot) { rows[$0].ends.hash }
            }
            // A copy of the slots would be copied when they change.
            if let slot = former.flatMap({ self.slot(of: name, ends, in: $0) }) {
                row = former?.row(at: slot)
                // What stands after it must stay where it is: it may not have been moved.
                former?.remove(slot)
            }
            guard let row else { return }
            let object = rows[row].object.take()
            count -= 1
            withExtendedLifetime(object) {}
        }
        while let last = rows.last, last.object == nil { rows.removeLast() }
        if let (filled, open) = closing {
            closing = (Swift.min(filled, rows.count), Swift.min(open, rows.count))
        }
        if former != nil {
            move()
        } else if count * 16 < slots.count, slots.count > 8 {
            resize()
        }
        if closing == nil, rows.count > 2 * count + 8 { closing = (0, 0) }
        close()
    }

    // MARK: - Looking up

    @inline(__always)
    private func slot(of name: BorrowedBytes, _ ends: Ends, in slots: NameSlots) -> Int? {
        var slot = slots.home(of: ends.hash)
        while slots.isUsed(slot) {
            if slots.isLive(slot) {
                let row = slots.row(at: slot)
                if rows[row].ends == ends, name.count <= 16 || isMiddle(name, ofRow: row) {
                    return slot
                }
            }
            slot = slots.next(slot)
        }
        return nil
    }

    /// Whether the name of a row, which has the same ends, also has these bytes between them.
    @inline(never)
    func isMiddle(_ name: BorrowedBytes, ofRow row: Int) -> Bool {
        guard let object = rows[row].object else { return false }
        return self.name(object).withBorrowedBytes { other in
            // The last step reaches into the end.
            stride(from: 8, to: name.count - 8, by: 8).allSatisfy {
                other.load(at: $0, as: UInt64.self) == name.load(at: $0, as: UInt64.self)
            }
        }
    }

    // MARK: - Small steps

    /// As many slots are moved, or rows looked at, with each change of the table.
    private static var step: Int { 16 }

    /// Begins to replace the slots by others, with room for half as many names again before the
    /// next time; few are moved at once.
    private func resize() {
        var size = 8
        while size < count * 3 { size *= 2 }
        let isFewer = size < slots.count
        former = slots
        moved = 0
        slots = NameSlots(size)
        if isFewer {
            // They are few, beside the slots that there were.
            former = nil
            for row in 0..<rows.count where rows[row].object != nil {
                slots.place(row: row, rows[row].ends.hash)
            }
        } else {
            move()
        }
    }

    private func move() {
        guard let former else { return }
        let end = Swift.min(moved + Self.step, former.count)
        for slot in moved..<end where former.isUsed(slot) && former.isLive(slot) {
            let row = former.row(at: slot)
            slots.place(row: row, rows[row].ends.hash)
        }
        moved = end
        guard moved == former.count else { return }
        self.former = nil
    }

    /// Closes holes, unless slots are being replaced.
    private func close() {
        guard var (filled, open) = closing, former == nil else { return }
        let end = Swift.min(open + Self.step, rows.count)
        while open < end {
            if rows[open].object != nil {
                if filled < open {
                    slots.change(row: open, to: filled, rows[open].ends.hash)
                    rows[filled] = rows[open]
                    rows[open].object = nil
                }
                filled += 1
            }
            open += 1
        }
        closing = (filled, open)
        guard open >= rows.count else { return }
        while rows.count > filled { rows.removeLast() }
        closing = nil
    }

    // MARK: - Hashing

    @inline(__always)
    private func ends(of name: BorrowedBytes) -> Ends {
        var ends = Ends(name)
        ends.hash = hash(name, ends)
        return ends
    }

    @inline(__always)
    func hash(_ name: BorrowedBytes, _ ends: Ends) -> UInt32 {
        var hash = mix(ends.text.first ^ UInt64(ends.count), ends.text.last)
        // What the ends leave out: names of many nodes may differ in their middle only.
        var place = 8
        while place &+ 8 < name.count {
            hash = mix(hash, name.load(at: place, as: UInt64.self))
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
        let rows: Chunks<Row>
        var place = 0

        package mutating func next() -> AnyObject? {
            while place < rows.count {
                place += 1
                if let object = rows[place - 1].object { return object }
            }
            return nil
        }
    }

    package func makeIterator() -> Iterator { Iterator(rows: rows) }
}
