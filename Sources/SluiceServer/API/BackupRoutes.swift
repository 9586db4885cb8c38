internal import Commits
internal import Graphs
internal import HTTP
internal import Support
internal import Platform
internal import Values

/// Backups of the log while the server runs.
enum BackupRoutes {
    /// `GET /v1/backup`: what the log has at one moment.
    ///
    /// The log's own thread makes the copy beside the log. It is gone from the folder before its
    /// first byte is sent.
    static func sendBackup(_ request: Request) throws(HostError) {
        let (connection, service) = (request.connection, request.service)
        guard let backup = service.backup else {
            throw HostError(.notFound, LogEngine.noCopy(service.configuration))
        }
        if let error = request.host.health.refusal { throw error }
        let path = "\(backup.folder)/backup-\(RandomBytes.word(letters: 10))\(backup.form.suffix)"
        let number = connection.wait()
        backup.write(path) { [weak connection] error in
            defer { removeFile(path) }
            connection?.answerLater(number) { connection throws(HostError) in
                let host = connection.hub.host
                if let error { throw host.fault("\(error)") }
                guard let file = StaticFile(path: path, type: backup.form.type) else {
                    throw host.fault("the backup \(path) cannot be read")
                }
                send(file, backup.form, on: connection)
            }
        }
    }

    private static func send(
        _ file: consuming StaticFile,
        _ form: LogEngine.Copy,
        on connection: HTTPConnection
    ) {
        connection.write { out in
            connection.begin(.ok, in: &out)
            out.field("Content-Type", string: form.type)
            out.field("Content-Disposition", string: "attachment; filename=\"sluice-backup\(form.suffix)\"")
            out.append("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ")
            out.append(decimal: file.size)
            out.append("\r\n\r\n")
        }
        guard !connection.framing.omitsBody else { return }
        connection.send(FileBody(file))
    }
}
