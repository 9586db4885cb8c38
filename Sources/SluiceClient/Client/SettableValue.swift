public import Observation

/// A node that a view shows and sets.
///
/// Assigning ``value`` sets the node, so that a control can bind to it: `Slider(value:
/// $setpoint.value)` with `@Bindable`. The assigned value is shown at once. If the server refuses
/// it, the node's value comes back, and ``failure`` says why.
@MainActor @Observable
public final class SettableValue<Value: Sendable & Codable> {
    /// Why the last assignment had no effect, or why the node has no value.
    public var failure: SluiceError? { refusal ?? live.failure }
    /// What the server says about the value; `nil` until the first delivery.
    public var meta: Meta? { live.meta }
    /// Whether the value may be out of date.
    public var isStale: Bool { live.isStale }
    /// Whether an assignment waits for the server's answer.
    public var isPending: Bool { pending != nil }

    private var pending: Value??
    private var refusal: SluiceError?
    private let live: LiveValue<Value>
    @ObservationIgnored private let node: RemoteNode<Value>
    @ObservationIgnored private var assignments = 0

    /// Begins to listen.
    public init(_ node: RemoteNode<Value>, _ options: ListenOptions = .latest) {
        self.node = node
        live = LiveValue(node, options)
    }

    /// The value; `nil` while there is none.
    ///
    /// Assigning `nil` clears the node.
    public var value: Value? {
        get { pending ?? live.value }
        set {
            let assignment = begin(newValue)
            // An error is shown as the failure.
            Task { try? await send(newValue, assignment) }
        }
    }

    /// Sets the node, or clears it, and waits for the server's answer.
    ///
    /// - Throws: what the server refuses, which is also the ``failure``.
    public func set(_ value: Value?) async throws {
        try await send(value, begin(value))
    }

    private func begin(_ value: Value?) -> Int {
        pending = .some(value)
        refusal = nil
        assignments += 1
        return assignments
    }

    private func send(_ value: Value?, _ assignment: Int) async throws {
        do {
            let applied = if let value { try await node.set(value) } else { try await node.clear() }
            live.adopt(value, at: applied.cursor)
            if assignment == assignments { pending = nil }
        } catch {
            // Of several assignments the newest decides what is shown.
            if assignment == assignments {
                pending = nil
                refusal = error as? SluiceError
            }
            throw error
        }
    }
}

extension RemoteNode {
    /// The value for a view that shows and sets it, as long as the returned object lives.
    @MainActor public func settable(_ options: ListenOptions = .latest) -> SettableValue<Value> {
        SettableValue(self, options)
    }
}
