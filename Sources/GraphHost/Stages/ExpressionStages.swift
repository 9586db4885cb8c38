internal import CEL
internal import ReactiveGraph

// Stages whose decision is an expression.

extension Node where Value == Datum {
    /// `map`: the expression's value.
    func mapStage(_ evaluation: Evaluation) -> Node<Datum> {
        computing("map") { evaluation.emission($0.tree) }
    }

    /// Values for which the expression is true.
    ///
    /// One that has no answer is a failure.
    func filterStage(_ evaluation: Evaluation) -> Node<Datum> {
        transform(named: "filter") { emission, _ in
            guard case .value(let datum) = emission, !datum.isFail else { return emission }
            do throws(EvaluationError) {
                guard case .bool(let isWanted) = try evaluation.result(datum.tree) else {
                    return evaluation.fail("filter needs true or false")
                }
                return isWanted ? emission : nil
            } catch {
                return evaluation.fail(error)
            }
        }
    }

    /// `distinct` by a key: values whose key differs from that of what this node holds.
    func distinctStage(by evaluation: Evaluation) -> Node<Datum> {
        var present: Datum?
        return transform(named: "distinct") { emission, _ in
            guard case .value(let datum) = emission, !datum.isFail else {
                if let present, present == emission.value { return nil }
                present = emission.value
                return emission
            }
            guard case .value(let key) = evaluation.emission(datum.tree) else { return nil }
            if let present, present == key { return nil }
            present = key
            return key.isFail ? .value(key) : emission
        }
    }

    /// A running value (G-72).
    ///
    /// A failed input or evaluation leaves it as it is.
    func scanStage(_ start: Datum, _ evaluation: Evaluation) -> Node<Datum> {
        var running = start
        var index: Int64 = 0
        return computing("scan") { datum in
            let emission = evaluation.emission([running.tree, datum.tree, .int(index)])
            if case .value(let next) = emission, !next.isFail {
                running = next
                index += 1
            }
            return emission
        }
    }
}
