internal import Support

/// The secret with which a client takes over its chain: 128 random bits (K-1).
struct Ticket: Hashable {
    private let high: UInt64
    private let low: UInt64

    /// A ticket that cannot be guessed; its bits come from the kernel.
    init() {
        var kernel = SystemRandomNumberGenerator()
        (high, low) = (kernel.next(), kernel.next())
    }

    /// Parses a client's ticket; nil if the text is not one.
    init?(_ text: String) {
        guard let bytes = Base64.bytes(text.utf8, isCanonical: true), bytes.count == 16 else { return nil }
        func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        (high, low) = (number(bytes.prefix(8)), number(bytes.suffix(8)))
    }

    /// The form that clients receive.
    var text: String {
        Base64.text(
            [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        )
    }
}
