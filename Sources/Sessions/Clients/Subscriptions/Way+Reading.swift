internal import Graphs
internal import Values

extension Way {
    /// Reads `via` of a `sub` or `mod`; nil if it is absent.
    ///
    /// - Throws: `bad_field`, and `cycle` if the values would come back to this service.
    init?(_ fields: Fields, in host: Host) throws(HostError) {
        guard let field = fields[.via] else { return nil }
        try self.init(field)
        try host.check(self)
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
