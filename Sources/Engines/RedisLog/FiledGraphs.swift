internal import EventLoop
internal import Commits

/// The graphs of which the servers that share a Redis have files.
///
/// Each server says so with its signs of life, and at once when its files change.
final class FiledGraphs {
    private unowned let log: RedisLog
    private var isAnnouncing = false

    init(of log: RedisLog) {
        self.log = log
    }

    /// Those of this server; nil: it has not read its files yet.
    var own: Set<String>? {
        didSet { if oldValue != nil, own != oldValue { announce() } }
    }

    /// Those of the other living servers; nil: not all of them have said so.
    private(set) var elsewhere: Set<String>?

    /// Takes what the others have said.
    ///
    /// A server that has just started, and one of an earlier version, has not said so: it may have
    /// any.
    func note(_ pulse: Pulse, at instance: String, lost: [String] = []) {
        var found: Set<String> = []
        elsewhere = nil
        for other in pulse.signs.keys where other != instance && !lost.contains(other) {
            guard let files = pulse.files[other] else { return }
            found.formUnion(files)
        }
        elsewhere = found
    }

    /// Asks the others again, and calls `done` when Redis has answered or cannot be reached.
    func ask(_ done: @escaping () -> Void) {
        guard !log.isClosed, log.health == .ready else { return done() }
        let asked = log.writer.now
        log.ask { [instance = log.instance, own = own] (store) throws(RedisError) in
            try store.pulse(of: instance, lease: RedisLog.lease, files: own)
        } then: { [weak log = log] result in
            guard let log, !log.isClosed else { return }
            switch result {
            case .failure(let error): log.lose(error)
            case .success(let pulse): log.take(pulse, asked: asked)
            }
            done()
        }
    }

    /// Says it once for all changes of a turn.
    private func announce() {
        guard !isAnnouncing else { return }
        isAnnouncing = true
        log.writer.after(0) { [weak self] in
            guard let self else { return }
            isAnnouncing = false
            ask {}
        }
    }
}
