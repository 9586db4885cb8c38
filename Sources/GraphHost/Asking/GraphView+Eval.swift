internal import ReactiveGraph

extension GraphView {
    /// Computes a pipeline once, without subscribing: what its `snap` would say (wire-protocol.md §3, `eval`).
    ///
    /// A chain that others hold is used as it is; one that is built is let go of before this returns.
    ///
    /// - Parameter request: `{"node":…}` or `{"combine":{…}}`, and perhaps `"pipe":[…]`.
    /// - Returns: `{"epoch","rev","t","v"|"empty"|"fail"}`.
    /// - Throws: `forbidden` without the right to pipe, and what is wrong with the request, with all its places in ``HostError/problems``.
    public func evaluate(_ request: UnsafeRawBufferPointer) throws(HostError) -> [UInt8] {
        let document = try Pipe.document(request)
        guard document.entries != nil else { throw HostError(.badField, "the body is an object") }
        let source: Source
        switch (document["node"], document["combine"]) {
        case (let name?, nil):
            let text = name.scalar?.text
            source = .from(try node(text.flatMap { graph.node($0) }, named: text, to: .read).name)
        case (nil, let combine?):
            source = try Pipe.combine(combine, in: self)
        default:
            throw HostError(.badField, "one of node and combine is needed")
        }
        let stages =
            try document["pipe"].map { pipe throws(HostError) in try Pipe.stages(pipe, host: graph.host) }
            ?? []
        if !stages.isEmpty || document["node"] == nil { try requirePipe(on: source) }
        let (node, _) = graph.chain(source, stages)
        let buffer = FrameBuffer(capacity: 256)
        buffer.append("{\"epoch\":")
        buffer.append(string: graph.epoch)
        buffer.append(",\"rev\":")
        buffer.append(graph.rev)
        Answer.appendTime(of: graph, to: buffer)
        buffer.append(byte: UInt8(ascii: ","))
        Subscription.append(node.value, to: buffer)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }
}
