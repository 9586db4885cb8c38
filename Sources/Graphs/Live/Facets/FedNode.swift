package import Commits
internal import Definitions
internal import ReactiveGraph
package import Values

// What is known of a source node, for what asks its upstream.
extension NamedNode {
    /// The value that the upstream sent last; nil: none.
    package var fedValue: Datum? { source?.value }

    /// When its value was set or confirmed last, in milliseconds since 1970.
    package var confirmedAt: UInt64 { max(changed.time, graph.facets.facets(of: self).confirmed ?? 0) }

    /// Until when its value is fresh, in milliseconds since 1970; nil: it has none, or nothing says
    /// how long it is.
    package var freshUntil: UInt64? {
        guard fedValue != nil, case .mutable(let rules) = definition.kind, let fresh = rules.fresh,
            !graph.facets.facets(of: self).isStale
        else { return nil }
        return confirmedAt + fresh.count
    }

    /// Whether an equal value has something to say: that the value is fresh again, or that a load
    /// has ended.
    package var takesConfirmations: Bool {
        if case .mutable(let rules) = definition.kind, rules.fresh != nil { return true }
        let facets = graph.facets.facets(of: self)
        return facets.isLoading || facets.error != nil || facets.isStale
    }

    /// Whether a report says nothing new: that the upstream has failed as it did before.
    package func knows(_ change: FacetChange) -> Bool {
        let present = graph.facets.facets(of: self)
        guard let error = present.error else { return false }
        var changed = present
        changed.take(change, at: error.at)
        return changed == present
    }

    /// Whether a load of its value is under way.
    package var isLoadingValue: Bool { graph.facets.facets(of: self).isLoading }

    /// The source nodes from which it is made at the moment, itself included, at most so many.
    package func presentSources(atMost most: Int) -> [NamedNode] {
        guard graph.definition.hasSources, let living else { return [] }
        var found: [NamedNode] = []
        var count: UInt64 = 0
        PresentInputs.visit(of: living, in: graph) { input in
            count += 1
            if input.isFed, found.count < most { found.append(input) }
        }
        graph.host.work += count
        return found
    }

    /// A member of a family is not wanted any more: its time to stay begins now.
    package func renewLease() {
        guard case .lease(let lease) = expiry, isLeased else { return }
        family?.leases.start(lease, at: graph.stampTime)
    }
}

extension Commit {
    /// A commit of what upstreams have sent to a graph's source nodes (S-3).
    package init(fedTo graph: LiveGraph) {
        self.init(graph: graph)
        isOfSource = true
        by = "source"
    }

    /// Says what is known of a source node besides its value.
    package mutating func note(_ change: FacetChange, of node: NamedNode) {
        reports.append(FacetReport(node: node, change: change))
    }
}

/// What another server knows of a node besides its value: the member `state` of its messages (S-9).
package struct RemoteState: Equatable {
    /// Why the latest load failed there, or the operator.
    package struct Failure: Equatable {
        let code: String
        let message: String
        var status: Int?
        var retryAt: UInt64?
    }

    /// When the value was set or confirmed there, in milliseconds since 1970.
    var time: UInt64?
    var isLoading = false
    var progress: Double?
    var isStale = false
    var error: Failure?

    /// Reads `state` and `fail` of an entry of `snap` or `upd`; what does not belong there is left
    /// out.
    package init(_ entry: JSONReader) {
        let state = entry["state"]
        time = state?["t"]?.int.map { UInt64(max(0, $0)) }
        isLoading = state?["loading"]?.bool == true
        progress = state?["progress"]?.double.flatMap { (0...1).contains($0) ? $0 : nil }
        isStale = state?["stale"]?.bool == true
        if let error = state?["error"] {
            self.error = Failure(
                code: error["code"]?.string ?? "",
                message: error["msg"]?.string ?? "",
                status: error["status"]?.int.flatMap { (100...999).contains($0) ? Int($0) : nil },
                retryAt: error["retryAt"]?.int.flatMap { $0 > 0 ? UInt64($0) : nil }
            )
        } else if let fail = entry["fail"] {
            error = Failure(code: "node_failed", message: fail["msg"]?.string ?? "")
        }
    }

    /// The state of a node here.
    fileprivate init(_ node: NamedNode) {
        let facets = node.graph.facets.facets(of: node)
        (isLoading, progress, isStale) = (facets.isLoading, facets.progress, facets.isStale)
        error = facets.error.map {
            Failure(code: $0.code, message: $0.message, status: $0.status, retryAt: $0.retryAt)
        }
    }

    /// Nothing is known: as after a set.
    fileprivate init() {}
}

extension Commit {
    /// Brings a source node's state to that of its node at another server.
    ///
    /// - Parameters:
    ///   - node: the node here.
    ///   - state: the state there.
    ///   - former: what was known of it before; nil: nothing.
    ///   - isSet: whether the commit also sets or clears the node.
    package mutating func bring(
        _ node: NamedNode,
        to state: RemoteState,
        after former: RemoteState?,
        isSet: Bool
    ) {
        var present = isSet ? RemoteState() : former ?? RemoteState(node)
        if !isSet {
            let isRight = present.error != nil && state.error == nil || present.isStale && !state.isStale
            let isConfirmed =
                former.map { $0.time != state.time && state.time != nil && node.takesConfirmations } ?? false
            if isRight || isConfirmed {
                note(.notModified, of: node)
                present = RemoteState()
            }
        }
        if let error = state.error, error != present.error {
            note(
                FacetChange(
                    reportedCode: error.code,
                    message: error.message,
                    status: error.status,
                    retryAt: error.retryAt
                ),
                of: node
            )
            (present.isLoading, present.progress) = (false, nil)
        }
        if state.isStale, !present.isStale { note(.invalidated, of: node) }
        if state.isLoading, !present.isLoading || state.progress != present.progress {
            note(.loading(progress: state.progress), of: node)
        } else if present.isLoading, !state.isLoading {
            note(.cancelled, of: node)
        }
    }
}
