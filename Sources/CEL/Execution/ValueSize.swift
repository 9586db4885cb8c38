/// How much a value may take: what leaves an evaluation has a bound, and looking at all of it has a price.
struct ValueSize {
    /// Numbers and the like that are looked at for one unit; a text, list or map counts as five.
    static let elementsPerUnit = 3

    /// Bytes of text and elements that may still come.
    var room: Int
    /// Elements that may still be looked at.
    var elements: Int

    /// Takes the room of `value`; false when there is not so much.
    ///
    /// Descends at most as deeply as values nest.
    mutating func takes(_ value: Value) -> Bool {
        room -= 1
        elements -= value.isScalar ? 1 : 5
        switch value {
        case .string(let text): room -= text.utf8.count
        case .bytes(let bytes): room -= bytes.count
        case .list(let list):
            for element in list.elements {
                if element.isScalar {
                    room -= 1
                    elements -= 1
                } else {
                    guard takes(element) else { return false }
                }
            }
        case .map(let map):
            for entry in map.storage.entries {
                guard takes(entry.key), takes(entry.value) else { return false }
            }
        case .optional(let optional):
            guard let value = optional.value else { break }
            return takes(value)
        default: break
        }
        return room >= 0 && elements >= 0
    }
}
