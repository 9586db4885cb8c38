internal import Logging
internal import Platform

/// Where the audit's lines go.
enum AuditDestination: Sendable {
    /// Among the entries of the server's log, at level `notice`.
    case log(Logger)
    case file(AuditFile)

    /// Writes the lines; may wait for a disk or a pipe.
    ///
    /// - Returns: what went wrong.
    func write(_ entries: [AuditEntry]) -> String? {
        switch self {
        case .log(let log):
            for entry in entries {
                let fields = entry.fields.map { ($0.name, $0.metadata) }
                log.notice("audit", metadata: Logger.Metadata(uniqueKeysWithValues: fields))
            }
            return nil
        case .file(let file): return file.write(entries)
        }
    }
}
