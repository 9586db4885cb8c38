/// What an evaluation may still spend, and what its functions need to know.
@safe
struct Meter {
    /// Units left.
    var fuel: Int
    let isStrict: Bool

    /// The code that runs keeps them alive, and nothing is counted for that.
    private let resources: Unmanaged<Resources>

    init(fuel: Int, of resources: Resources) {
        self.fuel = fuel
        isStrict = resources.isStrict
        unsafe self.resources = unsafe Unmanaged.passUnretained(resources)
    }

    /// What `matches` may use.
    var regex: (any RegexEngine)? {
        unsafe resources.takeUnretainedValue().regex
    }

    /// Where named time zones are looked up.
    var zones: (any TimeZones)? {
        unsafe resources.takeUnretainedValue().zones
    }

    /// Spends units, or fails when there are not so many left.
    @inline(__always)
    mutating func spend(_ units: Int) throws(Failure) {
        fuel &-= units
        if fuel < 0 { throw .cost }
    }

    /// Spends what a new list costs into which so many elements are copied: each may be an object
    /// somewhere in memory.
    mutating func spend(elements count: Int) throws(Failure) {
        try spend(Price.object + 3 * count)
    }

    /// Spends what memory for a new text, bytes or optional costs; lists and maps are paid for by
    /// their elements.
    mutating func spend(memoryOf value: Value) throws(Failure) {
        switch value {
        case .string(let text) where text.utf8.count > 15: try spend(Price.object)
        case .bytes, .optional: try spend(Price.object)
        default: break
        }
    }

    /// Spends what handling so many bytes costs: one unit for eight.
    mutating func spend(bytes: Int) throws(Failure) {
        try spend(bytes >> 3)
    }
}
