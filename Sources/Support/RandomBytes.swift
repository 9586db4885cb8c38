/// Random bytes from the kernel, for tokens, session names and epochs.
///
/// Not from OpenSSL: its generator takes the kernel's bytes too, and making it costs a start two
/// milliseconds and two megabytes that a server without TLS never needs again.
package enum RandomBytes {
    package static func make(_ count: Int) -> [UInt8] {
        var kernel = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &kernel) }
    }

    /// A word of so many letters and digits, five random bits each, without those that look alike.
    package static func word(letters count: Int) -> String {
        let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
        return String(decoding: make(count).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }
}
