internal import Support

/// What is known of a mutable node besides its value (L-1).
///
/// None of it replaces the value: a node that could not be loaded still holds what it held.
struct Facets: Hashable {
    /// Why the latest load failed.
    struct Failure: Hashable {
        let code: String
        let message: String
        /// When it was reported, in milliseconds since 1970.
        let at: UInt64
    }

    var error: Failure?
    var isLoading = false
    /// How much of the load is done, 0…1, if the producer says so.
    var progress: Double?
    /// Whether the value counts as out of date.
    var isStale = false
    /// When the producer last said that the value still holds (`notModified`), in milliseconds since 1970; a set forgets it.
    var confirmed: UInt64?

    /// Whether there is nothing to say.
    var isClear: Bool { self == Facets() }

    /// What this becomes by a report at `time`, in milliseconds since 1970.
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

    /// Adds what is known of one more input to what is known of a derived node (L-4): the error of the first input that has
    /// one counts, and the least progress, if all that are loading tell theirs.
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

    /// Appends `{"t":…,"loading":true,"progress":0.4,"stale":true,"error":{…}}`; what does not hold is left out.
    ///
    /// - Parameters:
    ///   - time: of the last set of a mutable node, in milliseconds since 1970; nil: there was none, or the node is derived.
    ///   - buffer: what it is appended to.
    func append(lastSet time: UInt64?, to buffer: inout ByteBuffer) {
        var members: [(inout ByteBuffer) -> Void] = []
        if let time {
            members.append { buffer in
                buffer.append("\"t\":")
                buffer.append(decimal: max(time, confirmed ?? 0))
            }
        }
        if isLoading { members.append { $0.append("\"loading\":true") } }
        if let progress {
            members.append { buffer in
                var digits: [UInt8] = []
                JSONNumber.append(progress, to: &digits)
                buffer.append("\"progress\":")
                buffer.append(digits)
            }
        }
        if isStale { members.append { $0.append("\"stale\":true") } }
        if let error {
            members.append { buffer in
                buffer.append("\"error\":{\"code\":")
                buffer.append(json: error.code)
                buffer.append(",\"msg\":")
                buffer.append(json: error.message)
                buffer.append(",\"at\":")
                buffer.append(decimal: error.at)
                buffer.append("}")
            }
        }
        buffer.append("{")
        buffer.append(separated: members) { $0(&$1) }
        buffer.append("}")
    }
}
