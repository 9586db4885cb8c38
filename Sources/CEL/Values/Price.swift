/// What things cost, in units: at most 20 ns of work each on the reference machine
/// (docs/expressions.md).
///
/// An instruction takes one, as do eight bytes of text and an element of a list that is handled.
/// Here is what takes more. Benchmarks/Sources/UnitSearch looks for expressions for which that is
/// too little.
enum Price {
    /// A product, quotient or remainder of doubles: numbers near zero, below 2^-1022, take the
    /// processor ten times as long.
    static let product = 2
    /// A function of the library: finding its arguments, putting its result in their place.
    static let call = 4
    /// Memory for a new list, map or optional, or for a new text of more than 15 bytes.
    static let object = 6
    /// A list or map that is collected element by element.
    static let builder = 24
    /// An element that is added to such a list.
    static let append = 5
    /// Looking for a key in a map, besides the bytes of the key.
    static let lookUp = 6
    /// An entry of a map that is made, besides the bytes of the key.
    static let entry = 14
    /// A failure, from its message to its being absorbed.
    static let failure = 56
    /// The shortest digits of a double.
    static let doubleText = 30
    /// A timestamp or duration as text or read from one, besides the bytes of that.
    static let timeText = 60
    /// Rules of a named time zone for a moment.
    static let zone = 40
    /// An unknown time zone: the file system is asked.
    static let unknownZone = 250
}
