internal import CEL
internal import ReactiveGraph
internal import Values

extension StageMaker {
    /// The expression as this stage uses it, taking `count` values in the order of its variables.
    func evaluation(_ expression: Expression, taking count: Int = 1) -> Evaluation {
        Evaluation(expression, taking: count, at: place, by: clock, for: meter, key: key)
    }

    /// A stage of an operator whose input and output are values of the host.
    func stage<Base: Operator>(
        _ base: Base,
        _ failures: FailurePolicy,
        _ cost: StageCost = .run,
        _ failure: StageFailure? = nil,
        afterwards: ((Base, Datum?) -> Void)? = nil,
        give: @escaping (Datum) -> StageInput<Datum> = { .value($0) }
    ) -> StageOperator where Base.Input == Datum, Base.Output == Datum {
        let policy = StagePolicy<Base>(failures, cost, meter, failure, give: give) { .value($0) }
        policy.afterwards = afterwards
        if base.hearsEmptyAtConnection { meter?.noteEmpty() }
        return StageOperator(Policied(base: base, policy: policy))
    }

    /// A stage of an operator with another input or output type.
    func stage<Base: Operator>(
        _ base: Base,
        _ failures: FailurePolicy,
        give: @escaping (Datum) -> StageInput<Base.Input>,
        take: @escaping (Base.Output) -> Emission<Datum>
    ) -> StageOperator {
        StageOperator(
            Policied(base: base, policy: StagePolicy(failures, .run, meter, give: give, take: take))
        )
    }

    /// A stage of a timed operator; failures are values like others.
    func timed<Base: TimedOperator>(_ base: Base) -> StageOperator
    where Base.Input == Datum, Base.Output == Datum {
        let policy = StagePolicy<Base>(.count, .run, meter, give: { .value($0) }) { .value($0) }
        if let meter {
            let sizes = HeldSizes()
            policy.afterwards = { base, value in
                if let value { sizes.add(value.heldBytes) }
                sizes.trim(to: base.waiting)
                meter.keeps(sizes.sum)
            }
        }
        return StageOperator(Policied(base: base, policy: policy), on: timers)
    }

    /// Passes numbers to an operator, and a failure in place of anything else.
    func number(_ message: String) -> (Datum) -> StageInput<Number> {
        let place = place
        return { datum in
            datum.number.map { .value($0) } ?? .failure(.fail("expr_type", at: place, message))
        }
    }

    /// What an operator makes of numbers, as a value; nil: no number has so many digits.
    func datum(_ number: Number?) -> Datum {
        guard let number else {
            let message = "the exact result has more digits than a number can have"
            return .fail("expr_overflow", at: place, message)
        }
        return Evaluation.datum(number.value, at: place)
    }
}
