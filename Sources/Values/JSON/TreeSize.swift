internal import CEL

extension Value {
    /// About the memory that it takes outside of its own place, in bytes; linear in its parts.
    ///
    /// Small parts count by what holds them: `[[1],[1]]` takes thirty times as much as its text.
    var outsideBytes: Int {
        switch self {
        case .string(let text):
            let count = text.utf8.count
            // A shorter one is kept in place.
            return count > 15 ? 32 + count : 0
        case .list(let list):
            return list.reduce(96 + list.count * MemoryLayout<Value>.stride) { $0 + $1.outsideBytes }
        case .map(let map):
            return map.reduce(96 + map.count * MemoryLayout<ValueMap.Entry>.stride) {
                $0 + $1.key.outsideBytes + $1.value.outsideBytes
            }
        default:
            return 0
        }
    }
}
