/// What text is written into: a ``ByteBuffer`` or an array of bytes.
public protocol ByteSink: ~Copyable {
    mutating func append(_ byte: UInt8)
    mutating func append(_ bytes: BorrowedBytes)
}

extension [UInt8]: ByteSink {
    @inlinable
    public mutating func append(_ bytes: BorrowedBytes) {
        append(contentsOf: bytes)
    }
}
