internal import Graphs
internal import Values

extension Way {
    /// Reads `via` of a `sub` or `mod`; nil if it is absent.
    ///
    /// - Throws: `bad_field`.
    init?(_ fields: Fields) throws(HostError) {
        guard let field = fields[.via] else { return nil }
        try self.init(field)
    }
}

extension Subscription {
    /// The server that has it says how its values go on (S-9).
    func change(_ way: Way?) {
        guard let way, way != self.way else { return }
        self.way = way
        graph.host.noteWays()
    }
}
