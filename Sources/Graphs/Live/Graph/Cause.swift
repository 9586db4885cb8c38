internal import Commits
internal import ReactiveGraph

/// Why a value is what it is: what kind of commit made it, and by whom.
package final class Cause: Sendable {
    /// What kind of thing made a value.
    package enum Origin: UInt8, CaseIterable, Sendable {
        /// A client set or cleared a node.
        case set
        /// The upstream of a source node sent it.
        case source
        /// A `sync` or one of `links` set a node, or a link that a client has made.
        case link
        /// A timer of the definition, or of a client's pipeline.
        case tick
        /// A state that was saved without saying more.
        case restore
        /// A member of a family was not set for too long.
        case expiry
        /// The definition.
        case initial
    }

    package let origin: Origin
    /// The authenticated principal, if there is one.
    package let by: String?

    private init(_ origin: Origin, by: String?) { (self.origin, self.by) = (origin, by) }

    private static let anonymous = Origin.allCases.map { Cause($0, by: nil) }

    /// The cause with these properties; one by the same principal as `former` may be that.
    package static func of(_ origin: Origin, by: String?, after former: Cause? = nil) -> Cause {
        guard by != nil else { return anonymous[Int(origin.rawValue)] }
        if let former, former.origin == origin, former.by == by { return former }
        return Cause(origin, by: by)
    }
}

extension NamedNode {
    /// Why its present value is what it is; of a node whose last change is that of an input, why
    /// that has changed.
    package var cause: Cause {
        let newest = newestChanged
        if let cause = newest.ownCause { return cause }
        let isWritten = newest.isMutable && newest.origin != .expiry
        return Cause.of(newest.origin, by: isWritten ? newest.writer?.by : nil)
    }

    /// Its value changes for a reason of that kind.
    func noteChange(_ stamp: LogStamp, _ origin: Cause.Origin) {
        changed = stamp
        self.origin = origin
        ownCause = nil
    }
}
