internal import Support

/// The routes in plain memory, so that matching touches no reference count.
@safe final class RouteTables {
    struct Entry {
        var method: Method
        var route: Route
    }

    struct Literal {
        var text: Int
        var length: Int
        /// Its first eight bytes and which of them belong to it, in memory order.
        var word: UInt64
        var mask: UInt64
        var place: Int
    }

    struct Place {
        var firstLiteral: Int
        var literalCount: Int
        var capture: Int
        var takesNames: Bool
        var firstRoute: Int
        var routeCount: Int
        /// The same place in the tree.
        var number: Int
    }

    let places: UnsafeMutablePointer<Place>
    let literals: UnsafeMutablePointer<Literal>
    let routes: UnsafeMutablePointer<Entry>
    let text: UnsafeMutablePointer<UInt8>
    /// What they were made from; asked for `Allow`.
    let tree: RouteTree

    init(_ tree: RouteTree) {
        self.tree = tree
        let all = tree.places
        unsafe places = .allocate(capacity: all.count)
        unsafe literals = .allocate(capacity: all.reduce(0) { $0 + $1.literals.count })
        unsafe routes = .allocate(capacity: all.reduce(0) { $0 + $1.routes.count })
        unsafe text = .allocate(capacity: all.reduce(0) { $0 + $1.literals.reduce(0) { $0 + $1.text.count } })
        var literalCount = 0
        var routeCount = 0
        var textCount = 0
        for (index, place) in all.enumerated() {
            unsafe (places + index).initialize(
                to: Place(
                    firstLiteral: literalCount,
                    literalCount: place.literals.count,
                    capture: place.capture,
                    takesNames: place.takesNames,
                    firstRoute: routeCount,
                    routeCount: place.routes.count,
                    number: index
                )
            )
            for literal in place.literals {
                unsafe (literals + literalCount).initialize(
                    to: Self.entry(literal.text, at: textCount, literal.place)
                )
                for byte in literal.text {
                    unsafe (text + textCount).initialize(to: byte)
                    textCount += 1
                }
                literalCount += 1
            }
            for route in place.routes {
                unsafe (routes + routeCount).initialize(to: route)
                routeCount += 1
            }
        }
    }

    private static func entry(_ text: [UInt8], at start: Int, _ place: Int) -> Literal {
        var word: UInt64 = 0
        var mask: UInt64 = 0
        for (index, byte) in text.prefix(8).enumerated() {
            word |= UInt64(byte) << UInt64(8 * index)
            mask |= 0xFF << UInt64(8 * index)
        }
        return Literal(
            text: start,
            length: text.count,
            word: word.littleEndian,
            mask: mask.littleEndian,
            place: place
        )
    }

    deinit {
        unsafe places.deallocate()
        unsafe literals.deallocate()
        unsafe routes.deallocate()
        unsafe text.deallocate()
    }

    /// Looks for a literal that is the segment at `start`.
    ///
    /// `next` becomes the place after it.
    /// - Returns: the segment's end, -1 where no literal matches.
    @inline(__always)
    func literalEnd(
        _ place: Place,
        _ path: UnsafeRawPointer,
        _ start: Int,
        _ count: Int,
        _ next: inout Int
    ) -> Int {
        // The next eight bytes, where there are so many: most literals are decided by them.
        let hasWord = start &+ 8 <= count
        let word = unsafe hasWord ? (path + start).loadUnaligned(as: UInt64.self) : 0
        var literal = unsafe literals + place.firstLiteral
        let last = unsafe literal + place.literalCount
        while unsafe literal < last {
            let end = unsafe start &+ literal.pointee.length
            if unsafe !hasWord || word & literal.pointee.mask == literal.pointee.word, end <= count,
                unsafe end == count || path.load(fromByteOffset: end, as: UInt8.self) == ASCII.slash,
                unsafe (hasWord && literal.pointee.length <= 8)
                    || isSame(path + start, text + literal.pointee.text, literal.pointee.length)
            {
                next = unsafe literal.pointee.place
                return end
            }
            unsafe literal += 1
        }
        return -1
    }

    @inline(__always)
    private func isSame(_ left: UnsafeRawPointer, _ right: UnsafeMutablePointer<UInt8>, _ count: Int) -> Bool
    {
        for index in 0..<count where unsafe left.load(fromByteOffset: index, as: UInt8.self) != right[index] {
            return false
        }
        return true
    }
}
