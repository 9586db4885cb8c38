internal import ReactiveGraph
internal import Values

/// What the host adds to an operator: how values are passed in and out, how failures are treated,
/// and who is charged.
final class StagePolicy<Base: Operator> {
    let failures: FailurePolicy
    let cost: StageCost
    let meter: (any Meter)?
    let give: (Datum) -> StageInput<Base.Input>
    let take: (Base.Output) -> Emission<Datum>
    /// Where functions that the operator calls store their failures.
    let failure: StageFailure?
    /// Called after each run, with the operator in its new state and its input, if the input was a
    /// value.
    var afterwards: ((Base, Datum?) -> Void)?

    init(
        _ failures: FailurePolicy,
        _ cost: StageCost,
        _ meter: (any Meter)?,
        _ failure: StageFailure? = nil,
        give: @escaping (Datum) -> StageInput<Base.Input>,
        take: @escaping (Base.Output) -> Emission<Datum>
    ) {
        self.failures = failures
        self.cost = cost
        self.meter = meter
        self.failure = failure
        self.give = give
        self.take = take
    }

    /// Counts the cost of a run; false if the stage may not run any more.
    func mayRun(on datum: Datum?) -> Bool {
        guard let meter else { return true }
        let units =
            switch cost {
            case .none: 0
            case .run: StageCost.runUnits
            case .text: StageCost.runUnits + (datum?.textCost ?? 0)
            }
        return meter.spend(units)
    }

    func emission(_ result: Emission<Base.Output>?) -> Emission<Datum>? {
        switch result {
        case .value(let value)?: return take(value)
        case .empty?: return .empty
        case nil: return nil
        }
    }
}
