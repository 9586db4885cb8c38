internal import Support

/// The keys of the objects that are being scanned, to find duplicates.
///
/// Small objects are searched linearly in borrowed scratch memory, by a mark made of a key's first
/// bytes and length. An object with more than `linearLimit` keys, or one that finds the scratch
/// memory full, moves to a hash table. So the work stays linear in the text, even for maliciously
/// chosen keys.
@safe struct JSONOpenKeys {
    private struct Entry {
        var mark: UInt64
        var offset: UInt32
        /// Length of the text between the quotes, times two, plus one if it has escapes.
        var length: UInt32
    }

    private static let linearLimit = 16
    private static let capacity = 48

    private let entries: UnsafeMutablePointer<Entry>
    /// By depth: where the object's entries begin, or the complement of its number in the table.
    private let frames: UnsafeMutablePointer<Int32>
    private var count = 0
    private var table: JSONKeyTable?
    private var tabled: Int32 = 0
    /// The text that contains the keys.
    private let bytes: BorrowedBytes

    /// Uses 1024 bytes, aligned to 8, which the caller owns.
    init(_ scratch: UnsafeMutableRawBufferPointer, of bytes: BorrowedBytes) {
        self.bytes = bytes
        let start = scratch.baseAddress!
        unsafe entries = unsafe start.bindMemory(to: Entry.self, capacity: JSONOpenKeys.capacity)
        unsafe frames = unsafe (start + JSONOpenKeys.capacity * 16).bindMemory(to: Int32.self, capacity: 64)
    }

    @inline(__always)
    mutating func open(_ depth: Int) {
        unsafe frames[depth] = Int32(truncatingIfNeeded: count)
    }

    @inline(__always)
    mutating func close(_ depth: Int) {
        let frame = unsafe frames[depth]
        if frame >= 0 {
            count = Int(frame)
        }
    }

    /// Adds a key, given as the bytes between its quotes; false if the object has it already.
    @inline(__always)
    mutating func insert(
        _ range: Range<Int>,
        hasEscapes: Bool,
        depth: Int
    ) -> Bool {
        let key = bytes.part(range)
        let first = unsafe Int(frames[depth])
        guard first >= 0, count - first < JSONOpenKeys.linearLimit, count < JSONOpenKeys.capacity else {
            return insertIntoTable(key, hasEscapes: hasEscapes, depth: depth)
        }
        let mark = hasEscapes ? JSONString.mark(escaped: key) : mark(key, at: range.lowerBound)
        var index = first
        while index < count {
            if unsafe entries[index].mark == mark, unsafe isSame(entries[index], key, hasEscapes) {
                return false
            }
            index += 1
        }
        let offset = UInt32(truncatingIfNeeded: range.lowerBound)
        let length = UInt32(truncatingIfNeeded: key.count) << 1 | (hasEscapes ? 1 : 0)
        unsafe entries[count] = Entry(mark: mark, offset: offset, length: length)
        count += 1
        return true
    }

    /// `JSONString.mark` of a key in this text: reads eight bytes at once if there are that many.
    @inline(__always)
    private func mark(_ key: BorrowedBytes, at start: Int) -> UInt64 {
        let count = key.count
        guard count < 8, start + 8 <= bytes.count else { return JSONString.mark(key) }
        let word = UInt64(littleEndian: bytes.load(at: start, as: UInt64.self))
        return word & ((1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1) ^ UInt64(truncatingIfNeeded: count)
            << 56
    }

    @inline(never)
    private func isSame(
        _ entry: Entry,
        _ key: BorrowedBytes,
        _ hasEscapes: Bool
    ) -> Bool {
        JSONString.isEqual(text(of: entry), entry.length & 1 != 0, key, hasEscapes)
    }

    private func text(of entry: Entry) -> BorrowedBytes {
        bytes.part(Int(entry.offset)..<Int(entry.offset) + Int(entry.length >> 1))
    }

    @inline(never)
    private mutating func insertIntoTable(
        _ key: BorrowedBytes,
        hasEscapes: Bool,
        depth: Int
    ) -> Bool {
        var table = self.table ?? JSONKeyTable()
        self.table = nil
        if unsafe frames[depth] >= 0 {
            let first = unsafe Int(frames[depth])
            for index in first..<count {
                let entry = unsafe entries[index]
                _ = table.insert(text(of: entry), entry.length & 1 != 0, object: tabled)
            }
            count = first
            unsafe frames[depth] = ~tabled
            tabled += 1
        }
        let isNew = unsafe table.insert(key, hasEscapes, object: ~frames[depth])
        self.table = table
        return isNew
    }
}

/// Keys of large objects, by object and unescaped text; open addressing, at most half full.
private struct JSONKeyTable {
    private struct Slot {
        var hash: Int
        /// −1 marks a free slot.
        var object: Int32
        var hasEscapes: Bool
        var key: BorrowedBytes
    }

    private var slots: [Slot] = []
    private var used = 0

    mutating func insert(_ key: BorrowedBytes, _ hasEscapes: Bool, object: Int32) -> Bool {
        if (used + 1) * 2 > slots.count {
            grow()
        }
        var hasher = Hasher()
        hasher.combine(object)
        if hasEscapes {
            var unescaped: [UInt8] = []
            JSONString.unescape(key, into: &unescaped)
            unescaped.withBorrowedBytes { hasher.combine($0) }
        } else {
            hasher.combine(key)
        }
        let hash = hasher.finalize()
        var place = hash & (slots.count - 1)
        while slots[place].object >= 0 {
            let slot = slots[place]
            if slot.hash == hash, slot.object == object,
                JSONString.isEqual(slot.key, slot.hasEscapes, key, hasEscapes)
            {
                return false
            }
            place = (place + 1) & (slots.count - 1)
        }
        slots[place] = Slot(hash: hash, object: object, hasEscapes: hasEscapes, key: key)
        used += 1
        return true
    }

    private mutating func grow() {
        let free = Slot(
            hash: 0,
            object: -1,
            hasEscapes: false,
            key: BorrowedBytes()
        )
        let old = slots
        slots = Array(repeating: free, count: max(128, old.count * 2))
        for slot in old where slot.object >= 0 {
            var place = slot.hash & (slots.count - 1)
            while slots[place].object >= 0 {
                place = (place + 1) & (slots.count - 1)
            }
            slots[place] = slot
        }
    }
}
