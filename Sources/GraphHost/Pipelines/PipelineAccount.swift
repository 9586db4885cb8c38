internal import CEL

/// The client pipelines of one principal: how many different chains it has, and how many different regular expressions in them.
///
/// Where nobody has to show a token the principal is the connection: behind one address there may be any number of people.
/// Equal pipelines of one principal are one chain.
final class PipelineAccount {
    /// The principal's name; nil: a connection's own.
    let name: String?
    /// How many subscriptions of this principal have each chain; a private one is its subscription's own.
    private var chains: [ObjectIdentifier: Int] = [:]
    /// How many stages of those subscriptions have each pattern.
    private var patterns: [ObjectIdentifier: Int] = [:]

    init(name: String?) {
        self.name = name
    }

    /// How many different chains it has.
    var count: Int { chains.count }

    /// How many different patterns its pipelines search for.
    var patternCount: Int { patterns.count }

    func has(_ chain: Chains.Record) -> Bool { chains[ObjectIdentifier(chain)] != nil }

    func has(_ pattern: any RegexMatcher) -> Bool { patterns[ObjectIdentifier(pattern)] != nil }

    fileprivate func add(_ chain: Chains.Record) {
        chains[ObjectIdentifier(chain), default: 0] += 1
    }

    fileprivate func remove(_ chain: Chains.Record) {
        Self.remove(chain, from: &chains)
    }

    fileprivate func add(_ pattern: any RegexMatcher) {
        patterns[ObjectIdentifier(pattern), default: 0] += 1
    }

    fileprivate func remove(_ pattern: any RegexMatcher) {
        Self.remove(pattern, from: &patterns)
    }

    private static func remove(_ object: AnyObject, from counts: inout [ObjectIdentifier: Int]) {
        let key = ObjectIdentifier(object)
        guard let count = counts[key] else { return }
        counts[key] = count > 1 ? count - 1 : nil
    }
}

/// The accounts of principals with names.
struct PipelineAccounts {
    private var named: [String: PipelineAccount] = [:]

    /// The account of that principal, made when it is first asked for.
    mutating func account(of name: String) -> PipelineAccount {
        if let known = named[name] { return known }
        let account = PipelineAccount(name: name)
        named[name] = account
        return account
    }

    /// The account, if the principal has pipelines.
    func find(_ name: String) -> PipelineAccount? { named[name] }

    /// Forgets an account in which nothing stands.
    mutating func close(_ account: PipelineAccount) {
        if account.count == 0, let name = account.name { named[name] = nil }
    }
}

/// One subscription's part in a chain, and who answers for it.
///
/// From its making to ``end(_:)`` it is counted, by the account and by every stage of the chain.
final class PipelineUse {
    let chain: Chains.Record
    let account: PipelineAccount

    init(_ chain: Chains.Record, for account: PipelineAccount) {
        self.chain = chain
        self.account = account
        account.add(chain)
        chain.owners += 1
        forEachStage {
            $0.meter.users += 1
            for pattern in $0.patterns { account.add(pattern) }
        }
    }

    /// The subscription ends.
    func end(_ host: Host) {
        account.remove(chain)
        chain.owners -= 1
        forEachStage {
            $0.meter.users -= 1
            for pattern in $0.patterns { account.remove(pattern) }
        }
        host.accounts.close(account)
    }

    /// Units that it answers for in the present commit: of each stage its share.
    var cost: Double {
        var sum = 0.0
        forEachStage { sum += $0.meter.share }
        return sum
    }

    private func forEachStage(_ visit: (Chains.Record) -> Void) {
        var next: Chains.Record? = chain
        while let record = next {
            visit(record)
            next = record.previous
        }
    }
}
