internal import EventLoop
internal import HTTP
internal import Platform
internal import Support

/// The regular files below one folder, and nothing else.
///
/// Invariants:
/// - A path is decoded once, by the request parser, and never again here.
/// - A segment that is empty, begins with a dot or contains a NUL or a backslash matches nothing.
///   That rules out `..` and dot-files.
/// - The opened file is below the folder after all symbolic links are resolved.
/// - Folders are not listed; a path that ends in `/` means its `index.html`.
final class StaticFiles {
    /// The folder with all links resolved and without a slash at the end.
    let root: String
    /// The content policy of pages of this folder, if it is not the usual one.
    let policy: String?

    /// The largest file that is compressed while its client waits, in bytes: some five milliseconds
    /// of the loop.
    static let compressedAtOnce = 128 * 1024

    /// Recently compressed files, by path; all are dropped when there is too much.
    private var compressed: [String: (etag: String, bytes: [UInt8])] = [:]
    private var compressedBytes = 0
    /// The files that are being compressed on another thread, by path.
    private var compressing: Set<String> = []

    /// The bytes of a file in the coding `gzip`; nil when it cannot be read, or is large and not
    /// compressed yet.
    ///
    /// A file is compressed once, and again when it has changed: a small one at once, a large one
    /// on another thread. Until that is done it is sent as it is.
    func gzip(_ file: borrowing StaticFile, on loop: Loop) -> [UInt8]? {
        if let known = compressed[file.path], known.etag == file.etag { return known.bytes }
        guard file.size <= Self.compressedAtOnce else {
            compress(file, on: loop)
            return nil
        }
        guard let bytes = file.read() else { return nil }
        let made = bytes.withBorrowedBytes(Gzip.compress)
        keep(made, of: file.path, file.etag)
        return made
    }

    private func compress(_ file: borrowing StaticFile, on loop: Loop) {
        let path = file.path
        let etag = file.etag
        guard compressing.insert(path).inserted else { return }
        FileTask.run(on: loop) { () throws(UVError) -> [UInt8]? in
            // It may have changed since: then the next request starts again.
            guard let file = StaticFile(path: path, type: ""), file.etag == etag else { return nil }
            return file.read()?.withBorrowedBytes(Gzip.compress)
        } answer: { [weak self] result in
            guard let self else { return }
            compressing.remove(path)
            if case .success(let made?) = result { keep(made, of: path, etag) }
        }
    }

    private func keep(_ made: [UInt8], of path: String, _ etag: String) {
        compressedBytes -= compressed.removeValue(forKey: path)?.bytes.count ?? 0
        if compressedBytes + made.count > 16 << 20 {
            compressed = [:]
            compressedBytes = 0
        }
        compressedBytes += made.count
        compressed[path] = (etag, made)
    }

    /// The files below `folder`; nil if there is no such folder.
    init?(folder: String, policy: String? = nil) {
        self.policy = policy
        guard let resolved = resolvedPath(folder) else { return nil }
        var status = stat()
        guard unsafe stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        root = resolved == "/" ? "" : resolved
    }

    /// The file at `path` (decoded, beginning with a slash); nil if there is none that may be
    /// served.
    func open(_ path: BorrowedBytes) -> StaticFile? {
        guard var relative = Self.checked(path) else { return nil }
        if relative.hasSuffix("/") { relative += "index.html" }
        guard let resolved = resolvedPath(root + relative), resolved.hasPrefix(root + "/") else { return nil }
        return StaticFile(path: resolved, type: FileType.of(relative))
    }

    /// The path as a string, if all its segments are allowed.
    private static func checked(_ path: BorrowedBytes) -> String? {
        guard path.first == UInt8(ascii: "/"), path.count < 4096 else { return nil }
        var isSegmentStart = false
        for byte in path {
            switch byte {
            case 0, UInt8(ascii: "\\"):
                return nil
            case UInt8(ascii: "/"):
                if isSegmentStart { return nil }
                isSegmentStart = true
            case UInt8(ascii: ".") where isSegmentStart:
                return nil
            default:
                isSegmentStart = false
            }
        }
        return String(validating: path, as: UTF8.self)
    }
}

/// An open regular file that is about to be served.
struct StaticFile: ~Copyable {
    /// Where it is, links resolved.
    let path: String
    let type: String
    /// Its length in bytes when it was opened.
    let size: Int
    /// A strong entity tag, quotes included: it changes when the file's time, length or inode does.
    let etag: String
    private let descriptor: CInt

    /// Opens the file at that very path; nil where there is none.
    init?(path: String, type: String) {
        // O_NONBLOCK: opening a pipe in the folder must not block the loop.
        let descriptor = unsafe Platform.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.path = path
        self.type = type
        size = Int(status.st_size)
        #if canImport(Glibc)
            let time = status.st_mtim
        #else
            let time = status.st_mtimespec
        #endif
        let stamp = UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
        let inode = String(UInt64(status.st_ino), radix: 36)
        etag = "\"\(String(stamp, radix: 36))-\(String(size, radix: 36))-\(inode)\""
    }

    deinit { close(descriptor) }

    /// Whether compressing is worthwhile: text, and not tiny.
    var isCompressible: Bool {
        guard size >= 512, size <= 16 << 20 else { return false }
        return type.hasPrefix("text/") || type.hasPrefix("application/json") || type.hasPrefix("image/svg")
            || type.hasPrefix("application/manifest") || type == "application/wasm"
    }

    /// The tag of its compressed form.
    var codedTag: String { etag.dropLast() + "-gz\"" }

    /// Reads the whole file; nil when it cannot be read or became shorter meanwhile.
    func read() -> [UInt8]? {
        var isComplete = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            isComplete = unsafe read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
            count = isComplete ? buffer.count : 0
        }
        return isComplete ? bytes : nil
    }

    /// Appends `count` bytes from `offset` on; false if they cannot be read, or the file has become
    /// shorter.
    func read(_ count: Int, at offset: Int, appendingTo out: inout ByteBuffer) -> Bool {
        let room = unsafe UnsafeMutableRawBufferPointer(start: out.reserve(count), count: count)
        guard unsafe read(at: offset, into: room) else { return false }
        out.commit(count)
        return true
    }

    /// Fills `buffer` from `offset`; false if that cannot be read, or the file has become shorter.
    private func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var count = 0
        while count < buffer.count {
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let got = unsafe pread(descriptor, place.baseAddress, place.count, off_t(offset + count))
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return false }
            count += got
        }
        return true
    }
}
