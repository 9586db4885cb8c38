/// The slots of a ``NameTable``: each free, or of one row.
struct NameSlots {
    let count: Int
    private var slots: [UInt32]

    /// A slot whose row is no longer found through it.
    private static var tombstone: UInt32 { .max }

    /// A power of two of free slots.
    init(_ count: Int) {
        self.count = count
        slots = [UInt32](repeating: 0, count: count)
    }

    @inline(__always) func home(of hash: UInt32) -> Int { Int(hash) & (count - 1) }
    @inline(__always) func next(_ slot: Int) -> Int { (slot + 1) & (count - 1) }
    @inline(__always) func isUsed(_ slot: Int) -> Bool { slots[slot] != 0 }
    @inline(__always) func isLive(_ slot: Int) -> Bool { slots[slot] != Self.tombstone }
    @inline(__always) func row(at slot: Int) -> Int { Int(slots[slot]) - 1 }

    mutating func place(row: Int, _ hash: UInt32) {
        var slot = home(of: hash)
        while isUsed(slot) { slot = next(slot) }
        slots[slot] = UInt32(row + 1)
    }

    /// The row of this hash stands in another place from here on.
    mutating func change(row: Int, to other: Int, _ hash: UInt32) {
        var slot = home(of: hash)
        while self.row(at: slot) != row { slot = next(slot) }
        slots[slot] = UInt32(other + 1)
    }

    /// Frees a slot: what stands after it moves up, unless it would move away from where a search
    /// for it begins.
    mutating func vacate(_ slot: Int, _ hash: (_ row: Int) -> UInt32) {
        let mask = count - 1
        var (gap, next) = (slot, (slot + 1) & mask)
        while isUsed(next) {
            let home = home(of: hash(row(at: next)))
            if (next - home) & mask >= (next - gap) & mask {
                slots[gap] = slots[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        slots[gap] = 0
    }

    /// Nothing is found through the slot any more, and nothing else moves.
    mutating func remove(_ slot: Int) { slots[slot] = Self.tombstone }
}
