internal import HTTP

/// What connections have carried since the start.
struct Traffic {
    var requests: UInt64 = 0
    var receivedBytes: UInt64 = 0
    var sentBytes: UInt64 = 0
    /// How many requests were answered, by status.
    private(set) var answers = ContiguousArray<UInt64>(repeating: 0, count: 600)

    @inline(__always)
    mutating func count(_ status: Status) {
        answers[min(Int(status.rawValue), 599)] &+= 1
    }
}
