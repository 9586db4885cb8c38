import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that is gone when the test is.
final class TemporaryFolder {
    let path: String

    init() throws {
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
    func write(_ name: String, _ text: String) {
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
    func link(_ name: String, to target: String) {
        symlink(target, "\(path)/\(name)")
    }
}

extension TemporaryFolder {
    /// Makes a named pipe.
    func pipe(_ name: String) {
        mkfifo("\(path)/\(name)", 0o600)
    }
}
