internal import Support

/// The routes as they were added; `RouteTables` is the same for matching.
struct RouteTree {
    struct Place {
        var literals: [(text: [UInt8], place: Int)] = []
        /// The place after a capture, -1 if there is none; and whether it takes names only.
        var capture = -1
        var takesNames = true
        var routes: [RouteTables.Entry] = []
        var allow = ""
    }

    private(set) var places = [Place()]

    mutating func add(_ method: Method, _ pattern: String, _ route: Route) {
        precondition(pattern.utf8.first == ASCII.slash, "a pattern begins with a slash")
        var place = 0
        var captures = 0
        let segments = pattern.utf8.dropFirst().split(
            separator: ASCII.slash,
            omittingEmptySubsequences: false
        )
        for segment in segments {
            if segment.first == UInt8(ascii: "{") {
                place = captureBehind(place, takesNames: !segment.contains(UInt8(ascii: ":")))
                captures += 1
            } else {
                place = literalBehind(place, Array(segment))
            }
        }
        precondition(captures <= 4, "at most four captures")
        precondition(!places[place].routes.contains { $0.method == method }, "a route is added twice")
        places[place].routes.append(RouteTables.Entry(method: method, route: route))
        places[place].allow = Self.allow(places[place].routes.map(\.method))
    }

    var allowEverywhere: String {
        Self.allow(places.flatMap { $0.routes.map(\.method) })
    }

    private mutating func literalBehind(_ place: Int, _ text: [UInt8]) -> Int {
        if let known = places[place].literals.first(where: { $0.text == text }) { return known.place }
        places.append(Place())
        places[place].literals.append((text, places.count - 1))
        return places.count - 1
    }

    private mutating func captureBehind(_ place: Int, takesNames: Bool) -> Int {
        if places[place].capture >= 0 {
            precondition(places[place].takesNames == takesNames, "two kinds of capture at one place")
            return places[place].capture
        }
        places.append(Place())
        places[place].capture = places.count - 1
        places[place].takesNames = takesNames
        return places.count - 1
    }

    /// `Allow` for a place: HEAD comes with GET, OPTIONS always.
    private static func allow(_ methods: [Method]) -> String {
        Method.routable.filter {
            methods.contains($0) || $0 == .options || ($0 == .head && methods.contains(.get))
        }.map(\.name.description).joined(separator: ", ")
    }
}
