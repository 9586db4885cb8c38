internal import Platform

/// Small text files that a command writes.
enum FileSystemEntry {
    /// Why a file was not written.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    /// Writes a new file, and makes missing folders.
    static func write(_ text: String, to path: String) throws(Failure) {
        var folder = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/").dropLast() {
            folder += part + "/"
            guard unsafe mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw failure(folder) }
        }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = Platform.write(bytes[done...], to: descriptor)
            guard count > 0 else { throw failure(path) }
            done += count
        }
    }

    private static func failure(_ path: String) -> Failure {
        Failure(description: "\(path) cannot be written: \(systemError())")
    }
}
