internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support
internal import Platform

/// The dashboards of the server (docs/dashboards.md): each is a file `NAME.json` of one folder.
///
/// Reads happen on the loop; changes happen one after another on a thread of libuv's, so that the
/// condition of a change is checked against the file that it replaces.
final class Dashboards {
    /// The largest file that is read.
    static let maximumBytes = 1 << 20

    /// A dashboard, with the title and graph from its file.
    struct Row {
        let name: String
        let title: String?
        /// The graph that it belongs to: the one it names, or else the one with its own name.
        let graph: String
    }

    let folder: DashboardFolder
    private let loop: Loop
    private var known: [FileSystem.Entry]?
    private var list: [Row] = []
    private var waiting: [() -> Void] = []
    private var isChanging = false

    init(_ path: String, most: Int, on loop: Loop) {
        folder = DashboardFolder(path: path, most: most)
        self.loop = loop
        folder.removeUnfinished()
    }

    /// All of them, by name; read again when something in the folder has changed.
    func rows() -> [Row] {
        let entries = FileSystem.entries(in: folder.path) ?? []
        if known == entries { return list }
        list = entries.compactMap { entry in
            guard entry.name.hasSuffix(DashboardFolder.suffix) else { return nil }
            let name = String(entry.name.dropLast(DashboardFolder.suffix.count))
            let about = folder.read(name).map { DashboardText($0) }
            return Row(name: name, title: about?.title, graph: about?.graph ?? name)
        }
        known = entries
        return list
    }

    /// Makes a change after earlier ones, and answers on the loop.
    func change(
        _ change: @escaping @Sendable (DashboardFolder) -> DashboardChange,
        answer: @escaping (DashboardChange) -> Void
    ) {
        waiting.append { [unowned self] in
            let folder = folder
            FileTask.run(on: loop) { () throws(UVError) in
                change(folder)
            } answer: { [weak self] result in
                if case .success(let change) = result { answer(change) }
                self?.isChanging = false
                self?.next()
            }
        }
        next()
    }

    private func next() {
        guard !isChanging, !waiting.isEmpty else { return }
        isChanging = true
        waiting.removeFirst()()
    }
}

/// The properties in a dashboard's JSON.
struct DashboardText {
    let title: String?
    let graph: String?

    init(_ bytes: [UInt8]) {
        (title, graph) = bytes.withUnsafeBytes { bytes in
            let read = try? JSONReader(checking: bytes)
            return (read?["title"]?.string, read?["graph"]?.string)
        }
    }
}

enum DashboardChange: Sendable {
    case saved(tag: String, isNew: Bool)
    case removed
    case missing
    /// The condition does not hold; the present entity tag, if the dashboard exists.
    case conflict(tag: String?)
    /// The same for one that must not exist yet, or must have another tag than this.
    case exists(tag: String)
    /// The dashboard that would be replaced or removed belongs to a graph that the caller has no
    /// right to.
    case forbidden(graph: String)
    case full
    case unwritable(String)
}

/// The files of the dashboards; may be used on any thread.
struct DashboardFolder: Sendable {
    static let suffix = ".json"
    private static let unfinished = ".saving-"

    let path: String
    let most: Int

    /// Whether the server may write to it.
    var isWritable: Bool { access(path, W_OK) == 0 }

    /// The file of that dashboard; nil if there is none.
    func read(_ name: String) -> [UInt8]? {
        try? Files.read(file(name), limit: Dashboards.maximumBytes).bytes
    }

    /// The entity tag of a dashboard: a prefix of its SHA-256.
    static func tag(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { SHA256.digest($0) }.prefix(12).hexadecimal
    }

    /// What the last call to the system says went wrong.
    private static var failure: DashboardChange { .unwritable(String(cString: strerror(errno))) }

    /// Puts a dashboard in its place: written beside it, put on the disk, then renamed, so that a
    /// server that dies in between leaves the old one.
    func save(
        _ bytes: [UInt8],
        as name: String,
        if condition: TagConditions,
        allowed graphs: GraphNames
    ) -> DashboardChange {
        let present = read(name)
        if let refusal = refusal(name, present, condition, graphs) { return refusal }
        if present == nil, count >= most { return .full }
        let partial = "\(path)/\(Self.unfinished)\(RandomWord.make(letters: 10))"
        do throws(UVError) {
            try Files.write(bytes, to: partial)
        } catch {
            unlink(partial)
            return .unwritable("\(error)")
        }
        guard chmod(partial, 0o644) == 0, rename(partial, file(name)) == 0 else {
            let failure = Self.failure
            unlink(partial)
            return failure
        }
        synchronize()
        return .saved(tag: Self.tag(bytes), isNew: present == nil)
    }

    func remove(
        _ name: String,
        if condition: TagConditions,
        allowed graphs: GraphNames
    ) -> DashboardChange {
        let present = read(name)
        if let refusal = refusal(name, present, condition, graphs) { return refusal }
        guard present != nil else { return .missing }
        guard unlink(file(name)) == 0 else { return Self.failure }
        synchronize()
        return .removed
    }

    /// Removes files that a crash while saving has left.
    func removeUnfinished() {
        for name in (try? Files.names(in: path)) ?? [] where name.hasPrefix(Self.unfinished) {
            unlink("\(path)/\(name)")
        }
    }

    private func file(_ name: String) -> String { "\(path)/\(name)\(Self.suffix)" }

    private var count: Int {
        FileSystem.names(in: path)?.count { $0.hasSuffix(Self.suffix) } ?? 0
    }

    private func refusal(
        _ name: String,
        _ present: [UInt8]?,
        _ condition: TagConditions,
        _ graphs: GraphNames
    ) -> DashboardChange? {
        if let present {
            let graph = DashboardText(present).graph ?? name
            guard graphs.contains(graph) else { return .forbidden(graph: graph) }
        }
        let tag = present.map(Self.tag)
        guard condition.allowsMatch(tag) else { return .conflict(tag: tag) }
        guard let tag, !condition.allowsNoMatch(tag) else { return nil }
        return .exists(tag: tag)
    }

    /// Syncs the folder's entries to the disk.
    private func synchronize() {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
