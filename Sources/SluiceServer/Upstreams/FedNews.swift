internal import Graphs
internal import Values

/// What has come for a source node.
struct FedNews {
    enum What {
        /// It is asked for.
        case loading
        /// It was not asked for to the end.
        case cancelled
        case value(Datum)
        /// Another server has told of its node; `isEmpty`: it holds nothing.
        case remote(RemoteState, after: RemoteState?, Datum?, isEmpty: Bool)
        /// The last value is still right.
        case confirmed
        case failed(UpstreamFailure, retryAt: UInt64?)
    }

    let feed: OpenFeed
    let what: What
    /// Where the value has been at another server, if it was asked for that.
    let path: ValuePath?

    /// Whether it is about a source that the node may not have any more.
    var isAboutPast: Bool { if case .cancelled = what { true } else { false } }

    /// Whether it is about the node of that name.
    func isAbout(_ node: NamedNode) -> Bool { feed.graph === node.graph && feed.name == node.name }

    init(_ feed: OpenFeed, _ what: What, path: ValuePath? = nil) {
        (self.feed, self.what, self.path) = (feed, what, path)
    }
}
