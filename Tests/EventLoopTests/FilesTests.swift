import EventLoop
import Support
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Files")
struct FilesTests {
    /// A folder of its own per test, removed with all that is in it.
    final class Folder {
        let path: String

        init() {
            var template = Array("/tmp/sluice-files-XXXXXX".utf8CString)
            path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
        }

        deinit {
            for name in (try? Files.names(in: path)) ?? [] {
                unlink("\(path)/\(name)")
                rmdir("\(path)/\(name)")
            }
            rmdir(path)
        }

        func write(_ name: String, _ bytes: [UInt8]) {
            let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            _ = bytes.withBorrowedBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            close(file)
        }
    }

    @Test("are read whole, with size, time and identity", arguments: [0, 1, 4095, 4096, 300_000])
    func read(count: Int) throws {
        let folder = Folder()
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        folder.write("data", bytes)

        let content = try Files.read("\(folder.path)/data", limit: count)

        #expect(content.bytes == bytes)
        #expect(content.info.kind == .regular)
        #expect(content.info.sizeBytes == count)
        #expect(content.info.modified > 1_577_836_800_000_000_000)
        #expect(try Files.info("\(folder.path)/data") == content.info)
    }

    @Test("larger than the limit, missing, folders and pipes are refused with the reason")
    func refused() throws {
        let folder = Folder()
        folder.write("data", [1, 2, 3])
        mkfifo("\(folder.path)/pipe", 0o600)
        func reason(_ name: String) -> UVError? {
            #expect(throws: UVError.self) { try Files.read("\(folder.path)/\(name)", limit: 2) }
        }

        #expect(reason("data")?.is(.fileTooLarge) == true)
        #expect(reason("absent")?.is(.notFound) == true)
        #expect(reason(".")?.is(.isDirectory) == true)
        #expect(reason("pipe")?.is(.notRegular) == true)
        #expect(throws: UVError.self) { try Files.read("/dev/zero", limit: 100) }
    }

    @Test("of the kernel's are read although they claim to be empty")
    func kernelFiles() throws {
        let bytes = try Files.readKernelFile("/proc/self/status")
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("Name:"))
        #expect(throws: UVError.self) { try Files.readKernelFile("/dev/zero", limit: 100_000) }
    }

    @Test("folders are listed in the order of their names' bytes")
    func names() throws {
        let folder = Folder()
        for name in ["b", "a", "Z", "é"] { folder.write(name, []) }
        #expect(try Files.names(in: folder.path) == ["Z", "a", "b", "é"])
    }

    @Test("the file system has room")
    func space() throws {
        let space = try Files.space(at: "/")
        #expect(space.total > 0)
        #expect(space.available <= space.total)
    }

    @Test("are read on another thread while the loop runs, and answered on the loop")
    func asynchronously() throws {
        let folder = Folder()
        folder.write("data", [1, 2, 3])
        let loop = try Loop()
        var answers: [[UInt8]?] = []
        for name in ["data", "absent"] {
            let path = "\(folder.path)/\(name)"
            FileTask.run(on: loop, { () throws(UVError) in try Files.read(path, limit: 100) }) { result in
                answers.append(try? result.get().bytes)
            }
        }
        #expect(answers.isEmpty)
        loop.run()
        #expect(answers.count == 2)
        #expect(answers.contains([1, 2, 3]))
        #expect(answers.contains(nil))
    }

    @Test("work on another thread brings its value or its error to the loop")
    func work() throws {
        let loop = try Loop()
        var value: Result<Int, UVError>?
        FileTask.run(on: loop, { 42 }, answer: { value = $0 })
        loop.run()
        #expect(try value?.get() == 42)
    }
}
