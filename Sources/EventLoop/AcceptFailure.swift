internal import Platform

/// What a failure of `accept` means for the connections that still wait.
enum AcceptFailure: Equatable {
    /// Nothing waits any more.
    case empty
    /// It was about this one connection, which is gone: the next may be fine.
    case connection
    /// There are no descriptors, in this process or in the system.
    case descriptors
    /// The system cannot accept now, because memory is short or for another reason: try again
    /// later.
    case system

    /// Sorts what `accept` left in `errno`.
    ///
    /// Linux hands network errors that are pending on the new socket to the caller of `accept`, who
    /// should treat them like `EAGAIN` and try again (accept(2), "Error handling").
    init(errno: Int32) {
        switch errno {
        case EAGAIN, EWOULDBLOCK: self = .empty
        case EINTR, ECONNABORTED, ECONNRESET, EPERM, EPROTO, ENOPROTOOPT, EOPNOTSUPP, ETIMEDOUT,
            ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH:
            self = .connection
        #if os(Linux)
            case ENONET: self = .connection
        #endif
        case EMFILE, ENFILE: self = .descriptors
        default: self = .system
        }
    }
}
