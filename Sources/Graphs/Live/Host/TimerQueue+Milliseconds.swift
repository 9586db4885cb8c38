package import ReactiveGraph

// The library's timers in milliseconds, the host's unit.
extension TimerQueue {
    var nextMilliseconds: UInt64? { next.map(\.milliseconds) }

    /// Starts or moves a timer; `due` is in milliseconds on the clock of this queue.
    package func set(_ timer: Timer, due: UInt64) {
        set(timer, at: moment(.milliseconds(due)))
    }
}

extension Timer {
    /// A timer that calls a function of the host and emits nothing in a graph.
    package convenience init(_ action: @escaping () -> Void) {
        self.init { () -> Due? in
            action()
            return nil
        }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up so that nothing runs early.
    fileprivate var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        let rest = (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return UInt64(max(0, seconds * 1000 + rest))
    }
}
