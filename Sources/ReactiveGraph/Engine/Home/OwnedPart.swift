/// What a public object owns of a graph: a part of its own, because the object may be freed on any
/// thread, and the graph's thread alone may end what it has to do with (G-165).
@usableFromInline
class OwnedPart {
    @usableFromInline init() {}

    /// Called once, at the graph's home, when its object is gone.
    @usableFromInline func end() {}
}

extension GraphHandle {
    /// Ends a part whose object is being freed: at once if that happens at the graph's home,
    /// otherwise in a post.
    ///
    /// Called on any thread. It takes over a reference to the part, which is given up where the
    /// part ends.
    func end(_ part: Ref<OwnedPart>) {
        let ending = Ending(part: part)
        if isHere || !post(.end(ending)) { ending.perform() }
    }
}

/// A part on its way to its graph, with a reference to be given up there.
///
/// Unchecked, because only the graph's thread uses the part from now on.
struct Ending: @unchecked Sendable {
    let part: Ref<OwnedPart>

    func perform() { part.take().end() }
}
