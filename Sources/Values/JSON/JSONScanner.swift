public import Support

/// Checks in one pass whether bytes are one JSON text (RFC 8259), and finds where its value begins
/// and ends.
///
/// Stricter than the RFC where it leaves a choice:
/// - UTF-8 without byte order mark; overlong forms and encoded surrogates are refused.
/// - `\u` escapes of surrogates must come in pairs, because half a pair has no UTF-8 form.
/// - An object must not have duplicate keys, however they are escaped.
/// - A number that would round to infinity is refused with a reason of its own; one that underflows
///   is accepted.
///
/// A valid text is scanned without allocation, unless an object has more than 16 keys or nested
/// objects have more than 48 keys together: then one hash table, seeded per process, holds their
/// keys.
public enum JSONScanner {
    /// The place of the value in the bytes.
    public struct Extent: Hashable, Sendable {
        /// What the value is.
        public let kind: JSONKind
        /// Offset of its first byte.
        public let start: Int
        /// Offset after its last byte.
        public let end: Int
    }

    /// Checks all of `bytes`; white space around the value is allowed and not part of the extent.
    public static func validate(
        _ bytes: BorrowedBytes,
        limits: JSONLimits = .standard
    ) throws(JSONError) -> Extent {
        var members = NoMembers()
        return try validate(bytes, &members, limits: limits)
    }

    /// The same, and passes on the members of an object as it finds them.
    static func validate(
        _ bytes: BorrowedBytes,
        _ members: inout some JSONMemberSink,
        limits: JSONLimits = .standard
    ) throws(JSONError) -> Extent {
        guard !bytes.isEmpty else { throw JSONError(.empty, at: 0) }
        guard bytes.count <= Int(Int32.max) else { throw JSONError(.tooLong, at: 0) }
        var scan = JSONScan(bytes)
        return try scan.text(limits, &members)
    }

    /// Checks all of an array of bytes.
    public static func validate(_ bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) -> Extent
    {
        try bytes.withBorrowedBytes { bytes throws(JSONError) in try validate(bytes, limits: limits) }
    }
}
