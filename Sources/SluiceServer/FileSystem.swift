#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Small files and folders, read at once: for the start and for figures, not for requests.
enum FileSystem {
    /// The whole file; nil when it cannot be read or has more than `limit` bytes.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        let chunk = 16 * 1024
        while bytes.count <= limit {
            let part = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count in
                count = fread(buffer.baseAddress, 1, chunk, file)
            }
            bytes += part
            if part.count < chunk { return ferror(file) == 0 && bytes.count <= limit ? bytes : nil }
        }
        return nil
    }

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
