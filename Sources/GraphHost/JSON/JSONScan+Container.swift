extension JSONScan {
    /// An array or object with all it holds; `at` stands on its bracket.
    ///
    /// One loop without recursion: which of the open brackets are objects stands in the bits of a word, where
    /// their keys begin in a frame each.
    mutating func container(_ limits: JSONLimits) throws(JSONError) {
        // A copy that no address is taken of stays in registers.
        var scan = self
        let failure: JSONError? = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { scratch in
            var keys = JSONOpenKeys(scratch, base: scan.base, end: scan.end)
            do throws(JSONError) {
                try scan.container(limits, &keys)
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        at = scan.at
    }

    @inline(__always)
    private mutating func container(_ limits: JSONLimits, _ keys: inout JSONOpenKeys) throws(JSONError) {
        var objects: UInt64 = 0
        var depth = 0
        repeat {
            // A value begins at `at`, white space before it already skipped.
            switch at.pointee {
            case UInt8(ascii: "{"):
                guard depth < limits.depth else { throw error(.tooDeep, at) }
                at += 1
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                guard at.pointee == UInt8(ascii: "}") else {
                    objects = objects << 1 | 1
                    keys.open(depth)
                    depth += 1
                    try key(depth - 1, limits, &keys)
                    continue
                }
                at += 1
            case UInt8(ascii: "["):
                guard depth < limits.depth else { throw error(.tooDeep, at) }
                at += 1
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                guard at.pointee == UInt8(ascii: "]") else {
                    objects <<= 1
                    depth += 1
                    continue
                }
                at += 1
            default:
                _ = try scalar()
            }
            // A value has ended: close what closes, until a comma leads to the next value.
            while depth > 0 {
                skipWhiteSpace()
                guard at < end else { throw error(.unexpectedEnd, at) }
                let byte = at.pointee
                if byte == UInt8(ascii: ",") {
                    at += 1
                    skipWhiteSpace()
                    guard at < end else { throw error(.unexpectedEnd, at) }
                    if objects & 1 != 0 {
                        try key(depth - 1, limits, &keys)
                    }
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

    /// A key and the colon behind it.
    @inline(__always)
    private mutating func key(
        _ depth: Int,
        _ limits: JSONLimits,
        _ keys: inout JSONOpenKeys
    ) throws(JSONError) {
        guard at.pointee == UInt8(ascii: "\"") else { throw error(.unexpectedByte, at) }
        let start = at
        let hasEscapes = try string()
        if limits.refusesDuplicateKeys {
            let bytes = UnsafeRawBufferPointer(start: start + 1, count: at - start - 2)
            guard keys.insert(bytes, hasEscapes: hasEscapes, depth: depth) else {
                throw error(.duplicateKey, start)
            }
        }
        skipWhiteSpace()
        guard at < end else { throw error(.unexpectedEnd, at) }
        guard at.pointee == UInt8(ascii: ":") else { throw error(.unexpectedByte, at) }
        at += 1
        skipWhiteSpace()
        guard at < end else { throw error(.unexpectedEnd, at) }
    }
}
