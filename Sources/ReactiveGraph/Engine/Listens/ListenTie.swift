/// One owner of a listen: a weak reference, and a place in the owner's bag if it keeps one.
///
/// The object is compared together with its life, never by address alone (G-147).
final class ListenTie {
    private(set) weak var object: AnyObject?
    /// The bag of an owner that keeps one: it reports the owner's death at once (G-67).
    private weak var bag: BagContents?
    unowned let listen: ListenOwners

    init(_ object: AnyObject, of listen: ListenOwners) {
        self.object = object
        self.listen = listen
        bag = (object as? any ListenerOwner)?.listenBag.contents
        bag?.join(listen.node?.graph.ownHandle)
        bag?.ties[ObjectIdentifier(self)] = self
    }

    /// Leaves the owner's bag; the listen releases this.
    func untie() {
        bag?.ties[ObjectIdentifier(self)] = nil
        bag = nil
    }

    /// Where the listen stands: nodes in order of creation, on each in order of addition (G-122).
    static func isBefore(_ left: ListenTie, _ right: ListenTie) -> Bool {
        left.listen.isBefore(right.listen)
    }
}

extension BagContents {
    /// The owner of this bag dies, or gives up everything: it owns no listen any more.
    func cutTies() {
        // Those there are now: a listener that received *stopped* may add itself again.
        let ending = ties.values.sorted(by: ListenTie.isBefore)
        for tie in ending where ties.removeValue(forKey: ObjectIdentifier(tie)) != nil {
            tie.listen.remove(tie)
        }
    }
}
