/// What a node that mirrors a remote thing knows beside its value (G-135, G-160).
///
/// It comes with the node's first load or error, and stays.
final class Facets {
    private struct Running {
        weak var load: (any Cancellable)?
    }

    // An error's death may look here: see `replace`.
    private(set) var error: (any Error)?
    private(set) var loads = 0
    /// When the value was last set or confirmed, by the graph's clock; `nil` if it counts as out of
    /// date.
    private(set) var confirmed: Duration?
    /// The error of a node that can never have a value loaded.
    var lastingError: (any Error)?
    /// Loads that may still report, oldest first.
    ///
    /// `loads` follows later where signals wait for the end of a pass.
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
            if case .value = edge.input(Value.self) { made.confirm(at: edge.graph?.clock?.now) }
            return .nothing
        }
        made.watch = edge
        edge.attachFirst(to: node)
        return made
    }

    func apply(_ signal: NodeSignal, at time: Duration?) {
        switch signal {
        case .requested: loads += 1
        case .progress: break
        case .cancelled, .finished: loads -= 1
        case .notModified:
            loads -= 1
            confirm(at: time)
        case .failed(let failure, let endsLoad):
            if endsLoad { loads -= 1 }
            destroy(exchange(&error, with: failure))
        case .wiped: confirm(at: nil)
        }
    }

    /// What the node holds is right as of now; at no time, if it is to be taken as out of date.
    func confirm(at time: Duration?) {
        confirmed = time
        destroy(exchange(&error, with: nil))
    }

    func invalidate() {
        confirmed = nil
    }

    // MARK: - Running loads

    var hasRunningLoads: Bool { !running.isEmpty }

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
