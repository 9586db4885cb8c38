/// The bytes that one stage of a client's pipeline holds, and the account that is charged for them.
struct StageBytes {
    /// The stage itself: its nodes, and its compiled expressions, which take up to sixteen times
    /// their text.
    let own: Int
    /// Its value, unless the previous stage has the same.
    private var value = 0
    /// What its operator keeps.
    private var kept = 0
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
        let held = own + value + kept
        holder?.held -= held
        account?.held += held
        holder = account
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

    private func hold(_ more: Int, most: Int) -> Bool {
        guard let holder else { return true }
        if more > 0, holder.held + more > most { return false }
        holder.held += more
        return true
    }
}
