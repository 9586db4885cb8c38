public import EventLoop
internal import Platform
public import Logging
internal import Support

/// A thread that receives the signals of the process, so that it can be stopped whatever the
/// server's loop is doing.
///
/// - SIGTERM and SIGINT end the server (``Server/stopSoon()``). If the loop does not react in time,
///   the process is ended with exit code 128 + the signal's number. Commits that were answered are
///   on the disk by then, as before any kill.
/// - SIGHUP and SIGUSR1 are passed on to the loop.
/// - A turn of the loop that lasts longer than a second is reported in the log, with what it was
///   doing.
///
/// The thread sleeps while the loop does; while there are turns it checks about once a second.
public final class Watchdog {
    fileprivate enum Request: Sendable {
        case stop, reload, releaseUnused
    }

    /// The watchdog's own events.
    enum Event: Sendable {
        /// A turn has lasted this many milliseconds and is still running.
        case longTurn(Activity.Turn, UInt64)
        /// The process ends with this code, in the middle of a turn or between two.
        case exit(Int32, Activity.Turn?)
    }

    private let server: Server
    private let requests: MailboxReader<Request>
    private let thread: LoopThread<Mailbox<Void>>

    /// Receives signals for `server`, which this thread's loop runs, until it is dropped.
    ///
    /// Long turns are reported to `log`, unless writing to standard error would block.
    ///
    /// - Throws: if the system has no thread or no descriptors.
    public convenience init(_ server: Server, log: Logger) throws(UVError) {
        try self.init(server) { event in
            // The loop may be stuck writing to standard error.
            let log = StandardErrorLog.isWritable ? log : nil
            switch event {
            case .longTurn(let turn, let milliseconds):
                log?.warning(
                    "a turn of the loop takes long",
                    metadata: turn.metadata.merging(["milliseconds": .number(milliseconds)]) { $1 }
                )
            case .exit(let code, let turn):
                log?.critical("ended by force", metadata: turn?.metadata ?? [:])
                _exit(code)
            }
        }
    }

    /// The same with another action; `perform` is called on the watchdog's thread.
    init(_ server: Server, perform: @escaping @Sendable (Event) -> Void) throws(UVError) {
        self.server = server
        requests = try MailboxReader(on: server.loop) { [unowned server] request in
            switch request {
            case .stop: server.stopSoon()
            case .reload: server.reload(because: "SIGHUP")
            case .releaseUnused: server.releaseUnused(because: "SIGUSR1")
            }
        }
        requests.keepsLoopAlive = false
        let mailbox = requests.mailbox
        let activity = server.turns.activity
        let drain = UInt64(server.configuration.drain.milliseconds) * 1_000_000
        thread = try LoopThread { loop throws(UVError) in
            let vigil = try Vigil(on: loop, StuckLoop(drain: drain), activity, mailbox, perform)
            return (vigil.wake, vigil)
        }
        let wake = thread.shared
        server.turns.onBusy = { wake.post(()) }
    }

    deinit {
        server.turns.onBusy = nil
    }
}

/// The part of the watchdog that lives on its thread.
private final class Vigil {
    let wake: Mailbox<Void>
    private let loop: Loop
    private let activity: Activity
    private let requests: Mailbox<Watchdog.Request>
    private let perform: @Sendable (Watchdog.Event) -> Void
    private var stuckLoop: StuckLoop
    private var wakes: MailboxReader<Void>?
    private var signals: [SignalWatcher] = []
    private var timer: LoopTimer?
    /// The signal that asked to end, once there was one.
    private var ending: SignalWatcher.Signal?

    init(
        on loop: Loop,
        _ stuckLoop: StuckLoop,
        _ activity: Activity,
        _ requests: Mailbox<Watchdog.Request>,
        _ perform: @escaping @Sendable (Watchdog.Event) -> Void
    ) throws(UVError) {
        self.loop = loop
        self.stuckLoop = stuckLoop
        self.activity = activity
        self.requests = requests
        self.perform = perform
        var look: () -> Void = {}
        let wakes = try MailboxReader<Void>(on: loop) { look() }
        wake = wakes.mailbox
        self.wakes = wakes
        timer = try LoopTimer(on: loop) { look() }
        for signal in [SignalWatcher.Signal.terminate, .interrupt] {
            signals.append(try SignalWatcher(on: loop, signal) { [unowned self] in terminate(signal) })
        }
        signals.append(try SignalWatcher(on: loop, .hangUp) { _ = requests.post(.reload) })
        signals.append(try SignalWatcher(on: loop, .user1) { _ = requests.post(.releaseUnused) })
        look = { [unowned self] in self.look() }
        look()
    }

    private func terminate(_ signal: SignalWatcher.Signal) {
        ending = signal
        stuckLoop.terminate(at: OwnProcess.nanoseconds)
        requests.post(.stop)
        look()
    }

    private func look() {
        while true {
            let now = OwnProcess.nanoseconds
            let begun = activity.turnsBegun
            let turn = activity.turn
            let verdict = stuckLoop.look(at: now, turn, begun: begun)
            if let turn = verdict.report { perform(.longTurn(turn, (now - turn.began) / 1_000_000)) }
            if verdict.ends { perform(.exit(128 + (ending?.rawValue ?? 0), turn)) }
            if let next = verdict.next {
                timer?.start(after: .nanoseconds(Int64(next > now ? next - now : 0)))
                return
            }
            timer?.stop()
            if activity.stopWatching(after: begun) { return }
        }
    }
}

extension Activity.Turn {
    /// The fields of its log entries.
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["doing": "\(work)"]
        if connection != 0 { metadata["connection"] = .number(connection) }
        if !graph.isEmpty { metadata["graph"] = "\(graph)" }
        return metadata
    }
}
