internal import CZlib
internal import Support

/// CRC-32 of bytes, after numbers that belong to them.
func checksum(of bytes: [UInt8], after numbers: UInt64...) -> UInt32 {
    bytes.withBorrowedBytes { checksum(of: $0, after: numbers) }
}

/// The same of bytes that are lent.
func checksum(of bytes: BorrowedBytes, after numbers: [UInt64]) -> UInt32 {
    var sum = crc32_z(0, nil, 0)
    for number in numbers {
        sum = unsafe withUnsafeBytes(of: number.littleEndian) {
            unsafe crc32_z(sum, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)
        }
    }
    if !bytes.isEmpty {
        sum = unsafe crc32_z(sum, bytes.buffer.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }
    return UInt32(truncatingIfNeeded: sum)
}
