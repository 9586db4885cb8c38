internal import HTTP

/// Gives connections the compression that they have agreed on with their peers.
final class CompressionPool {
    let counters = CompressionCounters()
    /// For connections without context takeover; nil if compression is off.
    private let shared: MessageCompression?
    private let inflaters = InflaterPool()
    private let mostContextBytes: Int

    init(_ configuration: Configuration) {
        shared = configuration.compression == .off ? nil : MessageCompression(sharedBy: counters)
        mostContextBytes = configuration.fixed.contextBytes
    }

    /// The compression of a connection that has agreed on it.
    func compression(_ agreement: DeflateAgreement) -> MessageCompression? {
        if !agreement.serverKeepsContext, !agreement.clientKeepsContext,
            agreement.serverWindowBits ?? 15 == 15
        {
            return shared
        }
        return MessageCompression(agreement, inflaters: inflaters, counters: counters)
    }

    /// Whether there is memory for another connection with contexts of its own.
    var hasRoomForContexts: Bool {
        counters.contextBytes + MessageCompression.contextBytes(DeflateAgreement()) <= mostContextBytes
    }

    func endTurn() {
        shared?.endTurn()
    }
}
