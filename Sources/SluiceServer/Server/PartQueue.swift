internal import EventLoop
internal import GraphHost

/// Reads parts of clients' requests, one after the other on a thread of its own; the loop never
/// waits for it.
///
/// A connection has at most one part in the queue, because later requests wait.
final class PartQueue {
    private let reader: PartReader
    private let loop: Loop
    /// Started with the first part: most servers get none.
    private var thread: SerialThread?

    /// A queue with the options of the configuration.
    init(_ configuration: Configuration, _ system: ExpressionSystem, on loop: Loop) {
        reader = PartReader(limits: SessionLimits(configuration)) { DefinitionOptions(configuration, system) }
        self.loop = loop
    }

    /// Reads a part; `done` is called in a later turn, or at once if there is no thread.
    func read(_ part: UnreadPart, _ done: @escaping (ReadPart) -> Void) {
        guard let thread = startedThread() else { return done(reader.read(part)) }
        thread.run { [reader] in
            reader.read(part)
        } then: {
            done($0)
        }
    }

    private func startedThread() -> SerialThread? {
        if let thread { return thread }
        // A stopping server does not wait for parts of clients that have gone.
        thread = try? SerialThread(on: loop, keepsLoopAlive: false)
        // A low priority: the loop must not wait for the processor.
        thread?.run {
            OwnProcess.lowerThreadPriority()
        } then: {
        }
        return thread
    }
}
