internal import Values

/// The bytes that one stage of a client's pipeline holds, and the account that is charged for them.
struct StageBytes {
    /// The stage itself: its nodes, and its compiled expressions, which take up to sixteen times
    /// their text.
    let own: Int
    /// Its value, unless the previous stage has the same.
    private var value = 0
    /// What its operator keeps.
    private var kept = 0
    /// The inputs whose trees the stage was the first to read, and the bytes of these trees.
    private var read: ContiguousArray<Datum> = []
    private var trees = 0
    private(set) var holder: PipelineAccount?

    /// `text` is the stage's key.
    init(of text: String) {
        own = 512 + 16 * text.utf8.count
    }

    /// Nothing is counted: the stage belongs to a definition.
    init() {
        own = 0
    }

    /// Charges another account for everything; nil: none.
    mutating func hand(to account: PipelineAccount?) {
        let held = own + value + kept + trees
        holder?.held -= held
        account?.held += held
        holder = account
        if account == nil { forgetTrees() }
    }

    /// Counts the bytes of a new value.
    ///
    /// - Returns: false if the account would hold more than `most`.
    @inline(__always)
    mutating func hold(value bytes: Int, most: @autoclosure () -> Int) -> Bool {
        // Small changes are not worth counting.
        if (bytes ^ value) < 64 { return true }
        guard hold(bytes - value, most: most()) else { return false }
        value = bytes
        return true
    }

    /// The same for what the operator keeps now.
    mutating func hold(kept bytes: Int, most: @autoclosure () -> Int) -> Bool {
        if bytes == kept { return true }
        guard hold(bytes - kept, most: most()) else { return false }
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
    /// - Returns: false if the account would hold more than `most`.
    mutating func hold(treesOf inputs: [Datum], most: Int) -> Bool {
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
        holder?.held -= trees
        trees = 0
        guard hold(bytes, most: most) else {
            forgetTrees()
            return false
        }
        trees = bytes
        return true
    }

    private mutating func forgetTrees() {
        for datum in read { datum.forgetTree() }
        read = []
        trees = 0
    }

    private func hold(_ more: Int, most: Int) -> Bool {
        guard let holder else { return true }
        if more > 0, holder.held + more > most { return false }
        holder.held += more
        return true
    }
}
