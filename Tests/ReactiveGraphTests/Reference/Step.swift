/// One thing a history does, from outside or from within a callback.
///
/// Numbers are places: of nodes, edge objects, owners, cancellables. A step whose places are vacant
/// does nothing.
enum Step {
    case make(Int, value: Int?)
    case derive(Int, from: Int, Operation)
    case join(Int, from: [Int], Several)
    case set(Int, Int?, context: Int?, followsPath: Bool)
    case batch([(place: Int, value: Int?)], context: Int?)
    case link(Int, to: Int, replay: Bool, ticket: Int)
    case linkEdge(Int, to: Int, edge: Int, site: Int, ticket: Int)
    case makeEdge(Int, site: Int)
    case aimFrom(edge: Int, Int?)
    case aimTo(edge: Int, Int?)
    /// Aims the n-th edge that comes into a node, found by inspection.
    case aimUpstream(Int, Int, from: Int?)
    case aimDownstream(Int, Int, to: Int?)
    case disconnectEdge(Int)
    case unlink(Int, upstream: Int)
    case unlinkDownstream(Int, Int)
    case unlinkAllUpstream(Int)
    case unlinkAllDownstream(Int)
    /// Adds the ear in a place, a new one if it is vacant, to a node; without another owner it owns
    /// itself.
    case addEar(Int, ear: Int, owner: Holder?, site: Int)
    case addClosure(Int, owner: Holder, identity: Int?, site: Int)
    /// Removes an ear, or else an owner, from all listens on a node.
    case removeOwner(Int, ear: Int?, Holder)
    case dropEar(Int)
    /// Switches the values of a node by key.
    case makeSwitch(Int, from: Int, site: Int, Keys, releasesUnused: Bool)
    case makeCase(Int, from: Int, Choice)
    case listenSwitch(Int, bag: Int, replay: Bool, site: Int, ticket: Int)
    case dropSwitch(Int)
    /// Looks a name up: with a place for what is made if there is none, and what becomes of it
    /// then.
    case lookUp(Int, name: Int, Keeping?)
    case find(Int, name: Int)
    case removeName(Int)
    case setKeeping(name: Int, Keeping?)
    case flush
    /// Wipes the names that are even, or all.
    case wipe(all: Bool)
    case setLimit(Int)
    /// Syncs two nodes, with functions if there is a site, for the life of an owner if there is
    /// one.
    case sync(Int, Int, Holder?, site: Int?, ticket: Int)
    /// Time goes by; only from outside.
    case advance(Int)
    /// Sets a mutable node as the next turn of the loop.
    case setLater(Int, Int?, context: Int?)
    /// The loop runs what was posted; only from outside.
    case runPosts
    case listen(Int, Holder, Hearing, replay: Bool, later: Bool, site: Int, ticket: Int)
    case stopListening(Int, Holder)
    case cancel(ticket: Int)
    case dropTicket(Int)
    case cancelBag(Int)
    case dropNode(Int)
    case dropEdge(Int)
    case dropOwner(Holder)
    case collect
    case askListeners(Int)
    /// Disconnects everything that comes into any node: the end of what would not end.
    case cutAll
}

/// An operator with one input.
///
/// `site` names the user's function in the record.
enum Operation {
    case fork
    case map(site: Int)
    case replace(Int)
    case filter(site: Int)
    case ignore(Int)
    case select(Int)
    case skip(Int)
    case take(Int)
    case prefix(Int)
    case distinct
    case scan(site: Int)
    case flatten(site: Int)
    case transform(site: Int)
    case deliver
    case delay(Int)
    case debounce(Int, Burst)
    case sample(Int, Burst)
    case schedule(Int)
    case between(Int)
}

/// Which values of a burst a debounce lets through, and which of an interval a sample.
enum Burst {
    case last, first, both
}

/// How many keys a switch keeps.
enum Keys {
    case all, evictOldest(Int), fail(Int)
}

/// Which keys of a switch a case follows.
enum Choice {
    case key(Int?), missing, otherwise([Int?])

    func wants(_ key: Int?) -> Bool {
        switch self {
        case .key(let wanted): key == wanted
        case .missing: key == nil
        case .otherwise(let excluded): !excluded.contains(key)
        }
    }
}

/// How long a registry keeps a node that is not needed otherwise.
enum Keeping {
    case whileInUse, untilPressure, always
}

/// An operator with several inputs.
enum Several {
    case merge
    case combine(site: Int)
    case combineArray(site: Int)
    /// The last of several inputs is passive.
    case passive(site: Int)
    case join(site: Int)
    case zip(site: Int, Room)
}

/// How many values may wait at an input of a zip, and what happens to more.
enum Room {
    case unlimited
    case dropOldest(Int), dropNewest(Int), fail(Int)
}

/// Whose a listen is.
enum Holder {
    case bag(Int)
    case owner(Int)
    case foreign(Int)
}

/// What a listener asks for.
enum Hearing {
    case value
    case context
    case path
    case emission
}

/// Where a history happens: the engine, or the reference model.
protocol World: AnyObject {
    var player: Player? { get set }
    /// Does a step; the result goes into the record.
    func perform(_ step: Step) -> Int
    /// Nodes that are alive now.
    var livingNodes: Int { get }
    /// All that can be seen of the state from outside, between two steps.
    func look() -> [Int]
    /// Releases everything that is held from outside.
    func dropEverything()
}

/// How many places there are of each kind.
enum Places {
    static let nodes = 9
    static let edges = 4
    static let owners = 3
    static let tickets = 6
    static let switches = 2
    static let ears = 3
    static let names = 5
}
