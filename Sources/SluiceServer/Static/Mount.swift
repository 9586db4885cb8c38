internal import Support

/// A folder whose files are served below a path of its own, with the same confinement as the public
/// one.
struct Mount {
    /// `/firmware`: begins with a slash and ends without.
    let path: String
    let files: StaticFiles

    /// The path within the folder, beginning with a slash; nil if the path is outside of it.
    func suffix(of path: BorrowedBytes) -> BorrowedBytes? {
        let count = self.path.utf8.count
        guard path.count > count, path[count] == UInt8(ascii: "/"), path.starts(with: self.path.utf8) else {
            return nil
        }
        return path.part(count...)
    }
}
