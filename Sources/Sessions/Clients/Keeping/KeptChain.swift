internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Values

/// A subscription with a ticket, whose chain is kept for its client after its connection ends
/// (K-1).
///
/// After the disconnect its session holds it, and it holds the subscription; before that the
/// subscription holds it. It ends with the subscription, which only ``Session/end(_:because:)``
/// ends.
final class KeptChain {
    let ticket = Ticket()
    /// Its number in pictures.
    let number: UInt64
    /// The principal that owns the ticket; nil: any client without a name.
    let principal: String?
    unowned let subscription: Subscription
    /// How long the chain is kept.
    let span: Stage.Span
    /// When the ticket was given, in milliseconds since 1970.
    let given: UInt64
    /// Since when and until when it is kept, in milliseconds since 1970; nil while the connection
    /// is open.
    private(set) var stay: (since: UInt64, until: UInt64)?
    /// Its time is over: it is released in the next turns, and the ticket is no longer valid.
    private(set) var isExpired = false
    /// Emissions that the client may have missed; nil unless in mode `all`.
    private(set) var emissions: KeptEmissions?
    /// The rev with which the newest value was sent after the ticket; nil: none was.
    private var sent: UInt64?
    /// Whether a client that has seen that rev may still lack the value, because it did not come
    /// with its commit.
    private var isAmbiguous = false
    /// Whether there is a newer value that was not sent.
    private var hasUnsent = false
    /// The rev at which the ticket was given.
    private let start: UInt64
    /// The account charged for the bytes of `emissions`, and the bytes charged.
    private var account: PipelineAccount
    private var held = 0
    /// Owns the subscription while the chain is kept.
    private let bag: CancellableBag
    private lazy var timer = Timer { [unowned self] in expire() }

    private var host: Host { subscription.graph.host }
    private var clients: Clients { subscription.session.clients }

    /// Issues the ticket of a subscription.
    init(
        _ number: UInt64,
        of subscription: Subscription,
        for principal: String?,
        keeping span: Stage.Span,
        account: PipelineAccount
    ) {
        self.number = number
        self.subscription = subscription
        self.principal = principal
        self.span = span
        self.account = account
        bag = CancellableBag(name: "kept chain k:\(number)")
        given = subscription.graph.host.clock.wall
        start = subscription.graph.rev
        account.begin()
        update()
    }

    // MARK: - What is missed

    /// The subscription has emitted, in mode `all`.
    func note(_ value: Datum?) {
        let graph = subscription.graph
        let isOfCommit = graph.turn == host.turns && !graph.present.isLate
        emissions?.note(graph.present.commit.stamp, value, isOfCommit: isOfCommit)
        settle()
    }

    /// The newest value is sent now.
    func noteDelivery() {
        let graph = subscription.graph
        sent = graph.rev
        isAmbiguous = graph.turn != host.turns || graph.rev == start
    }

    /// Its client takes the chain over: what was emitted and not sent counts as news.
    func noteUnsent() {
        hasUnsent = subscription.folded > 0 || subscription.pipeline?.chain.isBehind == true
    }

    /// Whether a client that has seen `rev` may lack the chain's present value.
    func hasNews(after rev: UInt64) -> Bool {
        guard !hasUnsent, let sent else { return hasUnsent }
        return sent > rev || sent == rev && isAmbiguous
    }

    /// The options of the subscription have changed.
    func update() {
        let options = subscription.options
        if !options.isAll {
            emissions = nil
        } else if emissions == nil {
            let limits = host.limits
            emissions = KeptEmissions(
                capacity: Int(options.queue),
                byteLimit: limits.hardBytes / 2,
                from: subscription.graph.rev,
                isEmptyNow: subscription.lastIsEmpty
            )
        } else {
            emissions?.resize(to: Int(options.queue))
        }
        settle()
    }

    /// Updates the charge; if the principal would hold too much, the emissions are dropped.
    private func settle() {
        let bytes = emissions?.bytes ?? 0
        if bytes > held, account.held + bytes - held > host.limits.held { emissions?.removeAll() }
        let present = emissions?.bytes ?? 0
        account.held += present - held
        held = present
    }

    /// Whether that account is charged for the chain or for the held emissions.
    func isCharged(to account: PipelineAccount) -> Bool {
        self.account === account || subscription.pipeline?.account === account
    }

    /// Charges another account for the chain and the held emissions.
    func charge(_ account: PipelineAccount) {
        subscription.charge(account)
        guard account !== self.account else { return }
        account.begin()
        account.held += held
        self.account.held -= held
        host.pipelines.accounts.end(self.account)
        self.account = account
    }

    // MARK: - Keeping

    /// The connection has ended.
    func keep() {
        let wall = host.clock.wall
        stay = (wall, wall + span.count)
        bag.adopt(subscription)
        host.timers.set(timer, due: host.clock.now + span.count)
    }

    private func expire() {
        isExpired = true
        clients.sessions.kept.withdraw(self)
        // Many may expire at once: they are released like those of closed connections, a limited
        // number per turn.
        clients.sessions.release(subscription.session)
    }

    /// The subscription has ended, or another connection has taken it over.
    func end() {
        if stay != nil { host.timers.cancel(timer) }
        account.held -= held
        held = 0
        host.pipelines.accounts.end(account)
    }
}
