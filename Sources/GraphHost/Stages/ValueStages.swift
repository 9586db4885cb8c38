internal import CEL
internal import ReactiveGraph

// Stages of class none and history that look at one value and need no expression.

extension Node where Value == Datum {
    /// `replace`: a constant for every value.
    func replaceStage(_ constant: Datum) -> Node<Datum> {
        let emission = Emission<Datum>.value(constant)
        return computing("replace") { _ in emission }
    }

    /// `ifEmpty`: a constant while the upstream is empty.
    func ifEmptyStage(_ constant: Datum) -> Node<Datum> {
        transform(named: "ifEmpty") { emission, _ in emission.isEmpty ? .value(constant) : emission }
    }

    /// `ignore`: values other than this one.
    func ignoreStage(_ unwanted: Datum) -> Node<Datum> {
        choosing("ignore") { $0 != unwanted }
    }

    /// `select`: only this value.
    func selectStage(_ wanted: Datum) -> Node<Datum> {
        choosing("select") { $0 == wanted }
    }

    /// `ignoreNull`: values other than JSON null.
    func ignoreNullStage() -> Node<Datum> {
        choosing("ignoreNull") { $0.kind != .null }
    }

    /// `distinct`: values that differ from what this node holds (G-71); an empty node lets anything through.
    func distinctStage() -> Node<Datum> {
        var present: Datum?
        return transform(named: "distinct") { emission, _ in
            let value = emission.value
            if let value, let held = present, held == value { return nil }
            present = value
            return emission
        }
    }

    /// The difference to the previous number.
    ///
    /// Emptiness travels, the previous number stays.
    func deltaStage(at place: String) -> Node<Datum> {
        var previous: Double?
        return computing("delta") { datum in
            guard case .double(let number) = datum.tree else {
                return .value(.fail("expr_type", at: place, "delta needs numbers"))
            }
            let before = previous
            previous = number
            return before.flatMap { Evaluation.emission(.double(number - $0), at: place) }
        }
    }
}
