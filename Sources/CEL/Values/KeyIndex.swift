extension Value {
    /// Whether CEL allows this value as the key of a map.
    public var isMapKey: Bool {
        switch self {
        case .bool, .int, .uint, .string: true
        default: false
        }
    }

    /// The key a look-up with this value means: a whole double stands for the int or uint of its
    /// value.
    ///
    /// Nil where no key can be equal.
    var normalisedMapKey: Value? {
        switch self {
        case .bool, .int, .uint, .string: self
        case .double(let number):
            if let int = Int64(exactly: number) {
                .int(int)
            } else if let uint = UInt64(exactly: number) {
                .uint(uint)
            } else {
                nil
            }
        default: nil
        }
    }

    /// Equality of keys: numbers by value, strings by their bytes.
    func isSameKey(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)): a.hasSameBytes(as: b)
        case (.int(let a), .int(let b)): a == b
        case (.uint(let a), .uint(let b)): a == b
        case (.int(let a), .uint(let b)): a >= 0 && UInt64(a) == b
        case (.uint(let a), .int(let b)): b >= 0 && a == UInt64(b)
        case (.bool(let a), .bool(let b)): a == b
        default: false
        }
    }
}

/// Short hashes by which small maps are searched.
///
/// Not seeded: they only spare comparisons.
enum KeyTag {
    /// Bytes of a text that are read: comparing two long keys takes less time than reading one of
    /// them byte by byte.
    private static let length = 32

    static func of(_ key: Value) -> UInt32 {
        switch key {
        case .string(let text): of(text)
        case .int(let number): mix(UInt64(bitPattern: number))
        case .uint(let number): mix(number)
        case .bool(let flag): flag ? 1 : 0
        default: 0
        }
    }

    static func of(_ text: String) -> UInt32 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var left = length
        for byte in text.utf8 {
            if left == 0 { break }
            left -= 1
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    private static func mix(_ bits: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: bits ^ bits >> 32)
    }
}

/// Positions of entries by key: open addressing, at most half full, hashed with the process's own
/// seed.
struct KeyIndex: Sendable {
    private var slots: [Int32]
    private var used: Int

    init(_ entries: [ValueMap.Entry]) {
        slots = Array(repeating: -1, count: KeyIndex.capacity(for: entries.count))
        used = 0
        for (position, entry) in entries.enumerated() {
            var slot = KeyIndex.hash(entry.key) & (slots.count - 1)
            while slots[slot] >= 0 {
                slot = (slot + 1) & (slots.count - 1)
            }
            fill(slot, with: position)
        }
    }

    /// Notes a key for the entry that comes after `entries`, or answers false when one of these has
    /// it.
    mutating func append(_ key: Value, after entries: [ValueMap.Entry]) -> Bool {
        if (used + 1) * 2 > slots.count {
            self = KeyIndex(entries)
        }
        let slot = unsafe entries.withUnsafeBufferPointer { unsafe self.slot(of: key, among: $0) }
        guard slots[slot] < 0 else { return false }
        fill(slot, with: entries.count)
        return true
    }

    func position(of key: Value, among entries: UnsafeBufferPointer<ValueMap.Entry>) -> Int? {
        let position = unsafe Int(slots[slot(of: key, among: entries)])
        return position < 0 ? nil : position
    }

    /// Where the key is noted, or the free slot for it.
    private func slot(of key: Value, among entries: UnsafeBufferPointer<ValueMap.Entry>) -> Int {
        var slot = KeyIndex.hash(key) & (slots.count - 1)
        while slots[slot] >= 0, unsafe !entries[Int(slots[slot])].key.isSameKey(as: key) {
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private mutating func fill(_ slot: Int, with position: Int) {
        slots[slot] = Int32(truncatingIfNeeded: position)
        used += 1
    }

    private static func capacity(for count: Int) -> Int {
        var capacity = 32
        while capacity < count * 4 {
            capacity *= 2
        }
        return capacity
    }

    private static func hash(_ key: Value) -> Int {
        var hasher = Hasher()
        switch key {
        case .string(var text):
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .int(let number): hasher.combine(UInt64(bitPattern: number))
        case .uint(let number): hasher.combine(number)
        case .bool(let flag): hasher.combine(flag)
        default: break
        }
        return hasher.finalize()
    }
}
