import Testing

@testable import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A failure of accept")
struct AcceptFailureTests {
    @Test(
        "of one connection is no reason to turn away others",
        arguments: [
            EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENOPROTOOPT,
            EOPNOTSUPP,
        ]
    )
    func connection(reason: Int32) {
        #expect(AcceptFailure(errno: reason) == .connection)
    }

    @Test("is a shortage of descriptors for two reasons only")
    func descriptors() {
        let reasons = (Int32(1)...200).filter { AcceptFailure(errno: $0) == .descriptors }
        #expect(Set(reasons) == [EMFILE, ENFILE])
    }

    @Test("says that no connection waits")
    func empty() {
        #expect(AcceptFailure(errno: EAGAIN) == .empty)
        #expect(AcceptFailure(errno: EWOULDBLOCK) == .empty)
    }

    @Test(
        "of the system, or one that is not known, is tried again later",
        arguments: [ENOMEM, ENOBUFS, EBADF, 4095]
    )
    func system(reason: Int32) {
        #expect(AcceptFailure(errno: reason) == .system)
    }
}
