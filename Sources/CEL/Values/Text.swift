/// Strings are compared and measured as CEL says: by code point, never by Unicode normalisation.
extension String {
    /// Whether both have the same UTF-8 bytes.
    @inline(__always)
    func hasSameBytes(as other: String) -> Bool {
        let (mine, theirs) = (utf8, other.utf8)
        return mine.count == theirs.count && comparesBytes(to: other) == 0
    }

    /// Negative, zero or positive: the order of the UTF-8 bytes, which is the order of the code points.
    func comparesBytes(to other: String) -> Int {
        let quick = utf8.withContiguousStorageIfAvailable { mine in
            other.utf8.withContiguousStorageIfAvailable { theirs in
                compare(mine, theirs)
            }
        }
        if let quick, let result = quick { return result }
        var (mine, theirs) = (self, other)
        return mine.withUTF8 { a in theirs.withUTF8 { b in compare(a, b) } }
    }

    /// The number of code points.
    var codePointCount: Int {
        var count = 0
        for byte in utf8 where byte & 0xc0 != 0x80 {
            count += 1
        }
        return count
    }
}

/// The order of two byte strings: negative, zero or positive.
func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    var position = 0
    while position < common {
        if a[position] != b[position] {
            return Int(a[position]) - Int(b[position])
        }
        position += 1
    }
    return a.count - b.count
}
