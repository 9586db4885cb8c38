package import ReactiveGraph
package import Values

/// The library's operator of a stage with the host's policy around it, type-erased.
package struct StageOperator {
    /// Makes a new node that follows another one through the operator.
    package let derive: (Node<Datum>) -> Node<Datum>
    /// Makes an existing node follow another one through the operator; returns what it must emit
    /// now.
    package let connect: (_ upstream: Node<Datum>, _ node: Node<Datum>) -> Emission<Datum>

    init<Base: Operator>(_ operation: Policied<Base>) {
        derive = { $0.apply(operation) }
        connect = { upstream, node in node.connect(to: upstream, through: operation) }
    }

    init<Base: TimedOperator>(_ operation: Policied<Base>, on timers: TimerQueue) {
        derive = { $0.apply(operation, on: timers) }
        connect = { upstream, node in node.connect(to: upstream, through: operation, on: timers) }
    }
}
