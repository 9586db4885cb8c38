internal import EventLoop

/// Folders, read synchronously: for the start, not for requests.
enum FileSystem {
    /// The names in a folder in order, without those that begin with a dot; nil when there is no
    /// such folder.
    static func names(in folder: String) -> [String]? {
        (try? Files.names(in: folder))?.filter { !$0.hasPrefix(".") }
    }

    /// A file, which differs whenever it changes, or another one takes its place.
    struct Entry: Hashable, Sendable {
        let name: String
        /// Nil if it cannot be looked at.
        let info: FileInfo?
    }

    /// The files of a folder in order of their names; nil when there is no such folder.
    static func entries(in folder: String) -> [Entry]? {
        names(in: folder)?.map { Entry(name: $0, info: try? Files.info("\(folder)/\($0)")) }
    }
}
