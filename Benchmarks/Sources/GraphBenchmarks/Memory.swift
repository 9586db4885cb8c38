import CAllocations
import OpenCombine
import ReactiveGraph

/// What one more of something takes.
struct Footprint {
    let what: String
    let contestant: String
    let bytes: Double
    let allocations: Double
}

/// Live heap bytes and allocations per stage of a chain, and per listener.
func footprints() -> [Footprint] {
    guard allocations_counted() else { return [] }
    return [
        footprint("map stage with its value", .sluice) { count in
            let graph = Graph()
            var last: Node<Int> = graph.mutable(0)
            for _ in 0..<count { last = last.map { $0 &+ 1 } }
            return [last]
        },
        footprint("map stage with its value", .openCombine, "CurrentValueSubject") { count in
            let sink = Sink()
            var last = CurrentValueSubject<Int, Never>(0)
            sink.kept.append(last)
            sink.cancellables.reserveCapacity(2 * count)
            sink.kept.reserveCapacity(2 * count)
            for _ in 0..<count {
                let next = CurrentValueSubject<Int, Never>(0)
                last.map { $0 &+ 1 }.sink { next.send($0) }.store(in: &sink.cancellables)
                last = next
            }
            return [sink, last]
        },
        footprint("listener, closure form", .sluice) { count in
            let source = Graph().mutable(0)
            let sink = Sink()
            for _ in 0..<count { source.listen(in: sink.bag, replay: false) { sink.take($0) } }
            return [source, sink]
        },
        footprint("listener, owner form", .sluice) { count in
            let source = Graph().mutable(0)
            let sink = Sink()
            let gauge = Gauge(sink)
            for _ in 0..<count {
                source.listen(owner: gauge, replay: false) { gauge, value in gauge.sink.take(value) }
            }
            return [source, gauge]
        },
        footprint("listener", .openCombine, "sink") { count in
            let source = CurrentValueSubject<Int, Never>(0)
            let sink = Sink()
            for _ in 0..<count { source.sink { sink.take($0) }.store(in: &sink.cancellables) }
            return [source, sink]
        },
        footprint("combine of 2", .sluice) { count in
            let graph = Graph()
            let left = graph.mutable(0)
            let right = graph.mutable(0)
            return (0..<count).map { _ in Node.combineEach(left, right) { $0 &+ $1 } }
        },
    ]
}

private func footprint(
    _ what: String,
    _ library: Library,
    _ detail: String = "",
    _ make: (Int) -> [AnyObject]
) -> Footprint {
    // Everything is kept to the end: what is freed in between would be used again, and not be seen.
    // The first time makes whatever is made once only.
    var kept = [make(1)]
    let few = measured { kept.append(make(1_000)) }
    let many = measured { kept.append(make(2_000)) }
    withExtendedLifetime(kept) {}
    return Footprint(
        what: what,
        contestant: detail.isEmpty ? library.rawValue : "\(library.rawValue), \(detail)",
        bytes: (many.bytes - few.bytes) / 1_000,
        allocations: (many.blocks - few.blocks) / 1_000
    )
}

private func measured(_ body: () -> Void) -> (bytes: Double, blocks: Double) {
    let bytes = allocations_live_bytes()
    let blocks = allocations_total()
    body()
    return (
        Double(allocations_live_bytes()) - Double(bytes), Double(allocations_total() - blocks)
    )
}
