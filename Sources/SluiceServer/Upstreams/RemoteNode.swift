internal import Definitions
internal import Graphs
internal import Support
internal import Values

/// A node of another Sluice that source nodes of this one are fed by: one subscription there (S-9).
final class RemoteNode {
    let name: RemoteName
    /// The id of its subscription; changed with each one.
    let id: UInt64
    var feeds: [OpenFeed] = []
    /// How values go on from here, as the other server knows.
    private(set) var way: Way?
    /// Whether the other server was asked for paths.
    private(set) var asksForPaths = false
    /// Why the other server has ended or refused the subscription; nil: it has not.
    var refusal: UpstreamFailure?
    /// When it was asked to load, on the monotonic clock.
    var loadedAt: UInt64 = 0
    /// What is known of the node there; nil: nothing yet.
    private var last: (state: RemoteState, value: Datum?)?
    /// Where to go on after the connection has broken.
    private var cursor: (epoch: String, rev: Int, local: String?)?
    private var ticket: String?

    init(_ name: RemoteName, id: UInt64) {
        (self.name, self.id) = (name, id)
    }

    // MARK: - What is sent

    /// Writes the message that subscribes, from where it was if it was subscribed before.
    func appendSubscription(by way: Way, to out: inout ByteBuffer) {
        self.way = way
        asksForPaths = needsPaths
        append("sub", id: id, to: &out) { out in
            out.append(",\"facets\":true,\"load\":true,\"keep\":\"auto\"")
            if asksForPaths { out.append(",\"path\":true") }
            Self.append(way, to: &out)
            guard let cursor, last != nil else { return }
            out.member(
                "since",
                object: { out in
                    out.member("epoch", cursor.epoch)
                    out.member("rev", UInt64(max(0, cursor.rev)))
                    out.member("local", cursor.local)
                    out.member("ticket", ticket)
                }
            )
        }
    }

    /// Writes the message that asks for a newer value.
    func appendLoad(as id: UInt64, to out: inout ByteBuffer) {
        append("get", id: id, to: &out) { $0.append(",\"load\":true") }
    }

    /// Whether something here asks for paths.
    var needsPaths: Bool { feeds.contains { Provenance.isAsked(in: $0.graph) } }

    /// Writes the message that says another way, and whether paths are asked for.
    func appendChange(to way: Way, as id: UInt64, to out: inout ByteBuffer) {
        self.way = way
        asksForPaths = needsPaths
        out.append(utf8: "{\"op\":\"mod\",\"id\":\(id),\"sub\":\(self.id),\"path\":\(asksForPaths)")
        Self.append(way, to: &out)
        out.append("}")
    }

    private func append(
        _ op: StaticString,
        id: UInt64,
        to out: inout ByteBuffer,
        _ more: (inout ByteBuffer) -> Void
    ) {
        out.append(utf8: "{\"op\":\"\(op)\",\"id\":\(id)")
        out.member("graph", name.graph)
        out.member("node", name.node)
        more(&out)
        out.append("}")
    }

    private static func append(_ way: Way, to out: inout ByteBuffer) {
        out.member("via", objects: way.steps) { step, out in
            out.member("epoch", step.epoch)
            out.member("graph", step.graph)
            out.member("node", step.node)
        }
    }

    // MARK: - What comes

    /// The first message of the subscription, or of its continuation.
    func begin(_ snap: JSONReader) -> [FedNews] {
        refusal = nil
        if let epoch = snap["epoch"]?.string, let rev = snap["rev"]?.int {
            cursor = (epoch, rev, snap["local"]?.string)
        }
        ticket = snap["ticket"]?.string
        // The node here may show meanwhile that the connection was broken.
        return take(snap, after: nil)
    }

    /// An entry of an `upd`, whose commit has that rev.
    func take(_ entry: JSONReader, rev: Int) -> [FedNews] {
        cursor?.rev = rev
        return take(entry, after: last?.state)
    }

    private func take(_ entry: JSONReader, after told: RemoteState?) -> [FedNews] {
        let former = last
        // Without a state nothing else has changed.
        var state = RemoteState(entry)
        if entry["state"] == nil, entry["fail"] == nil, let former { state = former.state }
        let isEmpty = entry["empty"]?.bool == true
        let value: Datum?
        do throws(JSONError) {
            value = try entry["v"].map { value throws(JSONError) in try Datum.parse(value.bytes) }
        } catch {
            return []
        }
        last = (state, isEmpty || value != nil ? value : former?.value)
        let path = entry["path"].flatMap { try? ValuePath($0) }
        return feeds.map { news(for: $0, state, after: told, value, isEmpty: isEmpty, path) }
    }

    /// What is known, for a node that has come later.
    func news(for feed: OpenFeed) -> FedNews? {
        guard let last else { return nil }
        return news(for: feed, last.state, after: nil, last.value, isEmpty: last.value == nil)
    }

    private func news(
        for feed: OpenFeed,
        _ state: RemoteState,
        after former: RemoteState?,
        _ value: Datum?,
        isEmpty: Bool,
        _ path: ValuePath? = nil
    ) -> FedNews {
        do throws(UpstreamFailure) {
            let value = try value.map { value throws(UpstreamFailure) in try feed.value(of: value) }
            return FedNews(feed, .remote(state, after: former, value, isEmpty: isEmpty), path: path)
        } catch {
            return FedNews(feed, .failed(error, retryAt: nil))
        }
    }

    /// Where its last value is from, for those who look at the commits here.
    var origin: Datum? {
        guard let cursor else { return nil }
        var out = ByteBuffer()
        out.append("{\"origin\":{\"graph\":")
        out.append(json: name.graph)
        out.member("epoch", cursor.epoch)
        out.member("rev", UInt64(max(0, cursor.rev)))
        out.append("}}")
        return Datum(JSONReader(validated: out.bytes))
    }

    /// A node refused the value: the next subscription begins anew.
    func forget() { (last, cursor, ticket) = (nil, nil, nil) }
}
