#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ClientCore {
    /// The first answer to a subscription: what is now, or what has happened since its cursor.
    func begin(_ subscription: Subscription, _ message: JSONObject) {
        let resumed = message["resumed"]?.bool
        let (known, former) = (subscription.last, subscription.cursor)
        let wasLost = resumed == false
        if wasLost { subscription.addLoss(since: former, message) }
        let cut = subscription.cut
        subscription.cursor = message.filter { ["epoch", "rev", "local", "ticket"].contains($0.key) }
        var message = message
        if resumed != true, var members = message["m"]?.object {
            // What the whole does not name is no longer there.
            for name in subscription.members.keys where members[name] == nil {
                members[name] = ["gone": true]
            }
            message["m"] = .object(members)
        }
        let entries = message["d"]?.array?.compactMap(\.object) ?? []
        for entry in entries { deliver(subscription, entry, entry, isHistory: resumed != true) }
        subscription.cursor?["rev"] = message["rev"]
        deliverPresent(subscription, message, known, entries.last, resumed)
        if subscription.ended != nil, let known { deliver(subscription, known, message) }
        if resumed != nil { reportContinuation(subscription, message, cut) }
    }

    /// Delivers the present value of a `snap`, unless the listeners have it.
    private func deliverPresent(
        _ subscription: Subscription,
        _ message: JSONObject,
        _ known: JSONObject?,
        _ newest: JSONObject?,
        _ resumed: Bool?
    ) {
        let news = content(message)
        if let known, resumed == false, message["m"] == nil, !subscription.isAll, content(known) == news {
            // No delivery for a value that listeners have; the next one reports the loss.
            subscription.meta?.rev = message["rev"]?.int
            subscription.meta?.epoch = message["epoch"]?.string
            return
        }
        // The last entry of a history may be the present value already.
        let isDelivered =
            resumed != true && newest != nil && newest?["rev"] == message["c"] ?? message["rev"]
        if !isDelivered {
            if message["m"] != nil || !news.isEmpty { deliver(subscription, message, message) }
        } else if let state = message["state"] {
            deliver(subscription, ["state": state], message)
        }
    }

    private func reportContinuation(
        _ subscription: Subscription,
        _ message: JSONObject,
        _ cut: Subscription.Cut?
    ) {
        guard let cursor = Cursor(message) else { return }
        let fields = subscription.fields
        let nodes = fields["node"]?.string.map { [$0] } ?? fields["nodes"]?.array?.compactMap(\.string)
        emit(
            .continued(
                Continuation(
                    graph: fields["graph"]?.string ?? "",
                    nodes: nodes ?? [],
                    cursor: cursor,
                    gap: cut?.gap,
                    isLost: cut?.isLost ?? false,
                    lostRevs: cut?.lostRevs,
                    subscription: fields
                )
            )
        )
    }

    /// A message with every subscription that has changed.
    func update(_ message: JSONObject) {
        for entry in message["d"]?.array ?? [] {
            // Those that this client has just ended are no longer there.
            guard let entry = entry.object, let id = entry["id"]?.int,
                case .subscription(let subscription)? = waiting[Int64(id)]
            else { continue }
            deliver(subscription, entry, message)
        }
    }

    /// An emission of a node, or of several in `m`, with the commit that it belongs to.
    private func deliver(
        _ subscription: Subscription,
        _ entry: JSONObject,
        _ commit: JSONObject,
        isHistory: Bool = false
    ) {
        let hasFacets = subscription.fields["facets"] == true
        let entry = hasFacets ? subscription.withFacets(entry) : entry
        var meta = Meta(entry)
        meta.rev = commit["rev"]?.int
        meta.epoch = subscription.cursor?["epoch"]?.string
        meta.time = commit["t"].flatMap(Date.init)
        meta.by = (entry["path"] == nil ? commit : entry)["by"]?.string
        meta.context = commit["ctx"]
        meta.isHistory = isHistory
        subscription.note(meta.members)
        subscription.last = entry
        subscription.meta = meta
        subscription.ended = nil
        subscription.cursor?["rev"] = commit["rev"]
        // A loss is reported once, with the first delivery after it.
        if let cut = subscription.cut.take() {
            (meta.gap, meta.isLost, meta.lostRevs) = (cut.gap, cut.isLost, cut.lostRevs)
        }
        notify(subscription, entry["v"], meta)
    }

    /// The first message of a connection names all nodes that are wanted, later ones the changes.
    func demanded(_ subscription: Subscription, _ message: JSONObject) {
        var changes = message["m"]?.object ?? [:]
        if subscription.isNew {
            for name in subscription.members.keys where changes[name] == nil {
                changes[name] = ["wanted": false]
            }
        }
        subscription.isNew = false
        for (name, change) in changes {
            subscription.members[name] = change["wanted"] == true ? change.object : nil
        }
        var meta = Meta()
        meta.members = changes.mapValues { Member($0.object ?? [:]) }
        notify(subscription, nil, meta)
    }

    /// Gives a value to all who listen.
    ///
    /// One that has stopped reading leaves.
    func notify(_ subscription: Subscription, _ value: JSONValue?, _ meta: Meta) {
        for listener in subscription.listeners where !listener.push(Emission(value: value, meta: meta)) {
            leave(listener)
        }
    }
}

