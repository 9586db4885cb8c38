internal import ReactiveGraph

// What the stages have in common: an input is empty, a failure, or a value, and each stage says what it does with
// each (definitions.md §3, column "on an input in fail").

extension Node where Value == Datum {
    /// A stage that computes: empty stays empty, a failure stays that failure.
    func computing(
        _ name: String,
        _ meter: StageMeter? = nil,
        _ compute: @escaping (Datum) -> Emission<Datum>?
    ) -> Node<Datum> {
        transform(named: name) { emission, _ in
            meter?.spend(1)
            guard case .value(let datum) = emission, !datum.isFail else { return emission }
            return compute(datum)
        }
    }

    /// A stage that chooses: empty stays empty, a failure passes as a value does that is chosen.
    func choosing(
        _ name: String,
        _ meter: StageMeter?,
        _ isChosen: @escaping (Datum) -> Bool
    ) -> Node<Datum> {
        transform(named: name) { emission, _ in
            meter?.spend(1)
            guard case .value(let datum) = emission, !datum.isFail else { return emission }
            return isChosen(datum) ? emission : nil
        }
    }
}

extension StageMeter {
    /// Counts a run that looks at the whole text of a value: a unit more for eight bytes, as in expressions.
    @inline(__always)
    func spend(on datum: Datum) {
        spend(1 + datum.textCost)
    }
}

extension Datum {
    /// A unit for eight bytes of text; nothing for a value that has none yet.
    var textCost: Int { knownByteCount >> 3 }
}
