internal import Logging
internal import Support

/// The folders whose files the server serves: the public one, and those mounted at paths.
final class PublicFolders {
    private var files: StaticFiles?
    private var mounts: [Mount] = []

    /// Opens the folders of a configuration; throws if one of them does not exist.
    func open(_ configuration: Configuration, _ log: Logger) throws(StartFailure) {
        let policies = Dictionary(
            configuration.contentPolicies.compactMap(ContentPolicy.parse).map { ($0.path, $0.policy) },
            uniquingKeysWith: { $1 }
        )
        let paths = configuration.mounts.compactMap(MountText.parse).map(\.path) + ["/"]
        if let other = policies.keys.sorted().first(where: { !paths.contains($0) }) {
            throw StartFailure(["csp: '\(other)' is neither / nor the path of a mount"])
        }
        for (path, folder) in configuration.mounts.compactMap(MountText.parse) {
            guard let files = StaticFiles(folder: folder, policy: policies[path]) else {
                throw StartFailure(["mounts: there is no folder '\(folder)'"])
            }
            mounts.append(Mount(path: path, files: files))
        }
        // If two paths match, the longer one counts.
        mounts.sort { $0.path.utf8.count > $1.path.utf8.count }
        guard !configuration.publicFolder.isEmpty else { return }
        files = StaticFiles(folder: PageFolder.resolve(configuration.publicFolder), policy: policies["/"])
        if files == nil {
            if configuration.publicFolder == PageFolder.automatic {
                return log.warning(
                    "the page did not come with this program: see 'public' in the configuration"
                )
            }
            throw StartFailure(["public: there is no folder '\(configuration.publicFolder)'"])
        }
    }

    /// The folder of a path, and the path within it.
    func folder(of path: BorrowedBytes) -> (files: StaticFiles, path: BorrowedBytes)? {
        for mount in mounts {
            if let suffix = mount.suffix(of: path) { return (mount.files, suffix) }
        }
        return files.map { ($0, path) }
    }
}
