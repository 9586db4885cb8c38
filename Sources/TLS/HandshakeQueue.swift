internal import DequeModule

/// Spreads TLS handshakes over turns of the loop.
///
/// A handshake uses the server's private key, which takes some hundred microseconds to several
/// milliseconds. Handshakes above the share of a turn wait for the next turns, in the order of
/// their arrival, and established connections are served in between.
package final class HandshakeQueue {
    /// How many steps of handshakes one turn takes: 4 signatures with RSA 4096 are 20 ms.
    static let stepsPerTurn = 4

    /// Called before a step is done or queued.
    private let onStep: () -> Void
    private var waiting: Deque<() -> Void> = []
    private var stepsInTurn = 0

    package init(onStep: @escaping () -> Void) {
        self.onStep = onStep
    }

    /// Whether steps wait for the next turn.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// Whether a step may be done now; counts it.
    package func takesStep() -> Bool {
        guard stepsInTurn < Self.stepsPerTurn, waiting.isEmpty else { return false }
        stepsInTurn += 1
        onStep()
        return true
    }

    /// Does a step in a later turn.
    package func add(_ step: @escaping () -> Void) {
        waiting.append(step)
        onStep()
    }

    /// A turn begins: does as many waiting steps as it may.
    package func beginTurn() {
        stepsInTurn = 0
        while stepsInTurn < Self.stepsPerTurn, let step = waiting.popFirst() {
            stepsInTurn += 1
            onStep()
            step()
        }
    }

    package func endTurn() {
        stepsInTurn = 0
    }
}
