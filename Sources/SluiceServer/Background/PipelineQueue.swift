internal import Definitions
internal import EventLoop
internal import Graphs

/// Reads texts of clients' pipelines, one after the other on threads of its own; the loop never
/// waits for them, and short texts do not wait for long ones.
///
/// A connection has at most one text in the queue, because later requests wait.
final class PipelineQueue {
    private let reader: PipelineReader
    private let loop: Loop
    /// For short and for long texts; each is started with its first text, and most servers get
    /// none.
    private var short: SerialThread?
    private var long: SerialThread?

    /// A queue with the options of the configuration.
    init(_ configuration: Configuration, _ system: ExpressionSystem, on loop: Loop) {
        reader = PipelineReader(limits: SessionLimits(configuration)) {
            DefinitionOptions(configuration, system)
        }
        self.loop = loop
    }

    /// Reads a text; `done` is called in a later turn, or at once if there is no thread.
    func read(_ text: PipelineText, _ done: @escaping (ReadPipeline) -> Void) {
        let known = text.isShort ? short : long
        guard let thread = known ?? startedThread(forShort: text.isShort) else {
            return done(reader.read(text))
        }
        thread.run { [reader] in
            reader.read(text)
        } then: {
            done($0)
        }
    }

    private func startedThread(forShort isShort: Bool) -> SerialThread? {
        // A stopping server does not wait for texts of clients that have gone.
        let made = try? SerialThread(on: loop, keepsLoopAlive: false, lowersPriority: true)
        guard let thread = made else { return nil }
        if isShort { short = thread } else { long = thread }
        return thread
    }
}
