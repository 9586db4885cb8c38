public import Support

/// The captured segments of a matched path, in order; lent from the path.
@safe public struct Captures {
    private var places: (BorrowedBytes, BorrowedBytes, BorrowedBytes, BorrowedBytes)

    /// How many there are, at most four.
    public private(set) var count = 0

    init() {
        let none = BorrowedBytes()
        places = (none, none, none, none)
    }

    /// The capture at `index`.
    public subscript(index: Int) -> BorrowedBytes {
        precondition(index >= 0 && index < count, "no such capture")
        return switch index {
        case 0: places.0
        case 1: places.1
        case 2: places.2
        default: places.3
        }
    }

    mutating func append(_ bytes: BorrowedBytes) {
        switch count {
        case 0: places.0 = bytes
        case 1: places.1 = bytes
        case 2: places.2 = bytes
        default: places.3 = bytes
        }
        count &+= 1
    }
}
