internal import Logging
internal import TLS
internal import Values
// Tokens and the certificate, while the server runs.
extension Server {
    /// Reloads the certificate, tokens and graphs; never calls `done` before it returns.
    ///
    /// A dry run only reports what would change, and all problems.
    ///
    /// Requests that arrive meanwhile get a reload of their own afterwards. All problems are also
    /// in the log.
    public func reload(dryRun isDryRun: Bool = false, _ done: @escaping (ReloadReport) -> Void = { _ in }) {
        if !isDryRun { hub.audit?.reopen() }
        guard !service.files.queue(done, isDryRun: isDryRun) else { return }
        turns.begin()
        var report = ReloadReport()
        report.isDryRun = isDryRun
        if isDryRun {
            report.problems += StartFailure.problems { () throws(StartFailure) in
                _ = try acceptor.readCertificate()
            }
        } else {
            report.problems += acceptor.reloadCertificate()
            service.sinks.tryRefused()
        }
        service.files.reload(report, done)
    }

    /// Reloads because of something other than a request, which the audit names.
    public func reload(because reason: String) {
        reload { [weak self] report in
            let cause = AuditEntry.Field("because", reason)
            self?.hub.audit?.note(AuditEntry(action: "reload", subjects: [cause] + report.subjects))
        }
    }
}
