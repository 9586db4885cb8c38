/// A node of the reference model: one emission, and the edges around it in order of attachment.
///
/// The model knows whole numbers only, so `nil` is *empty* here.
final class ReferenceNode {
    let number: Int
    var stored: Int?
    /// Edges that have this node as source and a listener as target, inner followings included.
    var listens: [ReferenceEdge] = []
    /// Edges that have this node as source and go to a node, or nowhere yet.
    var outs: [ReferenceEdge] = []
    /// Edges that have this node as target, inner followings included.
    var ins: [ReferenceEdge] = []
    var join: ReferenceJoin?
    /// The join's function, of the user's, is alive.
    var hasJoinFunction = false

    var isInPass = false
    var queue: [Journey] = []
    /// In how many running batches this node is set.
    var claims = 0
    /// How many running calls were given this node by a caller that holds it that long.
    var pins = 0
    var isDead = false
    /// The call that makes it has returned.
    var isMade = false
    /// Users may set it directly.
    var isMutable = false
    /// What a switched node holds; `stored` is the number of the inner node then.
    var pair: ReferencePair?
    /// The switch whose inner node this is.
    var table: ReferenceTable?
    /// What the pass that is running ends with.
    var step: ReferenceStep?
    /// A value for this inner node is on its way (G-92).
    var isDue = false

    init(_ number: Int, _ stored: Int?) {
        self.number = number
        self.stored = stored
    }
}

/// An emission under way: what, through which nodes, with which context (G-40, G-45).
struct Journey {
    var emission: Int?
    var path: [Int] = []
    var context: Int?
    /// The part of `path` that stops a ring for certain; `nil` means all of it (G-138a).
    var certain: Set<Int>?
    /// The originating set, as long as it was handed on unchanged over syncs only (G-137).
    var origin: Int?
    /// The emission is a pair, and this is it.
    var pair: ReferencePair?
    /// What the pass of the pair ends with.
    var step: ReferenceStep?
}

/// An edge of the reference model, of any kind.
final class ReferenceEdge {
    enum Kind { case transform, follower, input, listen }

    let kind: Kind
    var from: ReferenceNode?
    var to: ReferenceNode?
    var owner: ReferenceOwner?
    /// The number of this connection, 0 while an end is missing.
    ///
    /// A new connection is a new number.
    var connection = 0
    /// What happens when it is served.
    var receive: (Journey) -> Void = { _ in }
    /// Starts the state anew when `from` became a different node (G-70, G-72).
    var reset: () -> Void = {}
    var lastSource: Int?
    var receivesEmpty = false
    var propagatesEmpty = false
    /// The following that this edge drives, of a flatten.
    var follower: ReferenceEdge?
    var join: ReferenceJoin?
    /// The edge object is held from outside.
    var pins = 0
    /// What cancels the present connection.
    weak var ticket: ReferenceTicket?
    /// Has a function of the user's, which lives as long as the edge.
    var hasFunction = false
    /// Has a share in a function, which lives as long as one of the edges that have one.
    var shared: Shared?
    /// From whole numbers to whole numbers, as the edge objects of histories are.
    var isPlain = true
    /// The inner nodes, of a switch.
    var table: ReferenceTable?
    /// Hands on later what it is served: joins do not wait for it.
    var isAsynchronous = false
    /// Hands emissions on unchanged between synced nodes (G-137).
    var isSync = false
    /// The events that an event listener gets from its node.
    var listen: ReferenceListen?
    /// With whose life a sync ends.
    var life: ReferenceOwner?
    /// An end is gone: what was kept back is dropped.
    var onDetach: () -> Void = {}

    final class Shared {
        var count: Int
        init(_ count: Int) { self.count = count }
    }

    init(_ kind: Kind) {
        self.kind = kind
    }
}

/// What makes a node a join: the latest emission of each input (G-81).
final class ReferenceJoin {
    let site: Int
    let node: ReferenceNode
    var latest: [Int?]
    /// An input was removed (G-82).
    var isOver = false
    var isMarked = false
    /// Path and context of the input delivered last.
    var last = Journey()
    /// Whether emptiness of an input empties the node.
    var propagatesEmpty = false
    /// Emits: the function is called, the result stored.
    var emit: (Journey) -> Void = { _ in }
    /// An input became empty since the last emission, and that is to be handed on (G-156).
    var wasEmptied = false
    /// Receives empties too, and is always called.
    var isEmissionLevel = false

    init(site: Int, node: ReferenceNode, inputs: Int) {
        self.site = site
        self.node = node
        latest = Array(repeating: nil, count: inputs)
    }

    var isComplete: Bool { !latest.contains(nil) }
}

/// A bag, an owner with a bag, or a foreign owner.
final class ReferenceOwner {
    let isForeign: Bool
    var listens: [ReferenceEdge] = []
    /// The event listens it is an owner of, if it keeps a bag.
    var owned: [ReferenceListen] = []
    /// The syncs that end with it.
    var ties: [ReferenceTicket] = []
    var pins = 0
    var isHeld = true

    init(isForeign: Bool) {
        self.isForeign = isForeign
    }

    var isDead: Bool { !isHeld && pins == 0 }
}

/// What cancels one link or listen, and holds neither (G-30, G-60).
///
/// Blank once that has ended. That of a sync cancels two.
final class ReferenceTicket {
    var edge: ReferenceEdge?
    let parts: [ReferenceTicket]

    init(parts: [ReferenceTicket]) {
        self.parts = parts
    }

    init(_ edge: ReferenceEdge) {
        parts = []
        self.edge = edge
        edge.ticket?.edge = nil
        edge.ticket = self
    }
}
