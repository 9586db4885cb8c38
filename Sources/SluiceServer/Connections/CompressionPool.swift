internal import HTTP

/// Gives connections the compression that they have agreed on with their peers.
final class CompressionPool {
    let counters = CompressionCounters()
    /// For connections without context takeover; nil if compression is off.
    private let shared: Compression?
    private let inflaters = InflaterPool()
    private let mostContextBytes: Int

    init(_ configuration: Configuration) {
        shared = configuration.compression == .off ? nil : Compression(sharedBy: counters)
        mostContextBytes = configuration.fixed.contextBytes
    }

    /// The compression of a connection that has agreed on it.
    func compression(_ agreement: DeflateAgreement) -> Compression? {
        if !agreement.serverKeepsContext, !agreement.clientKeepsContext,
            agreement.serverWindowBits ?? 15 == 15
        {
            return shared
        }
        return Compression(agreement, inflaters: inflaters, counters: counters)
    }

    /// Whether there is memory for another connection with contexts of its own.
    var hasRoomForContexts: Bool {
        counters.contextBytes + Compression.contextBytes(DeflateAgreement()) <= mostContextBytes
    }

    func endTurn() {
        shared?.endTurn()
    }
}
