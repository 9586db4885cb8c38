internal import CLibuv
internal import Platform
internal import Support

/// Reading small files whole, and writing them.
///
/// Transcribes https://docs.libuv.org/en/v1.x/fs.html in its synchronous form. These functions
/// block: call them at start-up, or through ``FileTask`` on libuv's threads. Paths are UTF-8 and
/// must not contain a zero byte.
public enum Files {
    /// A file's content, and what was known about it when it was opened.
    public struct Content: Sendable {
        /// All bytes.
        public let bytes: [UInt8]
        /// Size, time of change, identity.
        public let info: FileInfo
    }

    /// Reads a regular file of at most `limit` bytes.
    ///
    /// - Throws: `.isDirectory`, `.notRegular` (pipes and devices are not waited for),
    ///   `.fileTooLarge`, or the system's reason.
    public static func read(_ path: String, limit: Int) throws(UVError) -> Content {
        let file = try OpenFile(path)
        let info = try file.info()
        switch info.kind {
        case .regular: break
        case .directory: throw UVError(code: UVError.Code.isDirectory.rawValue, call: "read")
        case .other: throw UVError(code: UVError.Code.notRegular.rawValue, call: "read")
        }
        guard info.sizeBytes <= limit else {
            throw UVError(code: UVError.Code.fileTooLarge.rawValue, call: "read")
        }
        return Content(bytes: try file.readAll(expected: info.sizeBytes, limit: limit), info: info)
    }

    /// Reads a file of the kernel's (`/proc`), whose size is not known beforehand.
    ///
    /// - Throws: `.fileTooLarge` when there is more than `limit`, or the system's reason.
    public static func readKernelFile(_ path: String, limit: Int = 1 << 20) throws(UVError) -> [UInt8] {
        try OpenFile(path).readAll(expected: 4096, limit: limit)
    }

    /// Writes a file that must not exist yet, and has the system put it on the disk.
    public static func write(_ bytes: [UInt8], to path: String) throws(UVError) {
        let descriptor = unsafe try call("open") {
            unsafe uv_fs_open(nil, $0, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600, nil)
        } then: {
            unsafe Int32($0.pointee.result)
        }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withBorrowedBytes {
                unsafe Platform.write(descriptor, $0.baseAddress!, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw UVError(errno: errno, call: "write") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw UVError(errno: errno, call: "fsync") }
    }

    /// What the file system says about `path`, symbolic links followed.
    public static func info(_ path: String) throws(UVError) -> FileInfo {
        unsafe try call("stat") {
            unsafe uv_fs_stat(nil, $0, path, nil)
        } then: {
            unsafe FileInfo($0.pointee.statbuf)
        }
    }

    /// The names in a folder, without `.` and `..`, sorted by their bytes.
    public static func names(in folder: String) throws(UVError) -> [String] {
        unsafe try call("scandir") {
            unsafe uv_fs_scandir(nil, $0, folder, 0, nil)
        } then: { request in
            var names: [String] = []
            var entry = unsafe uv_dirent_t()
            while unsafe uv_fs_scandir_next(request, &entry) >= 0 {
                unsafe names.append(String(cString: entry.name))
            }
            return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Size and free space of the file system that `path` is on, in bytes; `available` is what
    /// ordinary users may still use.
    public static func space(at path: String) throws(UVError) -> (total: UInt64, available: UInt64) {
        unsafe try call("statfs") {
            unsafe uv_fs_statfs(nil, $0, path, nil)
        } then: { request in
            let figures = unsafe request.pointee.ptr.assumingMemoryBound(to: uv_statfs_t.self).pointee
            let (total, _) = figures.f_blocks.multipliedReportingOverflow(by: figures.f_bsize)
            let (available, _) = figures.f_bavail.multipliedReportingOverflow(by: figures.f_bsize)
            return (total, available)
        }
    }
}

/// A descriptor opened for reading; closed when dropped.
private struct OpenFile: ~Copyable {
    private let descriptor: Int32

    /// Opens without waiting for a writer, should it be a pipe.
    init(_ path: String) throws(UVError) {
        descriptor = unsafe try call("open") {
            unsafe uv_fs_open(nil, $0, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, nil)
        } then: {
            unsafe Int32($0.pointee.result)
        }
    }

    deinit { close(descriptor) }

    func info() throws(UVError) -> FileInfo {
        unsafe try call("fstat") {
            unsafe uv_fs_fstat(nil, $0, descriptor, nil)
        } then: {
            unsafe FileInfo($0.pointee.statbuf)
        }
    }

    /// Reads to the end, one byte beyond `expected` to see that it is the end.
    func readAll(expected: Int, limit: Int) throws(UVError) -> [UInt8] {
        var bytes: [UInt8] = []
        var capacity = min(expected, limit) + 1
        while true {
            let start = bytes.count
            var failure: UVError?
            let more = unsafe [UInt8](unsafeUninitializedCapacity: capacity - start) { room, count in
                count = 0
                while count < room.count {
                    let status = unsafe Platform.read(
                        descriptor,
                        room.baseAddress! + count,
                        room.count - count
                    )
                    if status < 0, errno == EINTR { continue }
                    if status < 0 { failure = UVError(errno: errno, call: "read") }
                    if status <= 0 { return }
                    count += status
                }
            }
            if let failure { throw failure }
            bytes = start == 0 ? more : bytes + more
            guard bytes.count <= limit else {
                throw UVError(code: UVError.Code.fileTooLarge.rawValue, call: "read")
            }
            if bytes.count < capacity { return bytes }
            capacity = min(capacity * 2, limit + 1)
        }
    }
}

/// Runs one synchronous file system call and takes its result before the request is cleaned up.
private func call<Result>(
    _ name: StaticString,
    _ start: (UnsafeMutablePointer<uv_fs_t>) -> Int32,
    then take: (UnsafeMutablePointer<uv_fs_t>) -> Result
) throws(UVError) -> Result {
    var request = unsafe uv_fs_t()
    let status = unsafe start(&request)
    defer { unsafe uv_fs_req_cleanup(&request) }
    try check(status, name)
    return unsafe take(&request)
}

extension FileInfo {
    init(_ status: uv_stat_t) {
        switch status.st_mode & 0o170000 {
        case 0o100000: kind = .regular
        case 0o040000: kind = .directory
        default: kind = .other
        }
        sizeBytes = Int(clamping: status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
        device = status.st_dev
        inode = status.st_ino
    }

    /// Wraps around after the year 2262.
    private static func nanoseconds(_ time: uv_timespec_t) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
