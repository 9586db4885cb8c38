internal import Commits
internal import Support
internal import Values

/// The facets of a mutable node: state besides its value (L-1).
///
/// Facets do not affect the value: a node that could not be loaded keeps its value.
package struct Facets: Hashable {
    /// Why the latest load failed.
    struct Failure: Hashable {
        let code: String
        let message: String
        /// When it was reported, in milliseconds since 1970.
        let at: UInt64
    }

    var error: Failure?
    var isLoading = false
    /// The progress of the load, 0…1, if the producer reports it.
    var progress: Double?
    /// Whether the value is out of date.
    var isStale = false
    /// When the producer last confirmed the value (`notModified`), in milliseconds since 1970; a
    /// set clears it.
    var confirmed: UInt64?

    package var isClear: Bool { self == Facets() }

    /// Applies a report made at `time`, in milliseconds since 1970.
    mutating func take(_ change: FacetChange, at time: UInt64) {
        if case .loading(let progress) = change {
            self.progress = progress ?? self.progress
            isLoading = true
            return
        }
        if change == .invalidated {
            isStale = true
            return
        }
        isLoading = false
        progress = nil
        switch change {
        case .failed(let code, let message): error = Failure(code: code, message: message, at: time)
        case .notModified: self = Facets(confirmed: time)
        case .loading, .cancelled, .invalidated: break
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
        isLoading = true
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
            }
        }
        buffer.append("}")
    }
}
