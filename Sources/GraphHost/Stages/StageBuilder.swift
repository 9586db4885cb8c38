internal import ReactiveGraph

/// Builds the node of a stage behind another node: a name and arguments become an edge.
struct StageBuilder {
    let graph: LiveGraph
    /// Whose time the timed stages live in.
    let time: StageTime
    /// What failures say about where they happened: a node's name, or `pipe`.
    let place: String
    /// Called when a `prefix` has had its last value.
    var onLast: () -> Void = {}

    /// The node of `stage` behind `input`; `position` counts the stages of the pipe from 0.
    func build(_ stage: Stage, at position: Int, behind input: Node<Datum>) -> Node<Datum> {
        let place = "\(place)/\(position)"
        func evaluation(_ expression: Expression, taking count: Int = 1) -> Evaluation {
            Evaluation(expression, taking: count, at: place, in: graph)
        }
        let meter = graph.meter
        switch stage {
        case .map(let expression): return input.mapStage(evaluation(expression))
        case .filter(let expression): return input.filterStage(evaluation(expression))
        case .replace(let constant): return input.replaceStage(constant, meter)
        case .ifEmpty(let constant): return input.ifEmptyStage(constant, meter)
        case .ignore(let unwanted): return input.ignoreStage(unwanted, meter)
        case .select(let wanted): return input.selectStage(wanted, meter)
        case .ignoreNull: return input.ignoreNullStage(meter)
        case .distinct(nil): return input.distinctStage(meter)
        case .distinct(let key?): return input.distinctStage(by: evaluation(key))
        case .delta: return input.deltaStage(at: place, meter)
        case .skip(let count): return input.skipStage(count, meter)
        case .take(let count): return input.takeStage(count, meter)
        case .prefix(let count): return input.prefixStage(count, meter, onLast: onLast)
        case .scan(let start, let with):
            return input.scanStage(start, evaluation(with, taking: 3))
        case .window(let window):
            let stage = WindowStage(window, limit: graph.host.limits.windowValues, at: place, time, graph)
            return stage.node(named: "window", behind: input)
        case .debounce(let span, let edge):
            return DebounceStage(span, edge, time, graph).node(named: "debounce", behind: input)
        case .sample(let span):
            return SampleStage(span, time, graph).node(named: "sample", behind: input)
        case .delay(let span):
            let stage = DelayStage(span, limit: graph.host.limits.delayed, time, graph)
            return stage.node(named: "delay", behind: input)
        }
    }
}

extension Stage.Span {
    /// The span in the host's unit.
    var count: UInt64 { UInt64(max(1, milliseconds)) }
}
