internal import Platform
public import Logging

/// Writes log entries to standard error, one line each, at once.
public struct StandardErrorLog: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    private let label: String
    private let format: LogFormat

    /// A logger as the configuration wants it.
    public static func logger(_ configuration: Configuration, label: String = "sluice") -> Logger {
        Logger(label: label) { label in
            StandardErrorLog(label: label, level: configuration.logLevel, format: configuration.logFormat)
        }
    }

    /// Writes a warning where and how a server with this configuration does.
    public static func warn(_ sentence: String, _ configuration: Configuration) {
        logger(configuration).warning("\(sentence)")
    }

    init(label: String, level: LogLevel, format: LogFormat) {
        self.label = label
        self.format = format
        logLevel = Logger.Level(rawValue: level.rawValue) ?? .info
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        let all = event.metadata.map { metadata.merging($0) { _, new in new } } ?? metadata
        let fields = all.map { LogLine.Field($0.key, metadata: $0.value) }.sorted { $0.name < $1.name }
        let form = format == .text ? LogLine.text : LogLine.json
        let line = form(LogTime.now(), event.level.rawValue, "\(event.message)", fields)
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let count = Platform.write(rest, to: STDERR_FILENO)
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether an entry of usual length is written without waiting: standard error may be a pipe
    /// that is not read.
    static var isWritable: Bool {
        var descriptor = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLOUT) != 0
    }
}
