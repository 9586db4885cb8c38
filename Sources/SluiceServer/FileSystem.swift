internal import Platform

/// Folders, read synchronously: for the start, not for requests.
enum FileSystem {
    /// The names in a folder in order, without those that begin with a dot; nil when there is no
    /// such folder.
    static func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// A file's metadata: it differs whenever the file changes, or another one takes its place.
    struct Entry: Equatable {
        let name: String
        let size: Int64
        let inode: UInt64
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// The files of a folder in order of their names; nil when there is no such folder.
    static func entries(in folder: String) -> [Entry]? {
        names(in: folder)?.map { name in
            var status = stat()
            guard stat("\(folder)/\(name)", &status) == 0 else {
                return Entry(name: name, size: -1, inode: 0, seconds: 0, nanoseconds: 0)
            }
            #if canImport(Glibc)
                let time = status.st_mtim
            #else
                let time = status.st_mtimespec
            #endif
            return Entry(
                name: name,
                size: Int64(status.st_size),
                inode: UInt64(status.st_ino),
                seconds: Int64(time.tv_sec),
                nanoseconds: Int64(time.tv_nsec)
            )
        }
    }
}
