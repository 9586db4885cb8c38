/// The captured segments of a matched path, in order; lent from the path.
@safe public struct Captures {
    private var places:
        (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer)

    /// How many there are, at most four.
    public private(set) var count = 0

    init() {
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe places = unsafe (none, none, none, none)
    }

    /// The capture at `index`.
    public subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "no such capture")
        return switch index {
        case 0: unsafe places.0
        case 1: unsafe places.1
        case 2: unsafe places.2
        default: unsafe places.3
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        switch count {
        case 0: unsafe places.0 = unsafe bytes
        case 1: unsafe places.1 = unsafe bytes
        case 2: unsafe places.2 = unsafe bytes
        default: unsafe places.3 = unsafe bytes
        }
        count &+= 1
    }
}
