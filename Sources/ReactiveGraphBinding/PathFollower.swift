internal import ReactiveGraph

/// Something that wants to know when one of the properties it read is set.
class PathFollower {
    /// Ends at the graph's home what this has there, wherever this is freed (G-165).
    final let bag = CancellableBag()
    private let followed = Followed()

    init(_ graph: Graph) {
        bag.belong(to: graph)
        bag.add(followed)
    }

    /// One of the properties was set.
    func propertyChanged() {}

    /// The properties it follows, which know it until this ends.
    private final class Followed: Cancellable {
        var places: [TrackedReads.Place] = []

        func cancel() {
            for place in places { place.bindings?.followerDies(place.property) }
        }
    }

    /// Runs `read`, and follows what it reads instead of what was read before.
    final func following<Value>(_ graph: Graph, _ read: () -> Value) -> Value {
        let outer = graph.reading
        let reading = TrackedReads()
        graph.reading = reading
        let value = read()
        graph.reading = outer
        if !reading.isSame(as: followed.places) {
            for place in followed.places { place.bindings?.unfollow(place.property, self) }
            followed.places = reading.places
            for place in followed.places { place.bindings?.follow(place.property, self) }
        }
        return value
    }

    final var followsNothing: Bool { followed.places.isEmpty }
}

/// The properties read while something is evaluated.
final class TrackedReads {
    struct Place {
        weak var bindings: Bindings?
        let property: AnyKeyPath
    }

    private(set) var places: [Place] = []

    func note(_ bindings: Bindings, _ property: AnyKeyPath) {
        if places.contains(where: { $0.bindings === bindings && $0.property == property }) { return }
        places.append(Place(bindings: bindings, property: property))
    }

    func isSame(as others: [Place]) -> Bool {
        places.count == others.count
            && zip(places, others).allSatisfy { $0.bindings === $1.bindings && $0.property == $1.property }
    }
}
