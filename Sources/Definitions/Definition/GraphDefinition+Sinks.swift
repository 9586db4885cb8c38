extension GraphDefinition {
    /// The upstream with a name.
    public func upstream(_ name: String) -> UpstreamDefinition? { upstreams.first { $0.name == name } }

    /// The broker of a sink; nil: it has none.
    public func upstream(of sink: SinkDefinition) -> UpstreamDefinition? {
        if case .topic(let topic) = sink.target { upstream(topic.upstream) } else { nil }
    }

    /// Where a sink sends.
    public func place(of sink: SinkDefinition) -> RemoteURL? {
        if case .web(let url, _) = sink.target { url } else { upstream(of: sink)?.url }
    }

    /// The names of the secrets that a sink needs.
    public func secrets(of sink: SinkDefinition) -> [String] {
        if case .web(_, let secret) = sink.target { return secret.map { [$0] } ?? [] }
        return upstream(of: sink)?.secrets ?? []
    }
}
