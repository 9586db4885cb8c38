public import Support

/// What a path and a method lead to: a number that the server gives, its place in `Operation.all`.
public struct Route: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// Finds the route of a request by method and decoded path, byte by byte: a tree of segments.
///
/// Patterns are literal segments and captures: `{g}` takes a name
/// (`[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`), `{c:any}` any segment that is not empty. At one place of
/// the tree a literal goes before a capture, and there is no way back. HEAD is answered by the
/// route of GET; OPTIONS by `options`, unless a route of its own is added.
public struct Router {
    /// The outcome of a match.
    public enum Match {
        case found(Route, Captures)
        /// No route has this path: 404.
        case notFound
        /// Routes have this path with other methods: 405, `Allow` with this value.
        case methodNotAllowed(allow: String)
        /// OPTIONS on a known path: 204, `Allow` with this value.
        case options(allow: String)
    }

    private var tables = RouteTables(RouteTree())

    public init() {}

    /// Adds a route.
    ///
    /// Adding one twice, or a pattern that does not begin with a slash, is a programming error.
    public mutating func add(_ method: Method, _ pattern: String, _ route: Route) {
        var tree = tables.tree
        tree.add(method, pattern, route)
        tables = RouteTables(tree)
    }

    /// The methods that any route has, for `OPTIONS *`.
    public var allowEverywhere: String { tables.tree.allowEverywhere }

    /// The route of a request.
    /// - Parameters:
    ///   - method: the request's method.
    ///   - path: the decoded path; captures are lent from it.
    /// - Returns: the route, or what to answer if there is none.
    public func match(_ method: Method, _ path: BorrowedBytes) -> Match {
        guard let base = unsafe path.baseAddress, path.count > 0, path[0] == ASCII.slash else {
            return method == .options && path.equals("*")
                ? .options(allow: allowEverywhere) : .notFound
        }
        let places = unsafe tables.places
        var place = 0
        var captures = Captures()
        var start = 1
        while true {
            var end = unsafe tables.literalEnd(places[place], base, start, path.count, &place)
            if end < 0 {
                guard unsafe places[place].capture >= 0 else { return .notFound }
                end = unsafe Self.captureEnd(base, start, path.count, namesOnly: places[place].takesNames)
                guard end > start else { return .notFound }
                unsafe captures.append(BorrowedBytes(start: base + start, count: end &- start))
                place = unsafe places[place].capture
            }
            if end == path.count { break }
            start = end &+ 1
        }
        return unsafe decide(method, places[place], captures)
    }

    private func decide(_ method: Method, _ place: RouteTables.Place, _ captures: Captures) -> Match {
        guard place.routeCount > 0 else { return .notFound }
        let routes = unsafe UnsafeBufferPointer(
            start: tables.routes + place.firstRoute,
            count: place.routeCount
        )
        // A HEAD without a route of its own is answered as a GET.
        let entry =
            unsafe routes.first { $0.method == method }
            ?? (method == .head ? routes.first { $0.method == .get } : nil)
        if let entry { return .found(entry.route, captures) }
        let allow = tables.tree.places[place.number].allow
        return method == .options ? .options(allow: allow) : .methodNotAllowed(allow: allow)
    }

    /// The end of the segment at `start`, -1 where it cannot be captured.
    @inline(__always)
    private static func captureEnd(
        _ path: UnsafeRawPointer,
        _ start: Int,
        _ count: Int,
        namesOnly: Bool
    ) -> Int {
        var end = start
        if namesOnly {
            while end < count, unsafe Name.mayContain(path.load(fromByteOffset: end, as: UInt8.self)) {
                end &+= 1
            }
            guard end > start, end &- start <= Name.maximumBytes,
                unsafe Name.mayBegin(path.load(fromByteOffset: start, as: UInt8.self)),
                unsafe end == count || path.load(fromByteOffset: end, as: UInt8.self) == ASCII.slash
            else { return -1 }
        } else {
            while end < count, unsafe path.load(fromByteOffset: end, as: UInt8.self) != ASCII.slash {
                end &+= 1
            }
        }
        return end
    }
}
