internal import Commits
internal import Support
internal import Values

/// The beginning and the end that all `upd` messages of one graph and commit share, encoded once
/// (docs/protocol.md, upd).
final class UpdateEnvelope {
    private var stamp = LogStamp(rev: 0, time: 0)
    private var context: Datum?
    private var by: String?
    private var isStale = true
    private var presentInfo: CommitInfo?
    /// While a client's pipeline handles an emission: the commit that it belongs to.
    private var runInfo: CommitInfo?
    /// Whether that is delivered in a later turn than its commit.
    private(set) var isLate = false
    private let start: [UInt8]
    private var head = ByteBuffer()
    private var tail = ByteBuffer()

    init(name: String) {
        start = Array(#"{"op":"upd","graph":""#.utf8) + Array(name.utf8) + Array(#"","rev":"#.utf8)
    }

    /// A new commit is being applied.
    func begin(_ stamp: LogStamp, context: Datum?, by: String?) {
        self.stamp = stamp
        self.context = context
        self.by = by
        isStale = true
        presentInfo = nil
    }

    /// The commit of the present emission, as an object that queued emissions can share.
    var info: CommitInfo {
        if let runInfo { return runInfo }
        if let presentInfo { return presentInfo }
        let made = CommitInfo(stamp: stamp, context: context, by: by)
        presentInfo = made
        return made
    }

    /// Delivers what a client's pipeline makes of an emission of `commit`.
    ///
    /// If it is late, it has the author and context of its commit, but the stamp `late`: clients
    /// may have received that, and never receive an older rev after a newer one.
    func deliver(_ commit: CommitInfo, late: LogStamp?, _ deliver: () -> Void) {
        isLate = late != nil
        if let late, late != commit.stamp {
            runInfo = CommitInfo(stamp: late, context: commit.context, by: commit.by)
        } else {
            runInfo = commit
        }
        deliver()
        runInfo = nil
        isLate = false
    }

    /// Appends `{"op":"upd","graph":…,"rev":…,"t":…,"d":[` of the newest commit.
    func appendHead(to buffer: inout ByteBuffer) {
        if isStale { refresh() }
        buffer.append(head.bytes)
    }

    /// Appends `],"ctx":…,"by":…}` of the newest commit.
    func appendTail(to buffer: inout ByteBuffer) {
        if isStale { refresh() }
        buffer.append(tail.bytes)
    }

    /// The same for an older commit.
    func appendHead(to buffer: inout ByteBuffer, _ info: CommitInfo) {
        appendHead(to: &buffer, stamp: info.stamp)
    }

    /// The same for an older commit.
    func appendTail(to buffer: inout ByteBuffer, _ info: CommitInfo) {
        Self.appendTail(to: &buffer, context: info.context, by: info.by)
    }

    private func appendHead(to buffer: inout ByteBuffer, stamp: LogStamp) {
        buffer.append(start)
        buffer.append(decimal: stamp.rev)
        buffer.append(",\"t\":")
        buffer.append(decimal: stamp.time)
        buffer.append(",\"d\":[")
    }

    private static func appendTail(to buffer: inout ByteBuffer, context: Datum?, by: String?) {
        buffer.append("]")
        if let context {
            buffer.append(",\"ctx\":")
            context.withBytes { buffer.append($0) }
        }
        if let by {
            buffer.append(",\"by\":")
            buffer.append(json: by)
        }
        buffer.append("}")
    }

    private func refresh() {
        isStale = false
        head.removeAll()
        appendHead(to: &head, stamp: stamp)
        tail.removeAll(keepingAtMost: 4096)
        Self.appendTail(to: &tail, context: context, by: by)
    }
}

/// What subscribers receive about one commit.
final class CommitInfo {
    let stamp: LogStamp
    let context: Datum?
    let by: String?

    init(stamp: LogStamp, context: Datum?, by: String?) {
        self.stamp = stamp
        self.context = context
        self.by = by
    }
}
