internal import EventLoop
internal import Sessions
internal import Logging
internal import Platform
internal import Values
internal import Support

/// The audit: a line for each change of what the server serves, for each look at all of it, and for
/// each right that a client lacked (docs/operations.md, Audit).
///
/// On request it also has changes of values, or every request. Lines have names and revs, and no
/// values. Refusals that repeat are counted and written once a minute. Lines are written on a
/// thread of their own; if it falls behind by ``mostWaiting`` lines, further ones are counted and
/// dropped.
final class Audit {
    static let mostWaiting = 10_000
    static let foldFor = Duration.seconds(60)

    let hasSets: Bool
    let hasRequests: Bool
    private let destination: AuditDestination
    private let log: Logger
    private let loop: Loop
    /// Started with the first line.
    private var thread: SerialThread?
    private var waiting: [AuditEntry] = []
    private var isWriting = false
    private var dropped = 0
    private var refusals = FoldedRefusals()
    private var foldTimer: LoopTimer?

    /// Opens the destination; nil if the configuration wants no audit.
    ///
    /// - Throws: ``StartFailure`` if the file cannot be opened.
    static func open(
        _ configuration: Configuration,
        on loop: Loop,
        _ log: Logger
    ) throws(StartFailure) -> Audit? {
        guard !configuration.audit.isEmpty else { return nil }
        let destination: AuditDestination =
            configuration.audit == "log"
            ? .log(log) : .file(try AuditFile(configuration.audit, configuration.logFormat))
        return Audit(destination, Set(configuration.auditAlso.compactMap(AuditExtra.init)), on: loop, log)
    }

    /// Opens the file as a start does, and removes it if it is new: it belongs to the account that
    /// the server runs under.
    static func check(_ configuration: Configuration) throws(StartFailure) {
        let path = configuration.audit
        guard !path.isEmpty, path != "log" else { return }
        let isThere = mayUse(path, F_OK)
        _ = try AuditFile(path, configuration.logFormat)
        if !isThere { removeFile(path) }
    }

    init(_ destination: AuditDestination, _ extras: Set<AuditExtra>, on loop: Loop, _ log: Logger) {
        (self.destination, self.loop, self.log) = (destination, loop, log)
        (hasSets, hasRequests) = (extras.contains(.sets), extras.contains(.requests))
    }

    /// Whether it has a line for each request of such a route, whatever the answer.
    func takes(_ audited: RequestRecord.Audited?) -> Bool {
        switch audited {
        case .change?: true
        case .set?: hasSets || hasRequests
        case nil: hasRequests
        }
    }

    /// Writes a line, unless it repeats a refusal of the last minute.
    func note(_ entry: AuditEntry) {
        guard entry.isRefusal else { return write(entry) }
        if refusals.isEmpty { setFoldTimer() }
        if refusals.isFirst(entry) { write(entry) }
    }

    /// Opens the file again by its name, which may be another file now (SIGHUP).
    func reopen() {
        guard case .file(let file) = destination else { return }
        run {
            file.reopen()
        } then: { [log] failure in
            guard let failure else { return }
            log.error(
                "the audit goes on in the old file",
                metadata: ["audit": "\(file.path)", "why": "\(failure)"]
            )
        }
    }

    /// Writes everything that is left; the server stops.
    func finish() {
        foldTimer = nil
        unfold()
        thread?.wait()
    }

    // MARK: - Refusals

    private func setFoldTimer() {
        let timer = try? foldTimer ?? LoopTimer(on: loop) { [unowned self] in unfold() }
        timer?.keepsLoopAlive = false
        timer?.start(after: Self.foldFor)
        foldTimer = timer
    }

    /// Writes how often refusals were repeated, and forgets them.
    private func unfold() {
        for entry in refusals.take() { write(entry) }
    }

    // MARK: - Writing

    private func write(_ entry: AuditEntry) {
        guard waiting.count < Self.mostWaiting else { return dropped += 1 }
        waiting.append(entry)
        writeWaiting()
    }

    private func writeWaiting() {
        guard !isWriting, !waiting.isEmpty else { return }
        isWriting = true
        let (entries, destination) = (waiting, destination)
        waiting = []
        run {
            destination.write(entries)
        } then: { [weak self] failure in
            self?.written(entries.count, failure)
        }
    }

    private func written(_ count: Int, _ failure: String?) {
        isWriting = false
        if let failure {
            log.error("the audit cannot be written", metadata: ["lines": "\(count)", "why": "\(failure)"])
        }
        if dropped > 0 {
            log.error(
                "the audit is written too slowly: lines were dropped",
                metadata: ["lines": "\(dropped)"]
            )
            dropped = 0
        }
        writeWaiting()
    }

    private func run(
        _ work: @escaping @Sendable () -> sending String?,
        then answer: @escaping (sending String?) -> Void
    ) {
        do throws(UVError) {
            if thread == nil { thread = try SerialThread(on: loop, keepsLoopAlive: false) }
            thread?.run(work, then: answer)
        } catch {
            answer(error.message)
        }
    }
}

extension Audit {
    /// Writes what a client did over its session.
    func note(_ act: SessionAct, by name: String?, at address: IPAddress?) {
        guard hasSets || act.error?.code == .forbidden else { return }
        var entry = AuditEntry(action: act.operation)
        entry.by = name
        entry.address = address?.description
        if let graph = act.graph { entry.subjects.append(AuditEntry.Field("graph", graph)) }
        if let rev = act.rev { entry.subjects.append(AuditEntry.Field("rev", rev)) }
        entry.error = act.error?.code.rawValue
        note(entry)
    }
}
