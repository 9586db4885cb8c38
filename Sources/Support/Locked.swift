public import Synchronization

/// State that several threads may look at, one at a time.
///
/// The counter orders nothing that the mutex does not; the thread sanitizer does not see into the
/// library's mutex, and takes the order of two holders from it.
@usableFromInline
package struct Locked<State>: ~Copyable, Sendable {
    @usableFromInline let state: Mutex<State>
    @usableFromInline let holders = Atomic(0)

    @inlinable
    package init(_ state: sending State) {
        self.state = Mutex(state)
    }

    @inlinable
    package func withLock<Result>(_ body: (inout sending State) -> sending Result) -> sending Result {
        state.withLock { state in
            _ = holders.load(ordering: .acquiring)
            let result = body(&state)
            holders.add(1, ordering: .releasing)
            return result
        }
    }
}
