/// What judging a request's head has brought to light; plain numbers, so that it is reset by
/// assignment.
struct RequestFacts {
    /// Where the decoded path lies.
    enum PathPlace: UInt8 {
        /// In the target as it stands.
        case raw
        /// In the core's `decoded` buffer.
        case decoded
        /// Nowhere: an absolute target without a path means `/`.
        case root
    }

    var method = Method.get
    var minorVersion: UInt8 = 1
    var keepsAlive = true
    var expectsContinue = false
    var upgradesToWebSocket = false
    var isChunked = false
    var contentLength = 0
    /// Whether the request may have a longer body than others.
    var allowsLongBody = false

    var pathPlace = PathPlace.raw
    var path = 0
    var pathLength = 0
    /// 0 where there is no `?`; an offset otherwise.
    var query = 0
    var queryLength = 0
    /// 0 where the request target has no host.
    var authority = 0
    var authorityLength = 0
}
