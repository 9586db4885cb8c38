/// The mask of a client's payload (RFC 6455 §5.3): byte i is combined with mask byte i mod 4.
public enum Masking {
    /// Masks or unmasks in place, 32 bytes at a time, then 8, then singly.
    /// - Parameters:
    ///   - bytes: a piece of a payload.
    ///   - mask: the four mask bytes, the first in the lowest bits.
    ///   - offset: where in the payload the piece begins.
    public static func apply(_ bytes: UnsafeMutableRawBufferPointer, mask: UInt32, offset: Int) {
        guard let base = bytes.baseAddress, bytes.count > 0 else { return }
        let shift = UInt32(truncatingIfNeeded: offset & 3) &* 8
        let turned = (mask &>> shift) | (mask &<< ((32 &- shift) & 31))
        let pair = UInt64(turned) | UInt64(turned) << 32
        let wide = SIMD4<UInt64>(repeating: pair)
        let count = bytes.count
        var index = 0
        while index &+ 32 <= count {
            let place = unsafe base + index
            unsafe place.storeBytes(
                of: place.loadUnaligned(as: SIMD4<UInt64>.self) ^ wide,
                as: SIMD4<UInt64>.self
            )
            index &+= 32
        }
        while index &+ 8 <= count {
            let place = unsafe base + index
            unsafe place.storeBytes(of: place.loadUnaligned(as: UInt64.self) ^ pair, as: UInt64.self)
            index &+= 8
        }
        var rest = pair
        while index < count {
            let place = unsafe base + index
            unsafe place.storeBytes(
                of: place.load(as: UInt8.self) ^ UInt8(truncatingIfNeeded: rest),
                as: UInt8.self
            )
            rest >>= 8
            index &+= 1
        }
    }
}
