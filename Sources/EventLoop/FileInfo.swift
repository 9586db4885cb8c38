/// What the file system says about a file.
public struct FileInfo: Hashable, Sendable {
    /// The kinds of files a server tells apart.
    public enum Kind: Hashable, Sendable {
        case regular, directory, other
    }

    /// The kind of file.
    public let kind: Kind

    /// Its size in bytes.
    public let sizeBytes: Int

    /// When the content last changed: nanoseconds since 1970.
    public let modified: Int64

    /// When its content, its name or its rights last changed: nanoseconds since 1970.
    ///
    /// No program can set it, so it tells even of changes that leave size and `modified` alone.
    public let changed: Int64

    /// Device and number: the same file has the same two, whatever its path.
    public let device: UInt64, inode: UInt64
}
