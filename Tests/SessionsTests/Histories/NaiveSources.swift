// What the sources of nodes do (docs/definitions.md, Nodes made from others).
extension Naive.Graph {
    private typealias Value = Naive.Value
    private typealias Wire = Naive.Wire

    /// The node of a source, or `target`; the nodes that it is made from are built if they are not
    /// there.
    func source(_ source: Naive.Source, at place: String, as target: Node? = nil) -> Node {
        switch source {
        case .from(let name):
            let input = materialise(name)
            return target.map { derive(input, as: $0) { $0 } } ?? input
        case .combine(let names, let isNamed, let map):
            return join(names.map(materialise), as: target) { values in
                if let map { return map.result(isNamed ? values : [.list(values)], at: place) }
                guard isNamed else { return .value(.list(values)) }
                return .value(.object(zip(Naive.Source.names, values).map { .init(name: $0, value: $1) }))
            }
        case .merge(let names):
            let node = target ?? node()
            for input in names.map(materialise) {
                connect(
                    Wire(input, node) { [unowned self, unowned node] held, path, _ in pass(node, held, path) }
                )
            }
            return node
        case .flatten(let from, let to, let otherwise):
            return flatten(materialise(from), to, otherwise, at: place, as: target)
        case .zip(let names, let map, let buffer):
            return zipped(names.map(materialise), map, buffer ?? .max, at: place, as: target)
        case .sort(let from, let by, let value):
            return derive(materialise(from), as: target) { held in
                guard case .value(let whole) = held else { return held }
                var key = by.result([whole], at: place)
                if case .fail(let failure) = key, failure.code == "expr_no_key" { key = .value(.null) }
                guard case .value(let key) = key else { return key }
                let kept = value?.result([whole], at: place) ?? held
                guard case .value(let kept) = kept else { return kept }
                return .value(.pair(key, kept))
            }
        case .condition(let from, let when, _, _):
            return derive(materialise(from), as: target) { held in
                guard case .value(let whole) = held else { return held }
                switch when.result([whole], at: place) {
                case .value(.bool(let holds)): return .value(.pair(.bool(holds), whole))
                case .fail(let failure): return .fail(failure)
                default: return .fail(Naive.Failure(code: "expr_type", place: place, cause: [.text("if")]))
                }
            }
        case .one(let of, let key): return some(materialise(of), at: place, as: target) { $0 == key }
        case .rest(let of): return some(materialise(of), at: place, as: target) { $0 == .null }
        case .others(let of, let excluded):
            return some(materialise(of), at: place, as: target) { !excluded.contains($0) }
        // A failure goes to `else`.
        case .side(let of, let isThen):
            return some(materialise(of), showsFailures: !isThen, at: place, as: target) {
                $0 == .bool(isThen)
            }
        }
    }

    /// A join: nothing while an input is empty, a failure while an input is one (G-81 over present
    /// inputs).
    private func join(
        _ inputs: [Node],
        as target: Node?,
        _ compute: @escaping ([Value]) -> Held
    ) -> Node {
        let node = target ?? node()
        let join = Naive.Join(inputs.count) { latest in
            if let fail = latest.first(where: \.isFail) { return fail }
            return compute(latest.compactMap { if case .value(let value) = $0 { value } else { nil } })
        }
        node.join = join
        for (place, input) in inputs.enumerated() {
            join.latest[place] = input.held
            connect(
                Wire(input, node) { [unowned self, unowned node] held, path, _ in
                    mark(node, place, held, path)
                },
                replay: false
            )
        }
        node.held = join.first
        return node
    }

    /// Follows the node that the value names (G-77).
    private func flatten(
        _ outer: Node,
        _ to: [(key: String, node: String)],
        _ otherwise: String?,
        at place: String,
        as target: Node?
    ) -> Node {
        let node = target ?? node()
        var followed: Wire?
        func unfollow() {
            if let followed { disconnect(followed) }
            followed = nil
        }
        let wire = Wire(outer, node) { [unowned self, unowned node] held, path, _ in
            guard case .value(let key) = held else {
                unfollow()
                pass(node, held, path)
                return collect()
            }
            let text = if case .text(let text) = key { text } else { key.json }
            guard let name = to.first(where: { $0.key == text })?.node ?? otherwise else {
                unfollow()
                pass(
                    node,
                    .fail(Naive.Failure(code: "not_a_key", place: place, cause: [.text("flatten")])),
                    path
                )
                return collect()
            }
            let inner = building {
                let inner = materialise(name)
                unfollow()
                let wire = Wire(inner, node) { held, path, _ in self.pass(node, held, path) }
                followed = wire
                connect(wire, replay: false, listens: true)
                return inner
            }
            collect()
            pass(node, inner.held, path.passing(inner))
        }
        connect(wire)
        return node
    }

    /// The first values of all inputs, then the second ones, and so on (G-86); the oldest is lost
    /// where too many wait (G-142).
    private func zipped(
        _ inputs: [Node],
        _ map: Naive.Expression?,
        _ most: Int,
        at place: String,
        as target: Node?
    ) -> Node {
        let node = target ?? node()
        var waiting: [[Held]] = Array(repeating: [], count: inputs.count)
        var overflows = false
        for (number, input) in inputs.enumerated() {
            let wire = Wire(input, node) { [unowned self, unowned node] held, path, _ in
                guard held != .empty else { return }
                waiting[number].append(held)
                if waiting.allSatisfy({ !$0.isEmpty }) {
                    overflows = false
                    let row = waiting.map { $0[0] }
                    for place in waiting.indices { waiting[place].removeFirst() }
                    if let fail = row.first(where: \.isFail) { return pass(node, fail, path) }
                    let values = row.compactMap { if case .value(let value) = $0 { value } else { nil } }
                    pass(node, map?.result([.list(values)], at: place) ?? .value(.list(values)), path)
                } else if waiting[number].count > most {
                    waiting[number].removeFirst()
                    guard !overflows else { return }
                    overflows = true
                    pass(node, .fail(Naive.Failure(code: "overflow", place: place)), path)
                }
            }
            connect(wire)
        }
        return node
    }

    /// The values of some keys (G-91, G-93).
    private func some(
        _ switched: Node,
        showsFailures: Bool = true,
        at place: String,
        as target: Node?,
        _ isWanted: @escaping (Value) -> Bool
    ) -> Node {
        derive(switched, as: target) { held in
            guard case .value(let pair) = held else { return held.isFail && !showsFailures ? nil : held }
            guard let found = pair["key"], let value = pair["value"] else {
                return .fail(Naive.Failure(code: "not_a_key", place: place))
            }
            return isWanted(found) ? .value(value) : nil
        }
    }
}
