internal import EventLoop

/// The dashboards of the server (docs/dashboards.md): each is a file `NAME.json` of one folder.
///
/// One dashboard is read on the loop. Lists and changes are made one after another on a thread of
/// libuv's, so that the condition of a change is checked against the file that it replaces.
final class Dashboards {
    /// The largest file that is read.
    static let maximumBytes = 1 << 20

    /// A dashboard, with the title and graph from its file.
    struct Row: Sendable {
        let name: String
        let title: String?
        /// The graph that it belongs to: the one it names, or else the one with its own name.
        let graph: String
    }

    let folder: DashboardFolder
    private let loop: Loop
    /// What the last list has read, by the state of each file.
    private var known: [FileSystem.Entry: Row] = [:]
    private var waiting: [() -> Void] = []
    private var isChanging = false

    init(_ path: String, most: Int, on loop: Loop) {
        folder = DashboardFolder(path: path, most: most)
        self.loop = loop
        folder.make()
        folder.removeUnfinished()
    }

    /// Answers on the loop with all of them, by name, after earlier changes; reads those files that
    /// have changed since the last list.
    func list(_ answer: @escaping ([Row]) -> Void) {
        append { [unowned self] in
            let (folder, known) = (folder, known)
            run {
                folder.rows(known)
            } then: { [weak self] rows in
                self?.known = Dictionary(uniqueKeysWithValues: rows)
                answer(rows.map(\.row))
            }
        }
    }

    /// Makes a change after earlier ones, and answers on the loop.
    func change(
        _ change: @escaping @Sendable (DashboardFolder) -> DashboardChange,
        answer: @escaping (DashboardChange) -> Void
    ) {
        append { [unowned self] in
            let folder = folder
            run {
                change(folder)
            } then: {
                answer($0)
            }
        }
    }

    private func append(_ work: @escaping () -> Void) {
        waiting.append(work)
        next()
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        then answer: @escaping (Value) -> Void
    ) {
        FileTask.run(on: loop) { () throws(UVError) in
            work()
        } answer: { [weak self] result in
            if case .success(let value) = result { answer(value) }
            self?.isChanging = false
            self?.next()
        }
    }

    private func next() {
        guard !isChanging, !waiting.isEmpty else { return }
        isChanging = true
        waiting.removeFirst()()
    }
}
