/// A secret that authenticates a client.
public struct Token: Hashable, Sendable {
    /// The secret: `slc_` and 43 letters, 256 random bits.
    public let text: String

    /// A new one.
    public init() {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let letters = RandomBytes.make(43).map { alphabet[Int($0 & 63)] }
        text = "slc_" + String(decoding: letters, as: UTF8.self)
    }

    /// A token with a chosen text.
    ///
    /// Nil if it cannot be a header field's value: 16 to 512 visible ASCII characters are required.
    public init?(_ text: String) {
        guard (16...512).contains(text.utf8.count), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return nil
        }
        self.text = text
    }
}
