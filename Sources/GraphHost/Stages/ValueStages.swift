internal import CEL
internal import ReactiveGraph

// Stages of class none and history that look at one value and need no expression.

extension Node where Value == Datum {
    /// `replace`: a constant for every value.
    func replaceStage(_ constant: Datum, _ meter: StageMeter?) -> Node<Datum> {
        let emission = Emission<Datum>.value(constant)
        return computing("replace", meter) { _ in emission }
    }

    /// `ifEmpty`: a constant while the upstream is empty.
    func ifEmptyStage(_ constant: Datum, _ meter: StageMeter?) -> Node<Datum> {
        transform(named: "ifEmpty") { emission, _ in
            meter?.spend(1)
            return emission.isEmpty ? .value(constant) : emission
        }
    }

    /// `ignore`: values other than this one.
    func ignoreStage(_ unwanted: Datum, _ meter: StageMeter?) -> Node<Datum> {
        choosing("ignore", meter) { datum in
            meter?.spend(datum.textCost)
            return datum != unwanted
        }
    }

    /// `select`: only this value.
    func selectStage(_ wanted: Datum, _ meter: StageMeter?) -> Node<Datum> {
        choosing("select", meter) { datum in
            meter?.spend(datum.textCost)
            return datum == wanted
        }
    }

    /// `ignoreNull`: values other than JSON null.
    func ignoreNullStage(_ meter: StageMeter?) -> Node<Datum> {
        choosing("ignoreNull", meter) { $0.kind != .null }
    }

    /// `distinct`: values that differ from what this node holds (G-71); an empty node lets anything through.
    func distinctStage(_ meter: StageMeter?) -> Node<Datum> {
        var present: Datum?
        return transform(named: "distinct") { emission, _ in
            let value = emission.value
            meter?.spend(1 + (value?.textCost ?? 0))
            if let value, let held = present, held == value { return nil }
            present = value
            return emission
        }
    }

    /// The difference to the previous number.
    ///
    /// Emptiness travels, the previous number stays.
    func deltaStage(at place: String, _ meter: StageMeter?) -> Node<Datum> {
        var previous: Double?
        return computing("delta", meter) { datum in
            guard case .double(let number) = datum.tree else {
                return .value(.fail("expr_type", at: place, "delta needs numbers"))
            }
            let before = previous
            previous = number
            return before.flatMap { Evaluation.emission(.double(number - $0), at: place) }
        }
    }
}
