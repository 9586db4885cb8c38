public import ReactiveGraph

/// An object with properties to which nodes can be bound (G-96).
public protocol Bindable: AnyObject {
    /// The nodes bound to properties of this object, which owns them; nothing else holds this.
    var bindings: Bindings { get }
}

/// The bound nodes of one object, and who follows its properties.
///
/// Properties marked ``Bound`` report to it by themselves. A property with accessors of its own
/// calls ``access(_:)`` when it is read and ``changed(_:)`` after it was set:
///
/// ```swift
/// var volume: Int {
///     get {
///         bindings.access(\Player.volume)
///         return device.volume
///     }
///     set {
///         device.volume = newValue
///         bindings.changed(\Player.volume)
///     }
/// }
/// ```
/// Nothing is patched at run time (G-152).
public final class Bindings {
    /// The graph of the bound nodes.
    public let graph: Graph
    private var paths: [AnyKeyPath: PathFollower] = [:]
    private var followers: [AnyKeyPath: Followers] = [:]

    /// The followers of one property, in order.
    private struct Followers {
        var entries: [Weak<PathFollower>] = []
        /// How many of them have died: they are swept out when they are half of all.
        var dead = 0

        mutating func sweep(but follower: PathFollower? = nil) {
            entries.removeAll { $0.object == nil || $0.object === follower }
            dead = 0
        }
    }

    /// Bindings of an object to nodes of `graph`; the objects that one path goes through belong to
    /// one graph.
    public init(graph: Graph) {
        self.graph = graph
    }

    /// The property is being read.
    public func access(_ property: AnyKeyPath) {
        (graph.reading as? TrackedReads)?.note(self, property)
    }

    /// The property was set, whether to an equal value or not.
    public func changed(_ property: AnyKeyPath) {
        guard let list = followers[property]?.entries else { return }
        for entry in list { entry.object?.propertyChanged() }
    }

    func follow(_ property: AnyKeyPath, _ follower: PathFollower) {
        followers[property, default: Followers()].entries.append(Weak(follower))
    }

    func unfollow(_ property: AnyKeyPath, _ follower: PathFollower) {
        followers[property]?.sweep(but: follower)
        forgetUnfollowed(property)
    }

    /// One of those who follow the property dies: of any number, each costs as much as one look at
    /// two others.
    func followerDies(_ property: AnyKeyPath) {
        followers[property]?.dead += 1
        guard let list = followers[property], list.dead * 2 >= list.entries.count else { return }
        followers[property]?.sweep()
        forgetUnfollowed(property)
    }

    private func forgetUnfollowed(_ property: AnyKeyPath) {
        if followers[property]?.entries.isEmpty == true { followers[property] = nil }
    }

    fileprivate func path<Object: Bindable, Value>(
        _ path: KeyPath<Object, Value>,
        of object: Object
    ) -> BoundPath<Object, Value> {
        if let known = paths[path] as? BoundPath<Object, Value> { return known }
        let made = BoundPath(object, path, graph)
        paths[path] = made
        made.begin(object)
        return made
    }
}

extension Bindable {
    /// The node bound to a property: the same one each time, starting with the property's value
    /// (G-96).
    ///
    /// Setting the property sets the node; setting the node, or anything upstream of it, sets the
    /// property; neither comes back. A setter that stores something else than it was given makes
    /// the node take that, if values are `Equatable` or objects. The path may go through other
    /// bindable objects, `\.room.lamp.brightness`, and follows when one of them is replaced.
    ///
    /// The object owns the node. Kept by others, it outlives the object as a plain node with the
    /// last value.
    public func node<Value>(_ path: ReferenceWritableKeyPath<Self, Value>) -> MutableNode<Value> {
        bindings.path(path, of: self).node
    }

    /// A node that follows a property that cannot be set, or a path through optional objects,
    /// `\.room?.name`.
    ///
    /// What the property is computed from must be marked ``Bound``.
    public func node<Value>(_ path: KeyPath<Self, Value>) -> Node<Value> {
        bindings.path(path, of: self).node
    }

    /// Keeps a property and `node` at the same value: `node` wins if it has one, else it takes the
    /// property's.
    ///
    /// A second assignment adds to the first, it does not replace it. It ends with the object, or
    /// when cancelled.
    @discardableResult
    public func bind<Value>(
        _ path: ReferenceWritableKeyPath<Self, Value>,
        to node: Node<Value>
    ) -> CancelToken {
        bindings.path(path, of: self).sync(with: node)
    }
}
