internal import Graphs

/// The changes of followed nodes that wait for a sink, and the list under way.
protocol FollowedChanges: AnyObject {
    /// How many changes wait, besides those of the list under way.
    var waiting: Int { get }
    /// A member has changed, or is gone.
    func note(_ member: FollowedMember)
    /// A member that the sink finds at its beginning; `isNew`: it has changed since then.
    func begin(_ member: FollowedMember, isNew: Bool)
    /// The next list; nil if nothing is to be sent, or more must be looked at in another turn.
    func next(of graph: LiveGraph) -> FollowedList?
    /// What became of that list.
    func settle(_ outcome: FollowedOutcome)
    /// Lets what was refused wait again.
    ///
    /// - Returns: whether there is any.
    func tryRefused() -> Bool
}
