/// A marked join, by rank, then by ``Join/number``.
struct MarkedJoin {
    let rank: Int
    let number: UInt64
    let join: Ref<Join>

    func isBefore(_ other: MarkedJoin) -> Bool {
        rank < other.rank || (rank == other.rank && number < other.number)
    }
}

/// The joins that the running turns have marked: the least first, for each turn a part of its own.
///
/// Joins are mostly marked in the order in which they settle. So a part begins as a sorted list
/// that is read from its front; a sorted list is a heap, and it becomes one with the first join
/// that does not fit.
@safe struct MarkedJoins {
    /// Saved by a nested turn.
    struct Part {
        fileprivate let start: Int
        fileprivate let first: Int
        fileprivate let isSorted: Bool
    }

    private var entries: UnsafeMutablePointer<MarkedJoin>
    private var capacity = 16
    private var end = 0
    /// Where the running turn's part begins; what stands between it and `first` has settled.
    private var start = 0
    private var first = 0
    private var isSorted = true

    init() {
        unsafe entries = .allocate(capacity: capacity)
    }

    func deallocate() {
        unsafe entries.deallocate()
    }

    /// Whether the running turn has marked nothing that has not settled.
    var isEmpty: Bool { first == end }

    /// The join that settles next.
    ///
    /// There must be one.
    var least: MarkedJoin { unsafe entries[first] }

    /// A turn begins, with nothing marked.
    mutating func begin() -> Part {
        let part = Part(start: start, first: first, isSorted: isSorted)
        start = end
        first = end
        isSorted = true
        return part
    }

    /// The turn ends: everything it marked has settled.
    mutating func end(_ part: Part) {
        end = start
        start = part.start
        first = part.first
        isSorted = part.isSorted
    }

    mutating func insert(_ entry: MarkedJoin) {
        if end == capacity { makeRoom() }
        if isSorted {
            if unsafe first == end || !entry.isBefore(entries[end &- 1]) {
                unsafe entries[end] = entry
                end &+= 1
                return
            }
            isSorted = false
        }
        var index = end &- first
        end &+= 1
        let heap = unsafe entries + first
        while index > 0 {
            let parent = (index &- 1) / 2
            guard unsafe entry.isBefore(heap[parent]) else { break }
            unsafe heap[index] = unsafe heap[parent]
            index = parent
        }
        unsafe heap[index] = entry
    }

    /// Takes the least out.
    mutating func removeLeast() {
        if isSorted {
            first &+= 1
        } else {
            sink()
        }
        if first == end {
            first = start
            end = start
            isSorted = true
        }
    }

    private mutating func sink() {
        end &-= 1
        let count = end &- first
        let last = unsafe entries[end]
        let heap = unsafe entries + first
        var index = 0
        while true {
            var child = 2 &* index &+ 1
            guard child < count else { break }
            if child &+ 1 < count, unsafe heap[child &+ 1].isBefore(heap[child]) { child &+= 1 }
            guard unsafe heap[child].isBefore(last) else { break }
            unsafe heap[index] = unsafe heap[child]
            index = child
        }
        unsafe heap[index] = last
    }

    /// Moves the part over what has settled, or gets more room.
    @inline(never)
    private mutating func makeRoom() {
        let settled = first - start
        if settled * 2 > capacity {
            unsafe (entries + start).update(from: entries + first, count: end - first)
            first = start
            end -= settled
            return
        }
        let grown = UnsafeMutablePointer<MarkedJoin>.allocate(capacity: capacity * 2)
        unsafe grown.moveInitialize(from: entries, count: end)
        unsafe entries.deallocate()
        unsafe entries = unsafe grown
        capacity *= 2
    }
}
