/// The subscriptions whose pipelines use one stage; their accounts take turns in paying for its
/// runs.
struct StageUsers {
    /// The account that is charged for the next run; nil: the stage has no user.
    private(set) var payer: PipelineAccount?
    /// Each use remembers its index.
    private(set) var uses: ContiguousArray<Unowned<PipelineUse>> = []
    /// The index of the use whose account pays.
    private var turn = 0

    /// `payer` is the account of the client that caused the stage to be built.
    init(payer: PipelineAccount?) {
        self.payer = payer
    }

    /// Whether there is only one.
    var isOne: Bool { uses.count == 1 }

    /// The newest open subscription.
    var newest: Subscription? {
        uses.lazy.map(\.object.subscription).last { !$0.isEnded }
    }

    /// Makes the account of the next use the payer.
    ///
    /// - Returns: whether the payer is a different account now.
    mutating func passToNext() -> Bool {
        guard uses.count > 1 else { return payer == nil && takePayer() }
        turn = (turn + 1) % uses.count
        return takePayer()
    }

    private mutating func takePayer() -> Bool {
        guard turn < uses.count else {
            payer = nil
            return false
        }
        let account = uses[turn].object.account
        let isOther = account !== payer
        payer = account
        return isOther
    }

    /// - Returns: the index for the use to remember.
    mutating func add(_ use: PipelineUse) -> Int {
        uses.append(Unowned(use))
        if payer == nil { payer = use.account }
        return uses.count - 1
    }

    /// Removes a use of the stage at that level of its pipeline.
    ///
    /// - Returns: its account.
    mutating func remove(at place: Int, level: Int) -> PipelineAccount {
        let account = uses[place].object.account
        let last = uses.removeLast()
        if place < uses.count {
            uses[place] = last
            last.object.moved(to: place, level: level)
        }
        if account === payer {
            payer = nil
            turn = 0
            _ = takePayer()
        }
        return account
    }
}
