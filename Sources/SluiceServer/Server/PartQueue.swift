internal import EventLoop
internal import GraphHost

/// Reads parts of clients' requests, one after the other on threads of its own; the loop never
/// waits for them, and short parts do not wait for long ones.
///
/// A connection has at most one part in the queue, because later requests wait.
final class PartQueue {
    private let reader: PartReader
    private let loop: Loop
    /// For short and for long parts; each is started with its first part, and most servers get
    /// none.
    private var short: SerialThread?
    private var long: SerialThread?

    /// A queue with the options of the configuration.
    init(_ configuration: Configuration, _ system: ExpressionSystem, on loop: Loop) {
        reader = PartReader(limits: SessionLimits(configuration)) { DefinitionOptions(configuration, system) }
        self.loop = loop
    }

    /// Reads a part; `done` is called in a later turn, or at once if there is no thread.
    func read(_ part: UnreadPart, _ done: @escaping (ReadPart) -> Void) {
        let known = part.isShort ? short : long
        guard let thread = known ?? startedThread(forShort: part.isShort) else {
            return done(reader.read(part))
        }
        thread.run { [reader] in
            reader.read(part)
        } then: {
            done($0)
        }
    }

    private func startedThread(forShort isShort: Bool) -> SerialThread? {
        // A stopping server does not wait for parts of clients that have gone.
        let made = try? SerialThread(on: loop, keepsLoopAlive: false, lowersPriority: true)
        guard let thread = made else { return nil }
        if isShort { short = thread } else { long = thread }
        return thread
    }
}
