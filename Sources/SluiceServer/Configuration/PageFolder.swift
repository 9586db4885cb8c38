internal import EventLoop

/// The folder of the page that comes with the program.
enum PageFolder {
    /// The value of `public` that means it.
    static let automatic = "auto"

    /// The folder that `public` means.
    static func resolve(_ configured: String) -> String {
        guard configured == automatic else { return configured }
        return packaged(beside: OwnProcess.executable) ?? "public"
    }

    /// `…/share/sluice/public` for `…/bin/sluice`, where that is a folder.
    static func packaged(beside executable: String) -> String? {
        var parts = executable.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        parts.removeLast(2)
        let folder = (parts + ["share", "sluice", "public"]).joined(separator: "/")
        return FileSystem.names(in: folder) == nil ? nil : folder
    }
}
