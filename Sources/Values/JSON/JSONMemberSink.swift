/// Receives the members of the outermost object of a text while the text is scanned.
protocol JSONMemberSink {
    /// Called at the end of each member; whether the rest of the text is valid is not known yet.
    mutating func add(_ key: JSONTextSlice, _ value: JSONReader)
}

/// For a text whose members are not read, or later.
struct NoMembers: JSONMemberSink {
    @inline(__always)
    mutating func add(_: JSONTextSlice, _: JSONReader) {}
}