/// What a delivery says about its node, without the commit.
private func content(_ entry: JSONObject) -> JSONObject {
    entry.filter { ["v", "empty", "fail", "state"].contains($0.key) }
}

extension Meta {
    /// What an entry says; its commit is not known here.
    fileprivate init(_ entry: JSONObject) {
        changedRev = entry["c"]?.int
        folded = entry["n"]?.int ?? 1
        isEmpty = entry["empty"]?.bool ?? false
        failure = Failure(entry["fail"])
        facets = Facets(entry["state"])
        isSame = entry["same"]?.bool ?? false
        path = entry["path"]?.array?.compactMap(\.string)
        origin = entry["origin"]?.string
        members = entry["m"]?.object?.mapValues { Member($0.object ?? [:]) }
        more = entry["more"]?.int
    }
}

extension Subscription {
    /// What it is about, for errors.
    var path: String? {
        guard let graph = fields["graph"]?.string else { return nil }
        return fields["node"]?.string.map { "\(graph)/\($0)" } ?? graph
    }

    /// Losses add up until the next delivery, however often the connection breaks before it.
    func addLoss(since cursor: JSONObject?, _ message: JSONObject) {
        var cut = self.cut ?? Cut()
        let former = cursor.flatMap(Cursor.init)
        let now = Cursor(message)
        // Revs can be compared within one history only.
        if let former, let now, former.epoch == now.epoch, now.rev >= former.rev,
            !cut.isLost || cut.lostRevs != nil
        {
            cut.lostRevs = now.rev - former.rev + (cut.lostRevs ?? 0)
        } else {
            cut.lostRevs = nil
        }
        cut.isLost = true
        self.cut = cut
    }

    /// Notes which of several nodes exist.
    func note(_ changes: [String: Member]?) {
        for (name, member) in changes ?? [:] {
            members[name] = member.isGone ? nil : member.json
        }
    }

    /// With `facets` a delivery may lack the state or the value: what was known of it still holds.
    func withFacets(_ entry: JSONObject) -> JSONObject {
        var whole = merged(last, entry)
        if let changes = entry["m"]?.object {
            whole["m"] = .object(
                changes.reduce(into: [:]) { members, change in
                    members[change.key] = .object(
                        merged(self.members[change.key], change.value.object ?? [:])
                    )
                }
            )
        }
        return whole
    }
}

private func merged(_ known: JSONObject?, _ next: JSONObject) -> JSONObject {
    let hasValue = ["v", "empty", "fail", "gone", "m"].contains { next[$0] != nil }
    var whole = hasValue ? next : (known ?? [:]).merging(next) { $1 }
    whole["state"] = next["state"] ?? known?["state"]
    if hasValue { return whole }
    whole["n"] = nil
    whole["same"] = true
    return whole
}
