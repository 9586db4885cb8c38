internal import CEL
internal import Definitions
internal import DequeModule

/// The resources of the client pipelines of one principal: computation, memory, and different
/// regular expressions.
///
/// If clients need no token, each connection is a principal of its own, because many people may
/// share an address.
package final class PipelineAccount {
    /// The principal's name; nil: a connection's own.
    let name: String?
    /// How many subscriptions with pipelines or tickets the principal has.
    fileprivate var uses = 0
    /// In how many stages of those subscriptions each pattern occurs.
    private var patterns: [ObjectIdentifier: Int] = [:]
    /// Units that its stages may spend before those of others come first; negative if they have
    /// overspent.
    var room = 0
    /// The loop turn and the millisecond at which `room` was updated.
    private var turn = UInt64.max
    private var filledAt: UInt64
    /// Its heads that are behind, in the order in which they run.
    var waiting: Deque<Head> = []
    /// Whether the scheduler has it in its queue.
    var isQueued = false
    /// Bytes that its stages hold: their values, what operators keep, and what waits except the
    /// newest emission of each head.
    package var held = 0

    package init(name: String?, in host: Host) {
        self.name = name
        filledAt = host.clock.now
        room = host.limits.pipelineBurst
    }

    /// Whether it has units left.
    func hasRoom(in host: Host) -> Bool {
        if turn != host.turns { fill(host) }
        return room > 0
    }

    /// Another subscription uses it, until ``PipelineAccounts/end(_:)``.
    package func begin() { uses += 1 }

    /// Adds the units earned since the last update.
    private func fill(_ host: Host) {
        turn = host.turns
        let now = host.clock.now
        guard now > filledAt else { return }
        // At most the units of one second.
        let more = Int(min(now - filledAt, 1_000)) * host.limits.pipelineUnits / 1_000
        filledAt = now
        room = min(host.limits.pipelineBurst, room + more)
    }

    /// How many different patterns its pipelines use.
    var patternCount: Int { patterns.count }

    func has(_ pattern: any RegexMatcher) -> Bool { patterns[ObjectIdentifier(pattern)] != nil }

    func add(_ pattern: any RegexMatcher) {
        patterns[ObjectIdentifier(pattern), default: 0] += 1
    }

    func remove(_ pattern: any RegexMatcher) {
        let key = ObjectIdentifier(pattern)
        guard let count = patterns[key] else { return }
        patterns[key] = count > 1 ? count - 1 : nil
    }
}

package struct PipelineAccounts {
    private(set) var named: [String: PipelineAccount] = [:]

    /// The account of that principal, made on first use.
    package mutating func account(of name: String, in host: Host) -> PipelineAccount {
        if let known = named[name] { return known }
        let account = PipelineAccount(name: name, in: host)
        named[name] = account
        return account
    }

    package func find(_ name: String) -> PipelineAccount? { named[name] }

    /// A subscription no longer uses the account; after the last one it is removed.
    package mutating func end(_ account: PipelineAccount) {
        account.uses -= 1
        if account.uses == 0, let name = account.name { named[name] = nil }
    }
}
