internal import ReactiveGraph
internal import Support
internal import Values

/// The stages of clients' chains that the same subscriptions use: from a named node, or from a fork
/// of chains, to the next fork.
///
/// The accounts of its subscriptions take turns in paying for its runs. One of them is charged for
/// what its stages hold.
final class Segment {
    /// Where it begins to run; nil for a source that only passes values on.
    private(set) var head: Head?
    /// Whether one of its stages makes a value of each emptiness.
    private(set) var hearsEmpty = false
    /// The account that is charged for the next run.
    private(set) var payer: PipelineAccount?
    /// Each use remembers its index.
    private(set) var uses: ContiguousArray<Unowned<PipelineUse>> = []
    /// The index of the use whose account pays.
    private var turn = 0
    /// The account that is charged for ``held``.
    private(set) var holder: PipelineAccount?
    /// The bytes that its stages hold.
    private var held = 0

    /// `payer` is the account of the client that causes it to be built.
    init(for payer: PipelineAccount?) {
        self.payer = payer
    }

    /// From now on no commit runs the stages from `node` on, the first one.
    func park(before node: Node<Datum>, in graph: LiveGraph) {
        head = Head(before: node, of: self, in: graph)
    }

    /// One of its stages makes a value of each emptiness.
    func noteEmpty() { hearsEmpty = true }

    /// One of its stages has been freed, and the others go with it: closes the head.
    func close() {
        head?.close()
        head = nil
        holder?.held -= held
        holder = nil
        held = 0
    }

    /// The newest user that has not ended.
    var newestUser: (any ChainUser)? {
        uses.lazy.map(\.object.user).last { !$0.isEnded }
    }

    // MARK: - Who pays

    /// Charges that account for the runs in `body`.
    func paying(_ account: PipelineAccount?, _ body: () -> Void) {
        let outer = payer
        payer = account
        defer { payer = outer }
        body()
    }

    /// The account that pays for what comes now: the next one, if the present one has no room.
    func choosePayer(in host: Host) -> PipelineAccount? {
        if uses.count > 1, payer?.hasRoom(in: host) != true {
            turn = (turn + 1) % uses.count
            payer = uses[turn].object.account
        }
        return payer
    }

    // MARK: - Users

    /// - Returns: the index for the use to remember.
    func add(_ use: PipelineUse) -> Int {
        uses.append(Unowned(use))
        if payer == nil || uses.count == 1 { payer = use.account }
        if holder == nil { hand(to: use.account) }
        return uses.count - 1
    }

    /// Removes a use.
    func remove(at place: Int) {
        let account = uses[place].object.account
        let last = uses.removeLast()
        if place < uses.count {
            uses[place] = last
            last.object.moved(to: place, of: self)
        }
        if account === payer {
            turn = 0
            payer = uses.first?.object.account
        }
        if account === holder { hand(to: uses.first?.object.account) }
    }

    // MARK: - Bytes

    private func hand(to account: PipelineAccount?) {
        holder?.held -= held
        account?.held += held
        holder = account
    }

    /// Its stages hold so many more bytes.
    ///
    /// - Returns: false if its principal would hold more than `most`.
    func hold(_ more: Int, most: Int) -> Bool {
        if more > 0, let holder, holder.held + more > most { return false }
        held += more
        holder?.held += more
        return true
    }
}
