/// Reads what a client wants computed: the `pipe` and the `combine` of a subscription.
enum Pipe {
    /// The stages of a list as JSON text.
    ///
    /// - Throws: `pipe_limit`, or what is wrong with a stage, with its place.
    static func read(_ text: UnsafeRawBufferPointer, host: Host) throws(HostError) -> [Stage] {
        let (stages, problems) = Stage.parse(try document(text), options: host.definitions)
        guard problems.isEmpty else { throw HostError(problems) }
        guard stages.count <= host.limits.stages else {
            throw HostError(.pipeLimit, "at most \(host.limits.stages) stages per pipe")
        }
        return stages
    }

    /// The combination of an object of names, all of which must be nodes of `graph`.
    static func combine(_ text: UnsafeRawBufferPointer, in graph: LiveGraph) throws(HostError) -> Source {
        let (source, problems) = Source.parseCombine(try document(text), options: graph.host.definitions)
        guard problems.isEmpty, let source else { throw HostError(problems) }
        for name in source.nodes where graph.node(name) == nil {
            throw HostError(.unknownNode, "no such node in \(graph.name)", node: name)
        }
        return source
    }

    private static func document(_ text: UnsafeRawBufferPointer) throws(HostError) -> Document {
        do throws(Problem) {
            return try Document.parse(json: text)
        } catch {
            throw HostError([error])
        }
    }
}
