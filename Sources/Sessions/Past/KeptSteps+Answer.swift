internal import CEL
public import Commits
public import Graphs
internal import Support
internal import Values

extension KeptSteps {
    /// Answers on any thread, with what `reader` has stored besides.
    ///
    /// - Returns: JSON, `{"epoch","rev","since","begin","end","step","d":[…]}` (docs/protocol-http.md,
    ///   History by time).
    public func answer(_ reader: (any LogReader)?, while isWanted: () -> Bool) -> PastAnswer {
        let first = max(begin, since)
        var chunks: [HistoryChunk] = []
        var shortest = every
        do {
            if hasStored, let reader, first <= end {
                let inMemory = Set(self.chunks.map { [$0.start, $0.every] })
                chunks = try reader.history(of: node, in: graph, first...end)
                    .filter { !inMemory.contains([$0.start, $0.every]) }
            }
            chunks += self.chunks
            for chunk in chunks { shortest = max(shortest, chunk.every) }
            var steps = MergedSteps(from: first, to: end, shortest: shortest, points: points)
            for chunk in chunks {
                guard isWanted() else { return .stopped }
                try chunk.forEachStep { step in
                    guard step.start + chunk.every > first, step.start <= end else { return }
                    steps.add(step)
                }
            }
            return .body(body(steps))
        } catch let error as StoreError {
            return .failed(error)
        } catch {
            return .failed(StoreError("the history of \(node) of graph \(graph) is damaged"))
        }
    }

    private func body(_ steps: MergedSteps) -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("{")
        buffer.member("epoch", epoch)
        buffer.member("rev", rev)
        buffer.member("since", since)
        buffer.member("begin", begin)
        buffer.member("end", end)
        buffer.member("step", steps.length)
        buffer.member("d")
        steps.append(to: &buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}

/// Steps put together to longer ones.
private struct MergedSteps {
    /// How long each is, in milliseconds: a multiple of the shortest.
    let length: UInt64
    private let first: UInt64
    private var steps: [PackedStep?]

    /// No steps from `begin` to `end`, at most so many.
    init(from begin: UInt64, to end: UInt64, shortest: UInt64, points: Int) {
        guard begin <= end else {
            (length, first, steps) = (shortest, 0, [])
            return
        }
        func count(_ length: UInt64) -> UInt64 { end / length - begin / length + 1 }
        var length = max(1, (end - begin) / UInt64(points) / shortest) * shortest
        // Steps begin at multiples of their length, so one more than fits the range may touch it.
        while count(length) > UInt64(points) { length += max(1, length / shortest / 8) * shortest }
        self.length = length
        first = begin / length
        steps = Array(repeating: nil, count: Int(count(length)))
    }

    /// Adds a step that is not older than those before.
    mutating func add(_ step: PackedStep) {
        // The first one may begin before the range.
        let place = Int(max(step.start / length, first) - first)
        guard place < steps.count else { return }
        if steps[place]?.add(step) == nil { steps[place] = step }
    }

    func append(to buffer: inout ByteBuffer) {
        buffer.append("[")
        var isFirst = true
        for (place, step) in steps.enumerated() {
            guard let step else { continue }
            if !isFirst { buffer.append(",") }
            isFirst = false
            buffer.append("{")
            buffer.member("t", (first + UInt64(place)) * length)
            buffer.member("n", step.count)
            if let figures = step.figures {
                buffer.append(",\"min\":")
                buffer.append(utf8: figures.min.text)
                buffer.append(",\"mean\":")
                buffer.append(utf8: Number(figures.mean).text)
                buffer.append(",\"max\":")
                buffer.append(utf8: figures.max.text)
            }
            buffer.append(",")
            buffer.append(step.last)
            buffer.append("}")
        }
        buffer.append("]")
    }
}
