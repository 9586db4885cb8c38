/// A cache of the stages of recently read client pipelines, by their text.
///
/// A dashboard sends the same few pipelines with every page that is opened. Reading one takes ten
/// times as long as everything else that its subscription needs.
struct PipelineTexts {
    /// The longest text that is kept.
    ///
    /// A hostile client can fill the cache with half a megabyte of programs, and no more.
    private static let longest = 256
    /// Reaching this clears the cache; those in use are added again with their next subscription.
    private static let capacity = 128

    private var stages: [PipelineText: [Stage]] = [:]

    /// The stages of a text that is in the cache.
    func find(_ text: UnsafeRawBufferPointer) -> [Stage]? {
        guard text.count <= Self.longest, !stages.isEmpty else { return nil }
        return stages[PipelineText(text)]
    }

    /// Adds stages, unless they have regular expressions, which count for each request.
    mutating func keep(_ read: [Stage], of text: UnsafeRawBufferPointer) {
        guard text.count <= Self.longest, read.allSatisfy({ $0.patterns.isEmpty }) else { return }
        if stages.count >= Self.capacity { stages.removeAll() }
        stages[PipelineText(text)] = read
    }
}

/// The bytes of a text, hashed at once.
private struct PipelineText: Hashable {
    private let bytes: [UInt8]

    init(_ text: UnsafeRawBufferPointer) {
        bytes = Array(text)
    }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
