internal import GraphHost
internal import HTTP
internal import SQLiteLog
internal import Support

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Backups of the log while the server runs.
extension HTTPConnection {
    /// `GET /v1/backup`: the database at one moment.
    ///
    /// The log's own thread makes the copy beside the log. It is gone from the folder before its
    /// first byte is sent.
    func sendBackup() {
        guard let store = server.store else {
            return refuse(
                Refusal(.notFound, "there is nothing to back up: the configuration has no 'dataDir'")
            )
        }
        if let error = server.host.health.refusal { return refuse(error) }
        let path = "\(server.configuration.dataDir)/backup-\(RandomWord.make(letters: 10)).db"
        let number = wait()
        store.backup(to: path) { [weak self] error in
            defer { unlink(path) }
            guard let self else { return }
            answerLater(number) { connection in
                if let error { return connection.refuse(connection.server.host.fault("\(error)")) }
                guard let file = StaticFile(path: path, type: "application/vnd.sqlite3") else {
                    return connection.refuse(
                        connection.server.host.fault("the backup \(path) cannot be read")
                    )
                }
                connection.sendBackup(file)
            }
        }
    }

    private func sendBackup(_ file: consuming StaticFile) {
        write { out in
            begin(.ok, in: &out)
            out.field("Content-Type", "application/vnd.sqlite3")
            out.append("Content-Disposition: attachment; filename=\"sluice-backup.db\"\r\n")
            out.append("Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ")
            out.append(decimal: file.size)
            out.append("\r\n\r\n")
        }
        guard !framing.omitsBody else { return }
        send(FileBody(file))
    }
}
