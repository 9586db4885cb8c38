internal import ReactiveGraph

// What the stages have in common: an input is empty, a failure, or a value, and each stage says what it does with
// each (definitions.md §3, column "on an input in fail").

extension Node where Value == Datum {
    /// A stage that computes: empty stays empty, a failure stays that failure.
    func computing(_ name: String, _ compute: @escaping (Datum) -> Emission<Datum>?) -> Node<Datum> {
        transform(named: name) { emission, _ in
            guard case .value(let datum) = emission, !datum.isFail else { return emission }
            return compute(datum)
        }
    }

    /// A stage that chooses: empty stays empty, a failure passes as a value does that is chosen.
    func choosing(_ name: String, _ isChosen: @escaping (Datum) -> Bool) -> Node<Datum> {
        transform(named: name) { emission, _ in
            guard case .value(let datum) = emission, !datum.isFail else { return emission }
            return isChosen(datum) ? emission : nil
        }
    }
}
