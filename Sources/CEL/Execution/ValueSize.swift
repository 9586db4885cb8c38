/// How much a value may take: what leaves an evaluation has a bound, and looking at all of it has a
/// price.
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
        takePart(value)
        return room >= 0 && elements >= 0
    }

    /// Most parts are numbers or texts.
    @inline(__always)
    private mutating func takePart(_ value: Value) {
        room -= 1
        elements -= 1
        if value.isScalar { return }
        elements -= 4
        if case .string(let text) = value {
            room -= text.utf8.count
        } else {
            takeContainer(value)
        }
    }

    private mutating func takeContainer(_ value: Value) {
        switch value {
        case .bytes(let bytes): room -= bytes.count
        case .list(let list):
            for element in list.elements where room >= 0 && elements >= 0 { takePart(element) }
        case .map(let map):
            for entry in map where room >= 0 && elements >= 0 {
                takePart(entry.key)
                takePart(entry.value)
            }
        case .optional(let optional):
            if let value = optional.value { takePart(value) }
        default: break
        }
    }
}
