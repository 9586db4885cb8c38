/// The stages of client pipelines that were read lately, by their text as it was written.
///
/// A dashboard sends the same few pipelines with every page that is opened. Reading one of them takes ten times as long
/// as everything else that its subscription needs.
struct PipelineTexts {
    /// The longest text that is kept: a hostile client can fill the table with half a megabyte of programs, and no more.
    private static let longest = 256
    /// When so many are kept, all are forgotten: those in use come back with their next subscription.
    private static let capacity = 128

    private var stages: [PipelineText: [Stage]] = [:]

    /// The stages of a text that was read before.
    func find(_ text: UnsafeRawBufferPointer) -> [Stage]? {
        guard text.count <= Self.longest, !stages.isEmpty else { return nil }
        return stages[PipelineText(text)]
    }

    /// Keeps what was read, unless it has regular expressions: those count for each request.
    mutating func keep(_ read: [Stage], of text: UnsafeRawBufferPointer) {
        guard text.count <= Self.longest, read.allSatisfy({ $0.patterns.isEmpty }) else { return }
        if stages.count >= Self.capacity { stages.removeAll() }
        stages[PipelineText(text)] = read
    }
}

/// The bytes of a text, hashed in one go.
private struct PipelineText: Hashable {
    private let bytes: [UInt8]

    init(_ text: UnsafeRawBufferPointer) {
        bytes = Array(text)
    }

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
