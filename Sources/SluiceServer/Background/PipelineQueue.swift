internal import Definitions
internal import EventLoop
internal import Graphs

/// Parses texts of clients' pipelines, one after the other on threads of its own; the loop never
/// waits for them, and short texts do not wait for long ones.
///
/// A connection has at most one text in the queue, because later requests wait.
final class PipelineQueue {
    private let limits: SessionLimits
    private let options: @Sendable () -> DefinitionOptions
    private let loop: Loop
    /// For short and for long texts; each is started with its first text, and most servers get
    /// none.
    private var short: SerialThread?
    private var long: SerialThread?

    /// A queue with the options of the configuration.
    init(_ configuration: Configuration, _ system: ExpressionSystem, on loop: Loop) {
        limits = SessionLimits(configuration)
        options = { DefinitionOptions(configuration, system) }
        self.loop = loop
    }

    /// Parses a text; `done` is called in a later turn, or at once if there is no thread.
    func parse(_ text: PipelineText, _ done: @escaping (ParsedPipeline) -> Void) {
        let known = text.isShort ? short : long
        guard let thread = known ?? startedThread(forShort: text.isShort) else {
            return done(text.parse(within: limits, options))
        }
        thread.run { [limits, options] in
            text.parse(within: limits, options)
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
