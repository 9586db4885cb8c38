#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Folders, read at once: for the start, not for requests.
enum FileSystem {
    /// The names in a folder in order, without those that begin with a dot; nil when there is no such folder.
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
}
