internal import CSQLite
internal import Platform
public import Commits

/// The files of a store, apart from how SQLite reads and writes its own: tests put a disk that lies
/// in their place.
public protocol StoreFiles: Sendable {
    /// The path of the database.
    var database: String { get }
    /// The SQLite file system (VFS) that it is opened with; nil: the system's.
    var vfs: String? { get }
    /// What distinguishes one boot of the machine from the next: what was written before this one,
    /// but not synchronised, may be lost.
    var boot: String { get }
    /// The bytes of the high-water mark; nil: there is none.
    ///
    /// - Throws: ``StoreError`` where it cannot be read, which does not say that there is none.
    func readMark() throws(StoreError) -> [UInt8]?
    /// Writes the bytes of the high-water mark over the former ones, and synchronises them where
    /// that is asked for.
    func writeMark(_ bytes: [UInt8], synchronised: Bool) throws(StoreError)
    /// Another process may have the files from now on.
    func release()
    /// The files by path, as the paths lead to them now; one that is not there is left out.
    ///
    /// None, if they cannot be moved or removed by others.
    var identities: [String: FileIdentity] { get }
}

extension StoreFiles {
    public var identities: [String: FileIdentity] { [:] }
}

/// What distinguishes a file from all others, whatever its path.
public struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}
