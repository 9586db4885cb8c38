/// The ``LoadState`` of a node that mirrors a remote thing, and its running loads (G-135, G-160).
///
/// It comes with the node's first load or error, and stays.
final class Facets {
    private struct Running {
        weak var load: (any Cancellable)?
    }

    /// By the graph's clock; nothing is confirmed without one.
    private(set) var state = LoadState<any Error, Duration>()
    /// The error of a node that can never have a value loaded.
    var lastingError: (any Error)?
    /// When the latest error came, by the graph's clock; `nil` if another load may begin at once.
    private(set) var failed: Duration?
    /// Loads that may still report, oldest first.
    ///
    /// The state's count follows later where signals wait for the end of a pass.
    private var running: [Running] = []
    /// Stands first among the node's listeners: a value clears the error before any other listener
    /// receives it.
    private var watch: Edge?

    /// Those of a node, made when they are first asked for.
    static func of<Value>(_ node: Core<Value>) -> Facets {
        let pending = node.needPending()
        if let facets = pending.facets { return facets }
        let made = Facets()
        pending.facets = made
        // Holds nothing, and counts for nothing.
        let edge = Edge("Facets", [.listener, .own]) { [unowned made] edge in
            if case .value = edge.input(Value.self) {
                made.change { $0.confirm(at: edge.graph?.clock?.now) }
            }
            return .nothing
        }
        made.watch = edge
        edge.attachFirst(to: node)
        return made
    }

    func apply(_ signal: NodeSignal, at time: Duration?) {
        change { state in
            switch signal {
            case .requested: state.beginLoad()
            case .progress(let fraction): state.progress = fraction
            case .cancelled, .finished: state.endLoad()
            case .notModified:
                state.endLoad()
                state.confirm(at: time)
            case .failed(let error, let endsLoad):
                if endsLoad { state.endLoad() }
                state.error = error
                failed = time
            case .wiped: state.confirm(at: nil)
            }
        }
    }

    func invalidate() {
        state.isStale = true
        failed = nil
    }

    /// The death of an error may look here: it comes when the change is done.
    private func change(_ body: (inout LoadState<any Error, Duration>) -> Void) {
        let former = state
        body(&state)
        destroy(former)
    }

    // MARK: - Running loads

    var oldestLoad: (any Cancellable)? { running.lazy.compactMap(\.load).first }

    func began(_ load: any Cancellable) {
        running.append(Running(load: load))
    }

    /// A load has ended; `nil`: it is gone.
    func ended(_ load: (any Cancellable)?) {
        running.removeAll { $0.load == nil || $0.load === load }
    }

    func cancelLoads() {
        for entry in exchange(&running, with: []) { entry.load?.cancel() }
    }
}
