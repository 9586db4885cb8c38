import ReactiveGraph

/// Keeps what was called, in order, over several nodes.
final class Trace {
    let bag = CancellableBag()
    private(set) var lines: [String] = []

    func note(_ line: String) { lines.append(line) }

    /// What was noted since the last look.
    func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    /// Notes every value of `node`.
    @discardableResult
    func hear<Value>(_ node: Node<Value>, as name: String, replay: Bool = false) -> CancelToken {
        node.listen(in: bag, replay: replay) { [unowned self] (value: Value) in note("\(name)\(value)") }
    }

    /// Notes values with their paths as names of nodes, and contexts.
    func hearAll<Value>(_ node: Node<Value>, as name: String, replay: Bool = false) {
        node.listenEmissions(in: bag, replay: replay, paths: true) { [unowned self] emission, delivery in
            guard let value = emission.value else { return }
            let passed = delivery.path.ids.map { "\($0)" }.joined(separator: " ")
            note("\(name)\(value) via \(passed) with \(delivery.context?.value(as: String.self) ?? "none")")
        }
    }
}
