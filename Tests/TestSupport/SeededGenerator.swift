/// A generator whose whole course follows from its seed (SplitMix64), the same on every machine: a
/// failing test prints the seed and can be run again.
public struct SeededGenerator: RandomNumberGenerator {
    @usableFromInline var state: UInt64

    /// A generator at the start of its course.
    @inlinable
    public init(seed: UInt64) {
        state = seed
    }

    @inlinable
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, `bound`.
    @inlinable
    public mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// True `count` times in `bound`.
    @inlinable
    public mutating func chance(_ count: Int, in bound: Int) -> Bool {
        below(bound) < count
    }
}
