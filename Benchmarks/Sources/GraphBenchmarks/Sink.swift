import OpenCombine
import ReactiveGraph

/// Where deliveries end: counts them and adds the values up.
final class Sink {
    let bag = CancellableBag()
    var cancellables: Set<OpenCombine.AnyCancellable> = []
    @exclusivity(unchecked) var count = 0
    @exclusivity(unchecked) var sum = 0
    /// Source nodes and others that have to live as long as this.
    var kept: [AnyObject] = []

    @inline(__always)
    func take(_ value: Int) {
        count &+= 1
        sum &+= value
    }

    /// The number of deliveries that `body` makes.
    func counting(_ body: () -> Void) -> Int {
        let before = count
        body()
        return count - before
    }
}

/// An owner with a bag, as users write it.
final class Gauge: ListenerOwner {
    let listenBag = CancellableBag()
    @exclusivity(unchecked) var sum = 0
    let sink: Sink

    init(_ sink: Sink) { self.sink = sink }
}

/// An owner that knows nothing of the graph.
final class Stranger {
    let sink: Sink

    init(_ sink: Sink) { self.sink = sink }
}
