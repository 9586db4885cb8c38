internal import Support

extension JSONScan {
    /// Scans an array or object with everything in it; `at` is on its bracket.
    ///
    /// One loop without recursion: the bits of a word tell which open brackets are objects, and
    /// frames tell where their keys begin.
    mutating func container(
        _ limits: JSONLimits,
        _ members: inout some JSONMemberSink
    ) throws(JSONError) {
        let start = self
        at = try unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) {
            scratch throws(JSONError) in
            // A local copy whose address is not taken stays in registers.
            var scan = start
            var keys = unsafe JSONOpenKeys(scratch, of: scan.bytes)
            try scan.container(limits, &keys, &members)
            return scan.at
        }
    }

    @inline(__always)
    private mutating func container(
        _ limits: JSONLimits,
        _ keys: inout JSONOpenKeys,
        _ members: inout some JSONMemberSink
    ) throws(JSONError) {
        var objects: UInt64 = 0
        var depth = 0
        // The key of the outermost object whose value is being scanned, and where that value
        // begins.
        var outerKey = BorrowedBytes()
        var outerValue = at
        repeat {
            // A value begins at `at`, or a key before it; white space has been skipped.
            if objects & 1 != 0 {
                let key = try key(depth - 1, limits, &keys)
                if depth == 1 { (outerKey, outerValue) = (key, at) }
            }
            switch bytes[at] {
            case UInt8(ascii: "{"):
                guard depth < limits.depth else { throw error(.tooDeep, at) }
                at += 1
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                guard bytes[at] == UInt8(ascii: "}") else {
                    objects = objects << 1 | 1
                    keys.open(depth)
                    depth += 1
                    continue
                }
                at += 1
            case UInt8(ascii: "["):
                guard depth < limits.depth else { throw error(.tooDeep, at) }
                at += 1
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                guard bytes[at] == UInt8(ascii: "]") else {
                    objects <<= 1
                    depth += 1
                    continue
                }
                at += 1
            default:
                _ = try scalar()
            }
            // A value has ended: close brackets until a comma leads to the next value.
            while depth > 0 {
                if depth == 1, objects & 1 != 0 {
                    let value = bytes.part(outerValue..<at)
                    members.add(JSONTextSlice(inside: outerKey), JSONReader(validated: value))
                }
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                let byte = bytes[at]
                if byte == UInt8(ascii: ",") {
                    at += 1
                    skipWhiteSpace()
                    guard at < end else { throw error(.unexpectedEnd, at) }
                    break
                }
                guard byte == (objects & 1 != 0 ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    throw error(.unexpectedByte, at)
                }
                at += 1
                depth -= 1
                if objects & 1 != 0 {
                    keys.close(depth)
                }
                objects >>= 1
            }
        } while depth > 0
    }

    /// Scans a key and its colon; returns the bytes between the quotes.
    @inline(__always)
    private mutating func key(
        _ depth: Int,
        _ limits: JSONLimits,
        _ keys: inout JSONOpenKeys
    ) throws(JSONError) -> BorrowedBytes {
        guard bytes[at] == UInt8(ascii: "\"") else { throw error(.unexpectedByte, at) }
        let start = at
        let hasEscapes = try string()
        let key = start + 1..<at - 1
        if limits.refusesDuplicateKeys {
            guard keys.insert(key, hasEscapes: hasEscapes, depth: depth) else {
                throw error(.duplicateKey, start)
            }
        }
        skipWhiteSpace()
        guard at < end else { throw error(.unexpectedEnd, at) }
        guard bytes[at] == UInt8(ascii: ":") else { throw error(.unexpectedByte, at) }
        at += 1
        skipWhiteSpace()
        guard at < end else { throw error(.unexpectedEnd, at) }
        return bytes.part(key)
    }
}
