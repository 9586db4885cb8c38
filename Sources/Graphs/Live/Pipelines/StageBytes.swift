internal import Values

/// The bytes that one stage of a client's pipeline holds; its segment's principal is charged for
/// them.
struct StageBytes {
    /// Its value, unless the previous stage has the same.
    private var value = 0
    /// What its operator keeps.
    private var kept = 0
    /// The inputs whose trees the stage was the first to read, and the bytes of these trees.
    private var read: ContiguousArray<Datum> = []
    private var trees = 0

    /// Counts the bytes of a new value.
    ///
    /// - Returns: false if the principal would hold more than `most`.
    @inline(__always)
    mutating func hold(value bytes: Int, for segment: Segment, most: @autoclosure () -> Int) -> Bool {
        // Small changes are not worth counting.
        if (bytes ^ value) < 64 { return true }
        guard segment.hold(bytes - value, most: most()) else { return false }
        value = bytes
        return true
    }

    /// The same for what the operator keeps now.
    mutating func hold(kept bytes: Int, for segment: Segment, most: @autoclosure () -> Int) -> Bool {
        if bytes == kept { return true }
        guard segment.hold(bytes - kept, most: most()) else { return false }
        kept = bytes
        return true
    }

    /// Whether the tree of an input that the stage has read is not counted yet, or one that is
    /// counted may have to go.
    @inline(__always)
    func mayCount(treeOf input: Datum) -> Bool {
        !read.isEmpty || input.isContainer && !input.isTreeCounted
    }

    /// Counts the trees of the inputs that the stage has read, unless they count already; those of
    /// former inputs go.
    ///
    /// - Returns: false if the principal would hold more than `most`.
    mutating func hold(treesOf inputs: [Datum], for segment: Segment, most: Int) -> Bool {
        let former = read
        for datum in former { datum.isTreeCounted = false }
        read = []
        var bytes = 0
        for datum in inputs where datum.isContainer && !datum.isTreeCounted {
            datum.isTreeCounted = true
            read.append(datum)
            bytes += datum.treeBytes
        }
        for datum in former where !datum.isTreeCounted { datum.forgetTree() }
        _ = segment.hold(-trees, most: most)
        trees = 0
        guard segment.hold(bytes, most: most) else {
            forgetTrees()
            return false
        }
        trees = bytes
        return true
    }

    /// What it holds besides itself.
    var sum: Int { value + kept + trees }

    /// Releases the trees, which count no longer.
    mutating func forgetTrees() {
        for datum in read { datum.forgetTree() }
        read = []
        trees = 0
    }
}
