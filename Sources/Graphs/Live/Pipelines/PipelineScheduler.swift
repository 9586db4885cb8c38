internal import CEL
internal import Definitions
internal import DequeModule
internal import ReactiveGraph

/// Runs the pipelines of clients at the end of each turn of the loop (``Head``).
///
/// A principal gets a number of units per second. Principals that have some left come first, and
/// take turns; the others share a slice of the turn. What is left over follows in the next turns,
/// between which other clients are served. A run cannot be divided: by what it takes more than its
/// turn had, later turns have less, so a turn has one long run at most, and not each turn has one.
package final class PipelineScheduler {
    /// The units of one turn for principals within their share: 0.3 ms.
    static let share = 15_000
    /// The units of one turn for principals that have used their share up: 0.08 ms.
    static let slice = 4_000
    /// The units after which the next principal follows.
    private static let each = 800
    /// What a run costs besides its stages: 1.5 microseconds.
    private static let runUnits = 75
    /// What an expired timer costs besides the stages that its emission reaches: a microsecond.
    private static let timerUnits = 50

    /// Units that pipelines have spent since the start.
    package private(set) var total = 0
    /// What waits for a turn.
    private struct Queues {
        /// Principals with heads that are behind, in the order in which they are served.
        var waiting: Deque<PipelineAccount> = []
        /// The graphs with facets to settle after the runs of this turn.
        var touched: [LiveGraph] = []

        var isEmpty: Bool { waiting.isEmpty && touched.isEmpty }
    }

    private var queues = Queues()
    /// What principals within their share, the others, and timers of stages may still use of this
    /// turn; negative if they have used more.
    private var left = PipelineScheduler.share
    private var leftOfSlice = PipelineScheduler.slice
    private var leftForTimers = PipelineScheduler.share / 2
    /// Ends the subscriptions of what falls too far behind.
    package let slow = SlowEndings()

    /// What principals pay for their pipelines.
    package var accounts = PipelineAccounts()
    /// What was parsed last.
    var stages = TextCache<[Stage]>()
    var formulas = TextCache<Program>()
    /// Parses long texts on another thread, and calls back in a turn of the loop; nil: everything
    /// is parsed at once.
    package var parseElsewhere: ((_ text: PipelineText, _ done: @escaping (ParsedPipeline) -> Void) -> Void)?

    /// Whether a head is behind.
    package var isBehind: Bool { !queues.waiting.isEmpty }

    /// Counts the cost of a stage.
    @inline(__always)
    func spend(_ units: Int) { total &+= units }

    /// Counts work that belongs to a commit, such as recording an emission.
    func note(_ units: Int) { total &+= units }

    // MARK: - Heads

    /// A head has fallen behind.
    func add(_ head: Head, for account: PipelineAccount) {
        account.waiting.append(head)
        queue(account)
    }

    private func queue(_ account: PipelineAccount) {
        guard !account.isQueued else { return }
        account.isQueued = true
        queues.waiting.append(account)
    }

    /// Runs what this turn has room for, as its end comes.
    func run(in host: Host) {
        defer { beginTurn() }
        guard !queues.isEmpty else { return }
        serve(host)
        let graphs = queues.touched
        queues.touched = []
        for graph in graphs where graph.isLive { graph.facets.settle(in: graph) }
    }

    private func serve(_ host: Host) {
        // Those above their share.
        var poor: Deque<PipelineAccount> = []
        while hasRoom, let account = queues.waiting.popFirst() {
            if !account.hasRoom(in: host) {
                poor.append(account)
            } else {
                left -= serve(account, atMost: left, whileItHasRoom: host)
                if account.isQueued { queues.waiting.append(account) }
            }
        }
        var served: [PipelineAccount] = []
        while leftOfSlice > 0, !hadLongRun, let account = poor.popFirst() {
            leftOfSlice -= serve(account, atMost: leftOfSlice, whileItHasRoom: nil)
            if account.isQueued { served.append(account) }
        }
        queues.waiting.append(contentsOf: poor)
        queues.waiting.append(contentsOf: served)
    }

    /// Whether this turn has units left for principals within their share.
    package var hasRoom: Bool { left > 0 }

    /// Whether a run has taken more than its turn had, and that is not made up for yet.
    private var hadLongRun: Bool { left < -Self.each || leftForTimers < -Self.each }

    /// A head has run for someone who looks at its chain: takes what was spent since then from this
    /// turn.
    func looked(since before: Int) { left -= total - before }

    private func beginTurn() {
        left = min(Self.share, left + Self.share)
        leftOfSlice = min(Self.slice, leftOfSlice + Self.slice)
        leftForTimers = min(Self.share / 2, leftForTimers + Self.share / 2)
    }

    /// Runs some heads of one account.
    ///
    /// - Returns: the units that they have spent.
    private func serve(_ account: PipelineAccount, atMost units: Int, whileItHasRoom host: Host?) -> Int {
        let before = total
        let end = total + min(units, Self.each)
        while total < end, host.map(account.hasRoom) != false, let head = account.waiting.popFirst() {
            guard head.isBehind, !head.isClosed else { continue }
            spend(Self.runUnits)
            head.charge(Self.runUnits)
            head.run()
            if head.isBehind, !head.isClosed { account.waiting.append(head) }
        }
        account.isQueued = !account.waiting.isEmpty
        return total - before
    }

    /// The facets of this graph's chains are settled after the runs of this turn.
    func touch(_ graph: LiveGraph) {
        if !queues.touched.contains(where: { $0 === graph }) { queues.touched.append(graph) }
    }

    /// Lets all heads go: the host is being freed.
    func forget() {
        slow.forget()
        for account in queues.waiting { account.waiting = [] }
        queues.waiting = []
        queues.touched = []
    }

    // MARK: - Timers

    /// Whether this turn has time for another timer of a client's stage: they may use half of what
    /// there is for pipelines.
    var takesTimer: Bool { leftForTimers > 0 }

    /// Whether a stage's timer is at work.
    private(set) var isInTimer = false

    /// A stage's timer has expired.
    func perform(_ due: Due) {
        let before = total
        spend(Self.timerUnits)
        isInTimer = true
        due.perform()
        isInTimer = false
        leftForTimers -= total - before
    }
}
