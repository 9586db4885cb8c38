/// What clients want of a node.
public struct Demand: Sendable, Hashable {
    /// Whether clients listen to the node.
    public let isWanted: Bool
    /// Whether its value must be set now.
    public let mustLoad: Bool
}

/// Which nodes clients want, by name.
///
/// ``Meta/members`` has those whose demand has changed.
public struct Demands: Subscribable {
    public let source: Source<[String: Demand]>
}

extension SluiceClient {
    /// Learns which of these nodes clients listen to, so that a producer can sleep until then.
    ///
    /// The nodes are names and globs.
    public func demand(_ graph: String, _ nodes: [String]) -> Demands {
        Demands(
            source: Source(
                client: self,
                fields: [
                    "op": "demand", "graph": .string(graph), "nodes": .array(nodes.map(JSONValue.string)),
                ],
                isShared: false,
                makeReader: {
                    var wanted: [String: Demand] = [:]
                    return { emission in
                        guard emission.meta.ended == nil else {
                            return ValueDelivery(value: nil, meta: emission.meta)
                        }
                        for (name, member) in emission.meta.members ?? [:] {
                            let demand = Demand(member)
                            wanted[name] = demand.isWanted ? demand : nil
                        }
                        return ValueDelivery(value: wanted, meta: emission.meta)
                    }
                }
            )
        )
    }

    /// Observes what lives in a graph without owning anything: `topo` first and after each
    /// reconnect, then `topod`, as the protocol has them.
    ///
    /// `every` is the least time between two events. With `around`, only what is at most `depth`
    /// edges away from that node is observed. `members` are the members of families to show.
    public func observe(
        _ graph: String,
        every: Duration = .milliseconds(250),
        around: String? = nil,
        depth: Int? = nil,
        members: [String]? = nil
    ) -> GraphObserver {
        var fields: JSONObject = [
            "op": "observe", "graph": .string(graph), "every": .integer(every.milliseconds),
        ]
        fields["around"] = around.map(JSONValue.string)
        fields["depth"] = depth.map { .integer(Int64($0)) }
        fields["members"] = members.map { .array($0.map(JSONValue.string)) }
        return GraphObserver(
            source: Source(
                client: self,
                fields: fields,
                isShared: false,
                makeReader: { { ValueDelivery(value: $0.value, meta: $0.meta) } }
            )
        )
    }
}

/// The events of an observer.
public struct GraphObserver: Sendable {
    let source: Source<JSONValue>

    /// The events, for `for try await`.
    ///
    /// A program that reads too slowly gets the error `slow`, because no event can be left out.
    public func events() -> Values<JSONValue> {
        Values(
            deliveries: Deliveries {
                Subscriber(source.client, source.fields, isShared: false, .all(limit: 1000))
            } reader: {
                source.makeReader()
            }
        )
    }
}

extension Demand {
    init(_ member: Member) {
        isWanted = member.json["wanted"]?.bool ?? false
        mustLoad = member.json["load"]?.bool ?? false
    }
}
