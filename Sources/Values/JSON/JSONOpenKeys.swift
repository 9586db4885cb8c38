/// The keys of the objects that are being scanned, to find duplicates.
///
/// Small objects are searched linearly in borrowed scratch memory, by a mark made of a key's first
/// bytes and length. An object with more than `linearLimit` keys, or one that finds the scratch
/// memory full, moves to a hash table. So the work stays linear in the text, even for maliciously
/// chosen keys.
struct JSONOpenKeys {
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
    private let base: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>

    /// Uses 1024 bytes, aligned to 8, which the caller owns.
    init(_ scratch: UnsafeMutableRawBufferPointer, base: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
        self.base = base
        self.end = end
        let start = scratch.baseAddress!
        entries = start.bindMemory(to: Entry.self, capacity: JSONOpenKeys.capacity)
        frames = (start + JSONOpenKeys.capacity * 16).bindMemory(to: Int32.self, capacity: 64)
    }

    @inline(__always)
    mutating func open(_ depth: Int) {
        frames[depth] = Int32(truncatingIfNeeded: count)
    }

    @inline(__always)
    mutating func close(_ depth: Int) {
        let frame = frames[depth]
        if frame >= 0 {
            count = Int(frame)
        }
    }

    /// Adds a key, given as the bytes between its quotes; false if the object has it already.
    @inline(__always)
    mutating func insert(
        _ key: UnsafeRawBufferPointer,
        hasEscapes: Bool,
        depth: Int
    ) -> Bool {
        let first = Int(frames[depth])
        guard first >= 0, count - first < JSONOpenKeys.linearLimit, count < JSONOpenKeys.capacity else {
            return insertIntoTable(key, hasEscapes: hasEscapes, depth: depth)
        }
        let mark = hasEscapes ? JSONString.mark(escaped: key) : mark(key)
        var index = first
        while index < count {
            if entries[index].mark == mark, isSame(entries[index], key, hasEscapes) { return false }
            index += 1
        }
        let offset = UInt32(truncatingIfNeeded: key.baseAddress! - UnsafeRawPointer(base))
        let length = UInt32(truncatingIfNeeded: key.count) << 1 | (hasEscapes ? 1 : 0)
        entries[count] = Entry(mark: mark, offset: offset, length: length)
        count += 1
        return true
    }

    /// `JSONString.mark` of a key in this text: reads eight bytes at once if there are that many.
    @inline(__always)
    private func mark(_ key: UnsafeRawBufferPointer) -> UInt64 {
        let count = key.count
        let start = key.baseAddress!
        guard count < 8, start + 8 <= UnsafeRawPointer(end) else { return JSONString.mark(key) }
        let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
        return word & ((1 << UInt64(truncatingIfNeeded: count &* 8)) &- 1) ^ UInt64(truncatingIfNeeded: count)
            << 56
    }

    @inline(never)
    private func isSame(
        _ entry: Entry,
        _ key: UnsafeRawBufferPointer,
        _ hasEscapes: Bool
    ) -> Bool {
        JSONString.isEqual(text(of: entry), entry.length & 1 != 0, key, hasEscapes)
    }

    private func text(of entry: Entry) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base + Int(entry.offset), count: Int(entry.length >> 1))
    }

    @inline(never)
    private mutating func insertIntoTable(
        _ key: UnsafeRawBufferPointer,
        hasEscapes: Bool,
        depth: Int
    ) -> Bool {
        var table = self.table ?? JSONKeyTable()
        self.table = nil
        if frames[depth] >= 0 {
            let first = Int(frames[depth])
            for index in first..<count {
                let entry = entries[index]
                _ = table.insert(text(of: entry), entry.length & 1 != 0, object: tabled)
            }
            count = first
            frames[depth] = ~tabled
            tabled += 1
        }
        let isNew = table.insert(key, hasEscapes, object: ~frames[depth])
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
        var key: UnsafeRawBufferPointer
    }

    private var slots: [Slot] = []
    private var used = 0

    mutating func insert(_ key: UnsafeRawBufferPointer, _ hasEscapes: Bool, object: Int32) -> Bool {
        if (used + 1) * 2 > slots.count {
            grow()
        }
        var hasher = Hasher()
        hasher.combine(object)
        if hasEscapes {
            var unescaped: [UInt8] = []
            JSONString.unescape(key, into: &unescaped)
            unescaped.withUnsafeBytes { hasher.combine(bytes: $0) }
        } else {
            hasher.combine(bytes: key)
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
            key: UnsafeRawBufferPointer(start: nil, count: 0)
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
