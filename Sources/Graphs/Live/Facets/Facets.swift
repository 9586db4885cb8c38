internal import Commits
package import ReactiveGraph
internal import Support
internal import Values

/// The facets of a mutable node: the state of its loads, by the time of commits in milliseconds
/// since 1970 (L-1).
///
/// Reports say whether a load is running, not how many, so there is one at most. `confirmed` has
/// the time of the last `notModified`; a set clears it, because the commit has the time of the set.
package typealias Facets = LoadState<LoadFailure, UInt64>

/// Why the latest load of a node failed.
package struct LoadFailure: Equatable {
    let code: String
    package let message: String
    /// When it was reported, in milliseconds since 1970.
    let at: UInt64
    /// The status with which an upstream answered, 100 … 999.
    var status: Int?
    /// When the upstream is asked again, in milliseconds since 1970.
    var retryAt: UInt64?
}

extension Facets {
    package var isClear: Bool { self == Facets() }

    /// Applies a report made at `time`.
    mutating func take(_ change: FacetChange, at time: UInt64) {
        switch change {
        case .loading(let progress):
            if !isLoading { beginLoad() }
            self.progress = progress ?? self.progress
        case .invalidated: isStale = true
        case .cancelled: endLoad()
        case .failed(let code, let message, let status, let retryAt):
            endLoad()
            error = LoadFailure(code: code, message: message, at: time, status: status, retryAt: retryAt)
        case .notModified:
            endLoad()
            confirm(at: time)
        }
    }

    /// Merges the facets of another input into those of a derived node (L-4): the error of the
    /// first input that has one, and the least progress if all loading inputs report theirs.
    mutating func merge(_ input: Facets) {
        error = error ?? input.error
        isStale = isStale || input.isStale
        guard input.isLoading else { return }
        if let progress = input.progress, !isLoading || self.progress != nil {
            self.progress = min(self.progress ?? 1, progress)
        } else {
            progress = nil
        }
        if !isLoading { beginLoad() }
    }

    /// Appends `{"t":…,"loading":true,"progress":0.4,"stale":true,"error":{…}}`; members that do
    /// not apply are left out.
    ///
    /// The time is nil for a derived node and for one that was not set.
    func append(lastSet time: UInt64?, to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("t", time.map { max($0, confirmed ?? 0) })
        if isLoading { buffer.member("loading", true) }
        buffer.member("progress", progress)
        if isStale { buffer.member("stale", true) }
        if let error {
            buffer.member("error") { buffer in
                buffer.member("code", error.code)
                buffer.member("msg", error.message)
                buffer.member("at", error.at)
                buffer.member("status", error.status)
                buffer.member("retryAt", error.retryAt)
            }
        }
        buffer.append("}")
    }
}
