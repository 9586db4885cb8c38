/// What waits in an operator that delivers later, within its bounds (G-142).
///
/// The death of an entry, and the graph's error handler, may run code that comes back here: each
/// method has changed everything before.
final class Backlog<Entry> {
    private var entries = Queue<Entry>()
    private let policy: BufferPolicy
    private let control: BufferControl?

    init(_ policy: BufferPolicy, _ control: BufferControl?) {
        self.policy = policy
        self.control = control
    }

    var count: Int { entries.count }
    var first: Entry? { entries.first }

    /// Lets an entry of `edge` wait, unless the buffer is full and refuses it.
    func append(_ entry: Entry, of edge: Edge) {
        var oldest: Entry?
        if let limit = policy.limit, entries.count >= limit {
            guard case .dropOldest = policy else {
                control?.refused()
                if case .fail = policy { edge.reportOverflow(limit) }
                return
            }
            control?.dropped(1)
            oldest = entries.popFirst()
        }
        entries.append(entry)
        control?.added(waits: true)
        withExtendedLifetime(oldest) {}
    }

    /// The entry that has waited longest.
    func popFirst() -> Entry? {
        guard let entry = entries.popFirst() else { return nil }
        control?.removed()
        return entry
    }

    /// Drops everything; it is released with the result.
    func removeAll() -> AnyObject? {
        guard !entries.isEmpty else { return nil }
        control?.dropped(entries.count)
        return Remains(exchange(&entries, with: Queue()))
    }
}
