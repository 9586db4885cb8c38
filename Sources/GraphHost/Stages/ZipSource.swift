internal import CEL
internal import ReactiveGraph

/// `zip`: the first values of several nodes together, then the second ones, and so on (G-86).
///
/// Every value takes a place in the queue of its input, null and failures too; a row with a failure in it is that
/// failure. Emptiness takes no place and changes nothing. At most `limit` values of one input wait for the others
/// (G-142): when one more comes, the oldest is lost, and the node says so by the failure `overflow` until the next row,
/// because from then on the rows are not the ones that were asked for.
final class ZipSource {
    private let limit: Int
    private let place: String
    private let evaluation: Evaluation?
    private let meter: StageMeter?
    private var queues: [Queue]
    /// Inputs for which nothing waits.
    private var missing: Int
    private var isOverflowing = false

    init(inputs: Int, limit: Int, at place: String, _ evaluation: Evaluation?, _ meter: StageMeter?) {
        self.limit = limit
        self.meter = meter
        self.place = place
        self.evaluation = evaluation
        queues = Array(repeating: Queue(), count: inputs)
        missing = inputs
    }

    /// The node of the rows of `inputs`.
    static func node(
        of inputs: [Node<Datum>],
        limit: Int,
        at place: String,
        _ evaluation: Evaluation?,
        _ meter: StageMeter?
    ) -> Node<Datum> {
        let zip = ZipSource(inputs: inputs.count, limit: limit, at: place, evaluation, meter)
        let node = inputs[0].graph.node(of: Datum.self)
        for (number, input) in inputs.enumerated() {
            node.link(
                to: input,
                via: TransformEdge(name: "zip") { emission, _ in zip.receive(emission, from: number) }
            )
        }
        return node
    }

    private func receive(_ emission: Emission<Datum>, from input: Int) -> Emission<Datum>? {
        meter?.spend(1)
        guard case .value(let datum) = emission else { return nil }
        if queues[input].isEmpty { missing -= 1 }
        queues[input].append(datum)
        guard missing > 0 else {
            isOverflowing = false
            return row()
        }
        guard queues[input].count > limit else { return nil }
        _ = queues[input].removeFirst()
        defer { isOverflowing = true }
        return isOverflowing
            ? nil : .value(.fail("overflow", at: place, "too many values wait for the other inputs"))
    }

    private func row() -> Emission<Datum> {
        var data: [Datum] = []
        data.reserveCapacity(queues.count)
        for input in queues.indices {
            data.append(queues[input].removeFirst())
            if queues[input].isEmpty { missing += 1 }
        }
        if let fail = data.first(where: \.isFail) { return .value(fail) }
        if let meter { meter.spend(data.reduce(0) { $0 + 1 + $1.textCost }) }
        guard let evaluation else { return Graph.text(of: data, names: nil) }
        return evaluation.emission(.list(ValueList(data.map(\.tree))))
    }

    /// What waits at one input.
    private struct Queue {
        private var values: [Datum] = []
        private var first = 0

        var count: Int { values.count - first }
        var isEmpty: Bool { first == values.count }

        mutating func append(_ datum: Datum) {
            values.append(datum)
        }

        mutating func removeFirst() -> Datum {
            let datum = values[first]
            first += 1
            if isEmpty {
                values.removeAll(keepingCapacity: values.capacity <= 64)
                first = 0
            } else if first > 64, first * 2 > values.count {
                values.removeFirst(first)
                first = 0
            }
            return datum
        }
    }
}
