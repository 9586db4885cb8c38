internal import Logging
internal import Platform
internal import Support
internal import Values

/// A file to which lines are appended, by one thread at a time.
final class AuditFile: Sendable {
    let path: String
    private let format: LogFormat
    private let descriptor: Locked<Int32>

    /// Opens the file, or creates it: its owner writes, its group reads.
    init(_ path: String, _ format: LogFormat) throws(StartFailure) {
        (self.path, self.format) = (path, format)
        let opened = Self.open(path)
        guard opened >= 0 else {
            throw StartFailure([FileProblem("audit: cannot be opened (\(Self.failure))", file: path)])
        }
        descriptor = Locked(opened)
    }

    deinit { close(descriptor.withLock { $0 }) }

    /// - Returns: what went wrong; the old file stays open then.
    func reopen() -> String? {
        let opened = Self.open(path)
        guard opened >= 0 else { return Self.failure }
        close(
            descriptor.withLock { old in
                defer { old = opened }
                return old
            }
        )
        return nil
    }

    /// Appends the lines with one write, so that servers may share a file.
    ///
    /// - Returns: what went wrong.
    func write(_ entries: [AuditEntry]) -> String? {
        let form = format == .text ? LogLine.text : LogLine.json
        let time = LogTime.now()
        let lines = entries.map { form(time, "notice", "audit", $0.fields) }.joined()
        let descriptor = descriptor.withLock { $0 }
        var rest = Array(lines.utf8)[...]
        while !rest.isEmpty {
            let count = Platform.write(rest, to: descriptor)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return Self.failure }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func open(_ path: String) -> Int32 {
        unsafe Platform.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
    }

    private static var failure: String { systemError() }
}
