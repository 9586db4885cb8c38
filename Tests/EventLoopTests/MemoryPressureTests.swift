import Testing

@testable import EventLoop

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Memory pressure")
struct MemoryPressureTests {
    @Test(
        "a file that is no pressure file is refused, with the reason",
        arguments: ["/no/such/file", "/proc/version"]
    )
    func refused(path: String) throws {
        let loop = try Loop()
        // Descriptors of tests beside this one come and go; those that are left behind here would
        // add up.
        let before = try #require(OwnProcess.openDescriptors)
        for _ in 0..<500 {
            #expect(throws: UVError.self) {
                _ = try MemoryPressure(on: loop, path: path) { Issue.record("told") }
            }
        }
        #expect(try #require(OwnProcess.openDescriptors) < before + 400)
        #expect(!loop.run())
    }

    @Test("the group's own file is asked first, the machine's last")
    func paths() {
        #expect(MemoryPressure.paths().last == "/proc/pressure/memory")
        #expect(
            MemoryPressure.paths().allSatisfy { $0.hasPrefix("/sys/fs/cgroup") || $0.hasPrefix("/proc/") }
        )
    }

    @Test(
        "where the kernel takes triggers it can be watched, is silent once dropped, and leaves no descriptor open"
    )
    func watched() throws {
        let loop = try Loop()
        for path in MemoryPressure.paths() {
            guard let watcher = try? MemoryPressure(on: loop, path: path, action: {}) else { continue }
            #expect(watcher.isWatching && watcher.path == path)
        }
        #expect(!loop.run())
    }

    #if os(Linux)
        @Test("something exceptional on a descriptor is reported: urgent data on a socket")
        func urgent() throws {
            let loop = try Loop()
            let (near, far) = try pair()
            defer {
                close(near)
                close(far)
            }
            var heard = 0
            var watched: Watched? = try Watched(near, on: loop) { heard += 1 }
            watched?.keepsLoopAlive = true
            var byte: UInt8 = 1
            #expect(send(far, &byte, 1, 0) == 1)
            loop.poll()
            #expect(heard == 0)
            #expect(send(far, &byte, 1, Int32(MSG_OOB)) == 1)
            for _ in 0..<1000 where heard == 0 { loop.poll() }
            #expect(heard > 0 && watched != nil)
            watched = nil
            let before = heard
            #expect(!loop.run() && heard == before)
        }

        /// Two ends of a TCP connection: Unix sockets know no urgent data everywhere.
        private func pair() throws -> (Int32, Int32) {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let far = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                    bind(listener, raw, length) | listen(listener, 1) | getsockname(listener, raw, &length)
                        | Glibc.connect(far, raw, length)
                }
            }
            try #require(status == 0)
            return (accept(listener, nil, nil), far)
        }
    #endif
}
