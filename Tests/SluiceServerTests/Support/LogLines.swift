import Logging
import Synchronization

/// Keeps what is logged from the level `error` on.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// All lines, as `message key=value …`.
    var all: [String] { lines.withLock { $0 } }

    var handler: any LogHandler { Handler(lines: self) }

    private func append(_ line: String) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LogLines
        var logLevel = Logger.Level.error
        var metadata: Logger.Metadata = [:]

        init(lines: LogLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
            lines.append((["\(event.message)"] + fields).joined(separator: " "))
        }
    }
}
