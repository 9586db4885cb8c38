import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that is gone when the test is.
public final class TemporaryFolder {
    /// Where it is.
    public let path: String

    /// Makes an empty one.
    public init() throws {
        var template = Array("/tmp/sluice-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.removeAll(path)
    }

    private static func removeAll(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { removeAll("\(path)/\(name)") }
            }
            closedir(directory)
        }
        remove(path)
    }

    /// Writes a file; the folders before it are made.
    public func write(_ name: String, _ text: String) {
        var folder = path
        for part in name.split(separator: "/").dropLast() {
            folder += "/\(part)"
            mkdir(folder, 0o755)
        }
        guard let file = fopen("\(path)/\(name)", "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    /// Makes a symbolic link.
    public func link(_ name: String, to target: String) {
        symlink(target, "\(path)/\(name)")
    }
}

extension TemporaryFolder {
    /// The bytes of a file; none where there is no such file.
    public func bytes(of name: String) -> [UInt8] {
        guard let file = fopen("\(path)/\(name)", "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&room, 1, room.count, file), count > 0 { bytes += room.prefix(count) }
        return bytes
    }

    /// Writes bytes into a file that exists, over those that are there.
    public func overwrite(_ name: String, at offset: Int, _ bytes: [UInt8]) {
        guard let file = fopen("\(path)/\(name)", "r+") else { return }
        fseek(file, offset, SEEK_SET)
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// Makes a named pipe.
    public func pipe(_ name: String) {
        mkfifo("\(path)/\(name)", 0o600)
    }
}
