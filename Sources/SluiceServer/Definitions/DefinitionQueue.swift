internal import Definitions
internal import EventLoop
internal import Graphs
internal import Values

/// Reads definitions of clients and files one after the other on a thread of its own; the loop
/// never waits for it.
final class DefinitionQueue {
    /// The most definitions of clients in the queue, the current one included; another one is
    /// refused with `busy`.
    ///
    /// Each waits as bytes, at most `limits.body`, or `limits.dryRun` if it is only tried.
    static var most: Int { 16 }

    private let reader: DefinitionReader
    private let configuration: Configuration
    private let system: ExpressionSystem
    private let loop: Loop
    /// Started with the first definition: most servers get none while they run.
    private var thread: SerialThread?
    private var count = 0

    /// A queue with the options of the configuration.
    init(_ configuration: Configuration, _ system: ExpressionSystem, on loop: Loop) {
        reader = DefinitionReader(limits: SessionLimits(configuration)) { name in
            DefinitionOptions(configuration, system).accepting(configuration, ofClient: name)
        }
        self.system = system
        self.configuration = configuration
        self.loop = loop
    }

    /// Reads a client's definition and compares it with the present one of the graph; `answer` is
    /// called once, in a later turn.
    ///
    /// - Throws: `busy`.
    func read(
        _ text: DefinitionText,
        named name: String,
        former: DefinitionOutline?,
        _ answer: @escaping (Result<GraphDefinition, HostError>) -> Void
    ) throws(HostError) {
        guard count < Self.most, let thread = try? startedThread() else {
            throw HostError(
                .busy,
                "\(Self.most) definitions are waiting to be read already; try again later",
                after: 1000
            )
        }
        count += 1
        thread.run { [reader] in
            Result { () throws(HostError) in
                try reader.read(text.document(), named: name, former: former)
            }
        } then: { [weak self] result in
            self?.count -= 1
            answer(result)
        }
    }

    /// Lists the paths of the definition files, nil if the folder cannot be read, in a later turn.
    ///
    /// - Throws: if no thread can be started.
    func list(_ answer: @escaping ([String]?) -> Void) throws(UVError) {
        try startedThread().run { [configuration] in
            GraphFolder.paths(in: configuration.graphs)
        } then: {
            answer($0)
        }
    }

    /// Reads a definition file as ``GraphFolder`` does, and compares it; `answer` is called once,
    /// in a later turn.
    ///
    /// - Throws: if no thread can be started.
    func read(
        file path: String,
        known: UInt128?,
        former: DefinitionOutline?,
        _ answer: @escaping (GraphFolder.File) -> Void
    ) throws(UVError) {
        try startedThread().run { [configuration, system] in
            GraphFolder.file(
                path,
                known: known,
                former: former,
                DefinitionOptions(configuration, system).accepting(configuration)
            )
        } then: {
            answer($0)
        }
    }

    /// Reads the files of tokens and issuers; `answer` is called once, in a later turn.
    ///
    /// - Throws: if no thread can be started.
    func readCredentials(
        _ answer: @escaping (sending Result<CredentialFiles, StartFailure>) -> Void
    ) throws(UVError) {
        try startedThread().run { [configuration] in
            Result { () throws(StartFailure) in try CredentialFiles(configuration) }
        } then: {
            answer($0)
        }
    }

    private func startedThread() throws(UVError) -> SerialThread {
        if let thread { return thread }
        let started = try SerialThread(on: loop, lowersPriority: true)
        thread = started
        return started
    }
}
