internal import ReactiveGraph
internal import Values

/// How a stage treats an input that is a failure.
enum FailurePolicy: Sendable {
    /// The failure goes on as it is; the operator does not receive it.
    case bypass
    /// The failure counts as any other value.
    case count
}

/// The cost of one run of a stage, besides the units of its expressions.
package enum StageCost: Sendable {
    /// The expression pays.
    case none
    /// ``runUnits``.
    case run
    /// The same, and one more for eight bytes of text, as in expressions.
    case text

    /// The cost of passing a value from one stage to the next, in units of expressions: at
    /// most 1.8 microseconds, because the processor's caches do not hold many stages.
    static let runUnits = 90
    /// The cost of noting that one of the nodes of an `all` has changed.
    static let gatheringUnits = 40
    /// The cost of keeping a value that waits for others.
    static let keepingUnits = 60

    /// The cost of putting the values of some nodes together.
    package static func rowUnits(_ count: Int) -> Int { 25 + 4 * count }
}

enum StageInput<Value> {
    case value(Value)
    /// The value does not fit the operator: the stage emits this failure.
    case failure(Datum)
}

/// Holds a failure raised by a function of the stage; the stage emits it in place of the operator's
/// result.
final class StageFailure {
    var datum: Datum?
}

/// An operator of the library as a stage of the host (definitions, "on a failed input").
struct Policied<Base: Operator>: Operator {
    var base: Base
    let policy: StagePolicy<Base>

    var name: String { base.name }
    var hearsEmptyAtConnection: Bool { base.hearsEmptyAtConnection }
    var isFinished: Bool { base.isFinished }

    mutating func receive(_ value: Datum, at site: Site) -> Emission<Datum>? {
        guard policy.mayRun(on: value) else { return nil }
        if value.isFail, policy.failures == .bypass { return .value(value) }
        switch policy.give(value) {
        case .failure(let failure): return .value(failure)
        case .value(let given):
            let result = base.receive(given, at: site)
            let emission: Emission<Datum>?
            if let failure = policy.failure?.datum.take() {
                emission = .value(failure)
            } else {
                if let afterwards = policy.afterwards { afterwards(base, value) }
                emission = policy.emission(result)
            }
            if let meter = policy.meter, !meter.admits(emission, of: value) { return nil }
            return emission
        }
    }

    mutating func receiveEmpty(travels: Bool, at site: Site) -> Emission<Datum>? {
        guard policy.mayRun(on: nil) else { return nil }
        let result = base.receiveEmpty(travels: travels, at: site)
        if let afterwards = policy.afterwards { afterwards(base, nil) }
        return policy.emission(result)
    }

    func save(to writer: inout StateWriter) {
        base.save(to: &writer)
    }

    mutating func restore(from reader: inout StateReader) throws {
        try base.restore(from: &reader)
    }
}

extension Policied: TimedOperator where Base: TimedOperator {
    var needsClock: Bool { base.needsClock }
    var nextWake: Deadline? { base.nextWake }
    var isAsynchronous: Bool { base.isAsynchronous }
    var waiting: Int { base.waiting }

    mutating func wake(at site: Site) -> HeldEmission<Datum>? {
        guard let held = base.wake(at: site) else { return nil }
        if let afterwards = policy.afterwards { afterwards(base, nil) }
        return held.map { policy.emission($0) ?? .empty }
    }

    mutating func detach() {
        base.detach()
    }
}
