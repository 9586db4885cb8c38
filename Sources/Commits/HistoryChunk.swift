/// Some consecutive steps of one node's history by time, packed.
public struct HistoryChunk: Hashable, Sendable {
    /// When its first step begins, in milliseconds since 1970.
    public let start: UInt64
    /// The length of each step in milliseconds.
    public let every: UInt64
    /// The steps, in a form that only the server reads.
    public let bytes: [UInt8]

    public init(start: UInt64, every: UInt64, _ bytes: [UInt8]) {
        (self.start, self.every, self.bytes) = (start, every, bytes)
    }
}

/// How the stored histories of a graph change with a snapshot.
public struct HistoryChange: Hashable, Sendable {
    /// A chunk of a node, which replaces the one with its start and step.
    public struct Addition: Hashable, Sendable {
        public let node: String
        public let chunk: HistoryChunk
        /// Chunks of the node that begin earlier may be deleted.
        public let keptFrom: UInt64

        public init(_ node: String, _ chunk: HistoryChunk, keptFrom: UInt64) {
            (self.node, self.chunk, self.keptFrom) = (node, chunk, keptFrom)
        }
    }

    /// The nodes whose history has ended; it is deleted before chunks are added.
    public var ended: [String] = []
    public var added: [Addition] = []
    /// The most bytes of one node's chunks; the oldest are deleted.
    public let byteLimit: Int

    public init(byteLimit: Int) { self.byteLimit = byteLimit }
}
