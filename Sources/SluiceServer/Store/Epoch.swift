internal import Support

/// The names of histories.
enum Epoch {
    /// A name that no other start of any server has used: ten characters, 50 random bits.
    static func make() -> String { RandomBytes.word(letters: 10) }
}
