/// What a path and a method lead to.
///
/// The server names its routes with static members.
public struct Route: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The captured segments of a matched path, in order; lent from the path.
public struct Captures {
    private var places:
        (
            UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
        )
    /// How many there are, at most four.
    public private(set) var count = 0

    init() {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        places = (none, none, none, none)
    }

    /// The capture at `index`.
    public subscript(index: Int) -> UnsafeRawBufferPointer {
        precondition(index >= 0 && index < count, "no such capture")
        return switch index {
        case 0: places.0
        case 1: places.1
        case 2: places.2
        default: places.3
        }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        switch count {
        case 0: places.0 = bytes
        case 1: places.1 = bytes
        case 2: places.2 = bytes
        default: places.3 = bytes
        }
        count &+= 1
    }
}

/// Finds the route of a request by method and decoded path, byte by byte: a tree of segments.
///
/// Patterns are literal segments and captures: `{g}` takes a name (`[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}`),
/// `{c:any}` any segment that is not empty. At one place of the tree a literal goes before a capture, and
/// there is no way back. HEAD is answered by the route of GET; OPTIONS by `options`, unless a route of its
/// own is added.
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

    fileprivate struct Place {
        var literals: [(text: [UInt8], place: Int)] = []
        /// The place behind a capture, -1 where there is none; and whether it takes names only.
        var capture = -1
        var capturesNames = true
        var routes: [(method: Method, route: Route)] = []
        var allow = ""
    }

    private var places = [Place()]

    public init() {}

    /// Adds a route.
    ///
    /// Adding one twice, or a pattern that begins without a slash, is a programming error.
    public mutating func add(_ method: Method, _ pattern: String, _ route: Route) {
        precondition(pattern.utf8.first == ASCII.slash, "a pattern begins with a slash")
        var place = 0
        var captures = 0
        for segment in pattern.utf8.dropFirst().split(
            separator: ASCII.slash,
            omittingEmptySubsequences: false
        ) {
            if segment.first == UInt8(ascii: "{") {
                place = captureBehind(place, takesNames: !segment.contains(UInt8(ascii: ":")))
                captures += 1
            } else {
                place = literalBehind(place, Array(segment))
            }
        }
        precondition(captures <= 4, "at most four captures")
        precondition(!places[place].routes.contains { $0.method == method }, "a route is added twice")
        places[place].routes.append((method, route))
        places[place].allow = Self.allow(places[place].routes.map(\.method))
    }

    /// The route of a request.
    /// - Parameters:
    ///   - method: the request's method.
    ///   - path: the decoded path; captures are lent from it.
    /// - Returns: the route, or what to answer where there is none.
    public func match(_ method: Method, _ path: UnsafeRawBufferPointer) -> Match {
        guard path.first == ASCII.slash else {
            return method == .options && path.equals("*") ? .options(allow: allowEverywhere) : .notFound
        }
        var place = 0
        var captures = Captures()
        var start = 1
        while start <= path.count {
            var end = start
            while end < path.count, path[end] != ASCII.slash {
                end &+= 1
            }
            let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
            guard let next = places[place].step(segment, &captures) else { return .notFound }
            place = next
            start = end &+ 1
        }
        return decide(method, places[place].routes, places[place].allow, captures)
    }

    /// The methods that any route has, for `OPTIONS *`.
    public var allowEverywhere: String {
        Self.allow(places.flatMap { $0.routes.map(\.method) })
    }

    private func decide(
        _ method: Method,
        _ routes: [(method: Method, route: Route)],
        _ allow: String,
        _ captures: Captures
    ) -> Match {
        for entry in routes where entry.method == method {
            return .found(entry.route, captures)
        }
        if routes.isEmpty { return .notFound }
        if method == .head {
            for entry in routes where entry.method == .get {
                return .found(entry.route, captures)
            }
        }
        return method == .options ? .options(allow: allow) : .methodNotAllowed(allow: allow)
    }

    private mutating func literalBehind(_ place: Int, _ text: [UInt8]) -> Int {
        if let known = places[place].literals.first(where: { $0.text == text }) { return known.place }
        places.append(Place())
        places[place].literals.append((text, places.count - 1))
        return places.count - 1
    }

    private mutating func captureBehind(_ place: Int, takesNames: Bool) -> Int {
        if places[place].capture >= 0 {
            precondition(places[place].capturesNames == takesNames, "two kinds of capture at one place")
            return places[place].capture
        }
        places.append(Place())
        places[place].capture = places.count - 1
        places[place].capturesNames = takesNames
        return places.count - 1
    }

    /// `Allow` for a place: HEAD comes with GET, OPTIONS always.
    private static func allow(_ methods: [Method]) -> String {
        Method.routable.filter {
            methods.contains($0) || $0 == .options || ($0 == .head && methods.contains(.get))
        }.map(\.name.description).joined(separator: ", ")
    }
}

extension Router.Place {
    /// The place behind `segment`, which is added to the captures where it is one.
    @inline(__always)
    func step(_ segment: UnsafeRawBufferPointer, _ captures: inout Captures) -> Int? {
        for literal in literals where literal.text.count == segment.count {
            let isSame = literal.text.withUnsafeBufferPointer { text in
                for index in 0..<text.count where text[index] != segment[index] { return false }
                return true
            }
            if isSame { return literal.place }
        }
        guard capture >= 0, capturesNames ? Name.isValid(segment) : segment.count > 0 else { return nil }
        captures.append(segment)
        return capture
    }
}
