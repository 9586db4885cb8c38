internal import EventLoop
internal import Graphs
internal import Platform
internal import Support
internal import TLS

/// The files of the dashboards; may be used on any thread.
struct DashboardFolder: Sendable {
    static let suffix = ".json"
    private static let unfinished = ".saving-"

    let path: String
    let most: Int

    /// Makes the folder where there is none; what fails then fails when it is written to.
    func make() { unsafe mkdir(path, 0o777) }

    /// Why the server cannot write to it; nil if it can.
    var obstacle: String? { mayUse(path, W_OK) ? nil : systemError() }

    /// All dashboards by name, each with the state of its file; `known` is what was read before.
    func rows(_ known: [FileSystem.Entry: Dashboards.Row]) -> [(file: FileSystem.Entry, row: Dashboards.Row)]
    {
        let entries = FileSystem.entries(in: path) ?? []
        return entries.filter { $0.name.hasSuffix(Self.suffix) }.map { entry in
            if let row = known[entry] { return (entry, row) }
            let name = String(entry.name.dropLast(Self.suffix.count))
            let about = read(name).map { DashboardText($0) }
            return (entry, Dashboards.Row(name: name, title: about?.title, graph: about?.graph ?? name))
        }
    }

    /// The file of that dashboard; nil if there is none.
    func read(_ name: String) -> [UInt8]? {
        try? Files.read(file(name), limit: Dashboards.maximumBytes).bytes
    }

    /// The entity tag of a dashboard: a prefix of its SHA-256.
    static func tag(_ bytes: [UInt8]) -> String {
        bytes.withBorrowedBytes { SHA256.digest($0) }.prefix(12).hexadecimal
    }

    /// What the last call to the system says went wrong.
    private static var failure: DashboardChange { .unwritable(systemError()) }

    /// Puts a dashboard in its place: written beside it, put on the disk, then renamed, so that a
    /// server that dies in between leaves the old one.
    func save(
        _ bytes: [UInt8],
        as name: String,
        if condition: TagConditions,
        allowed graphs: GraphNames
    ) -> DashboardChange {
        let present = read(name)
        if let refusal = refusal(name, present, condition, graphs, removes: false) { return refusal }
        if present == nil, count >= most { return .full }
        let target = target(name)
        let folder = target[..<(target.lastIndex(of: "/") ?? target.startIndex)]
        let partial = "\(folder)/\(Self.unfinished)\(RandomBytes.word(letters: 10))"
        do throws(UVError) {
            try Files.write(bytes, to: partial)
        } catch {
            removeFile(partial)
            return .unwritable("\(error)")
        }
        guard unsafe chmod(partial, 0o644) == 0, unsafe rename(partial, target) == 0 else {
            let failure = Self.failure
            removeFile(partial)
            return failure
        }
        synchronize(String(folder))
        return .saved(tag: Self.tag(bytes), isNew: present == nil)
    }

    func remove(
        _ name: String,
        if condition: TagConditions,
        allowed graphs: GraphNames
    ) -> DashboardChange {
        let present = read(name)
        if let refusal = refusal(name, present, condition, graphs, removes: true) { return refusal }
        guard present != nil else { return .missing }
        guard removeFile(file(name)) == 0 else { return Self.failure }
        synchronize(path)
        return .removed
    }

    /// Removes files that a crash while saving has left.
    func removeUnfinished() {
        for name in (try? Files.names(in: path)) ?? [] where name.hasPrefix(Self.unfinished) {
            removeFile("\(path)/\(name)")
        }
    }

    private func file(_ name: String) -> String { "\(path)/\(name)\(Self.suffix)" }

    /// The file that is written: for a symbolic link what it leads to, so that the link stays.
    private func target(_ name: String) -> String {
        let file = file(name)
        return resolvedPath(file) ?? file
    }

    private var count: Int {
        FileSystem.names(in: path)?.count { $0.hasSuffix(Self.suffix) } ?? 0
    }

    private func refusal(
        _ name: String,
        _ present: [UInt8]?,
        _ condition: TagConditions,
        _ graphs: GraphNames,
        removes: Bool
    ) -> DashboardChange? {
        if let present {
            let graph = DashboardText(present).graph ?? name
            guard graphs.contains(graph) else { return .forbidden(graph: graph, removes: removes) }
        }
        let tag = present.map(Self.tag)
        guard condition.allowsMatch(tag) else {
            return if let tag, condition.isForeign { .foreign(tag: tag) } else { .conflict(tag: tag) }
        }
        guard let tag, !condition.allowsNoMatch(tag) else { return nil }
        return .exists(tag: tag)
    }

    /// Syncs a folder's entries to the disk.
    private func synchronize(_ folder: String) {
        let descriptor = unsafe open(folder, O_RDONLY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
