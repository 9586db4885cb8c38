internal import Graphs
internal import Definitions
internal import Support
internal import Values

/// The names of nodes for which a subscription has no room (F-6), and who pays for them
/// (`limits.held`).
struct LeftNames {
    private(set) var names = SortedNames()
    private var payer: PipelineAccount?
    private var charged = 0

    /// About how many bytes one name takes; the text itself is the node's.
    private static let bytesPerName = 24

    /// Throws if a principal has no room for names that are about to be left out.
    ///
    /// - Throws: `sub_limit`.
    static func checkRoom(for names: SortedNames, of session: Session) throws(HostError) {
        guard names.count > 0 else { return }
        let held = session.account(makes: false)?.held ?? 0
        let (bytes, most) = (names.count * bytesPerName, session.host.limits.held)
        guard held + bytes > most else { return }
        throw HostError(
            .subLimit,
            "the names of \(names.count) nodes that are left out take \(bytes) bytes, too many beside what the pipelines hold; \(most) are allowed (limits.held)",
            retry: false
        )
    }

    var count: Int { names.count }

    mutating func take(_ names: SortedNames) { self.names = names }

    /// Charges the session's principal for the names as they are now.
    mutating func charge(_ session: Session) {
        let bytes = names.count * Self.bytesPerName
        guard bytes != charged else { return }
        if payer == nil {
            payer = session.account(makes: true)
            payer?.begin()
        }
        payer?.held += bytes - charged
        charged = bytes
    }

    /// Whether there are names, and the principal holds more than it may.
    func isOver(in host: Host) -> Bool {
        charged > 0 && payer.map { $0.held > host.limits.held } == true
    }

    /// Forgets them all, and who pays.
    mutating func end(in host: Host) {
        payer?.held -= charged
        if let payer { host.pipelines.accounts.end(payer) }
        self = LeftNames()
    }
}
