internal import CEL
internal import Definitions
internal import Graphs
internal import Values

/// A source node whose upstream is open.
final class OpenFeed {
    let graph: LiveGraph
    /// The node's name, not its entry: another member of that name may have another one.
    let name: String
    let feed: Feed
    /// The placeholders' texts for `pick` and `filter`; nil: it is no member of a family.
    private let key: Value?
    /// What it is a part of.
    weak var upstream: Upstream?
    /// Its part in requests for several members.
    var share: UpstreamShare?
    /// A request for it is under way, or its answer is being taken.
    var isAsked = false
    /// What the graph learns of it at the end of this turn waits (``Upstreams/report(_:)``).
    var hasNews = false
    /// Neither a value nor a failure has come since it opened.
    var isAwaited = false

    init(_ node: NamedNode, _ feed: Feed) {
        (graph, name, self.feed) = (node.graph, node.name, feed)
        let texts = node.placeholders
        key = texts.isEmpty ? nil : .map(ValueMap(texts.map { ($0.placeholder, .string($0.text)) }))
    }

    /// The node that has the name now, if it still has this source.
    var node: NamedNode? {
        guard let node = graph.node(name), node.definition.feed?.canonical == feed.canonical else {
            return nil
        }
        return node
    }

    /// The node's value from what has come.
    func value(of datum: Datum) throws(UpstreamFailure) -> Datum {
        guard let pick = feed.pick else { return datum }
        let value = try evaluate(pick, "pick", with: datum)
        do throws(JSONError) {
            return try Datum(tree: value)
        } catch {
            throw UpstreamFailure(.pick, "pick: the result cannot be written as JSON")
        }
    }

    /// Whether the node is made from what has come.
    func takes(_ datum: Datum, by filter: Expression) throws(UpstreamFailure) -> Bool {
        guard case .bool(let isTaken) = try evaluate(filter, "filter", with: datum) else {
            throw UpstreamFailure(.pick, "filter: the result is neither true nor false")
        }
        return isTaken
    }

    private func evaluate(
        _ expression: Expression,
        _ what: String,
        with datum: Datum
    ) throws(UpstreamFailure) -> Value {
        var spent = 0
        defer { graph.host.work += UInt64(1 + spent / 50) }
        do throws(EvaluationError) {
            let arguments = key.map { [datum.tree, $0] } ?? [datum.tree]
            return try expression.program.evaluate(
                Array(arguments.prefix(expression.variables.count)),
                spent: &spent
            )
        } catch {
            let isMissing = [.noKey, .index].contains(error.code)
            throw UpstreamFailure(isMissing ? .notFound : .pick, "\(what): \(error.message)")
        }
    }
}
