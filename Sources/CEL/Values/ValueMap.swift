/// An immutable map with keys in the order they were added, copied by reference.
///
/// Keys are strings, bools, ints or uints, as CEL demands; JSON objects have string keys only.
/// Small maps are searched one entry after the other by a short hash of the key, larger ones
/// through an index with a hash that is seeded per process, so that chosen keys cannot make
/// look-ups slow. Strings are equal when their UTF-8 bytes are.
public struct ValueMap: Sendable {
    /// A key, its short hash, and its value.
    public struct Entry: Sendable {
        /// A string, bool, int or uint.
        public let key: Value
        /// What stands under the key.
        public let value: Value
        let tag: UInt32
    }

    /// The entries in one block of memory, which the code of expressions reads directly.
    @safe
    final class Storage: @unchecked Sendable {
        // Nothing is written after `init`, so that any thread may read.
        let first: UnsafeMutablePointer<Entry>
        let count: Int
        let index: KeyIndex?
        let nestingDepth: Int

        init(entries: [Entry], index: KeyIndex?, nestingDepth: Int) {
            unsafe first = .allocate(capacity: Swift.max(1, entries.count))
            count = entries.count
            _ = unsafe UnsafeMutableBufferPointer(start: first, count: count).initialize(from: entries)
            self.index = index
            self.nestingDepth = nestingDepth
        }

        deinit {
            unsafe first.deinitialize(count: count)
            unsafe first.deallocate()
        }

        var entries: UnsafeBufferPointer<Entry> {
            unsafe UnsafeBufferPointer(start: first, count: count)
        }
    }

    let storage: Storage

    /// A map with `entries` in this order; of equal keys the first stays.
    public init(_ entries: [(String, Value)]) {
        var builder = Builder(capacity: entries.count)
        for (key, value) in entries {
            _ = builder.append(key, value)
        }
        self = builder.finish()
    }

    init(storage: Storage) {
        self.storage = storage
    }

    /// 1 for an empty map or one of scalars.
    ///
    /// Constant time.
    public var nestingDepth: Int {
        storage.nestingDepth
    }

    public subscript(key: String) -> Value? {
        guard let position = position(of: key, tag: KeyTag.of(key)) else { return nil }
        return unsafe storage.entries[position].value
    }

    /// The value under any key; a number finds the key of equal value, whatever its type.
    public subscript(key key: Value) -> Value? {
        guard let position = position(of: key) else { return nil }
        return unsafe storage.entries[position].value
    }

    /// The position of a string key whose short hash the caller has at hand.
    @inline(__always)
    func position(of key: String, tag: UInt32) -> Int? {
        if let index = storage.index {
            return unsafe index.position(of: .string(key), among: storage.entries)
        }
        var position = 0
        for entry in self {
            if entry.tag == tag, case .string(let candidate) = entry.key, candidate.hasSameBytes(as: key) {
                return position
            }
            position += 1
        }
        return nil
    }

    func position(of key: Value) -> Int? {
        guard let key = key.normalisedMapKey else { return nil }
        if let index = storage.index {
            return unsafe index.position(of: key, among: storage.entries)
        }
        let tag = KeyTag.of(key)
        return unsafe storage.entries.firstIndex { $0.tag == tag && $0.key.isSameKey(as: key) }
    }
}

extension ValueMap: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.count }

    /// The entry at a position, in the order in which they were added.
    public subscript(position: Int) -> Entry {
        precondition(position >= 0 && position < storage.count, "the position is outside the map")
        return unsafe storage.entries[position]
    }
}

extension ValueMap {
    /// Collects entries for a map, refusing keys it has already.
    public struct Builder {
        /// Above this many entries the map gets an index.
        static let linearLimit = 12

        private var entries: [Entry] = []
        private var index: KeyIndex?
        private var deepest = 0

        /// An empty builder with room for `capacity` entries.
        public init(capacity: Int = 0) {
            entries.reserveCapacity(capacity)
        }

        /// How many entries there are so far.
        public var count: Int {
            entries.count
        }

        /// Adds an entry, or answers false and changes nothing when the key is there already.
        public mutating func append(_ key: String, _ value: Value) -> Bool {
            append(normalised: .string(key), value)
        }

        /// Adds an entry, or answers false when the key is there already or is not a string, bool,
        /// int or uint.
        public mutating func append(key: Value, _ value: Value) -> Bool {
            guard key.isMapKey else { return false }
            return append(normalised: key, value)
        }

        private mutating func append(normalised key: Value, _ value: Value) -> Bool {
            let tag = KeyTag.of(key)
            let isNew =
                index?.append(key, after: entries)
                ?? !entries.contains { $0.tag == tag && $0.key.isSameKey(as: key) }
            guard isNew else { return false }
            deepest = Swift.max(deepest, value.nestingDepth)
            entries.append(Entry(key: key, value: value, tag: tag))
            if index == nil, entries.count > Builder.linearLimit {
                index = KeyIndex(entries)
            }
            return true
        }

        public consuming func finish() -> ValueMap {
            ValueMap(storage: Storage(entries: entries, index: index, nestingDepth: deepest + 1))
        }
    }
}
