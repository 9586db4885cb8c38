import Testing

@testable import RedisLog

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A real `redis-server` of a test's own, on a socket file in a folder of its own.
final class RedisServer {
    let path: String
    /// nil: another process has started it, and ends it.
    private let folder: String?
    private var process: pid_t = 0

    /// Starts one; further options are those of its configuration file.
    init(_ options: String...) throws {
        var template = Array("/tmp/sluice-redis-XXXXXX".utf8CString)
        let folder = String(cString: try #require(mkdtemp(&template)))
        self.folder = folder
        path = folder + "/socket"
        try start(options)
    }

    /// One that another process has started.
    init(at path: String) {
        (self.path, folder) = (path, nil)
    }

    deinit {
        guard let folder else { return }
        kill()
        for name in ["socket", "log", "dump.rdb", "appendonly.aof"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    var address: RedisAddress { RedisAddress(.unix(path: path)) }

    /// Starts it again.
    func start(_ options: [String] = []) throws {
        let folder = try #require(folder)
        let arguments =
            [
                "redis-server", "--port", "0", "--unixsocket", path, "--dir", folder, "--logfile",
                "\(folder)/log",
                "--save", "", "--appendonly", "no",
            ] + options.flatMap { $0.split(separator: " ").map(String.init) }
        var raw: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for case let argument? in raw { free(argument) } }
        let status = posix_spawnp(&process, "redis-server", nil, nil, &raw, environ)
        try #require(status == 0, "there is a redis-server (Debian's package of that name)")
        for _ in 0..<10_000 {
            if (try? connect().ask(RedisCommand("PING"))) != nil { return }
            usleep(10_000)
        }
        Issue.record("redis-server does not answer")
    }

    /// Ends it at once.
    func kill() {
        guard process > 0 else { return }
        signal(SIGKILL)
        signal(SIGCONT)
        waitpid(process, nil, 0)
        process = 0
    }

    func signal(_ number: Int32) { _ = Glibc.kill(process, number) }

    func connect() throws -> RedisConnection { try RedisConnection(address, patience: 2_000) }

    @discardableResult
    func ask(_ words: String...) throws -> RedisReply {
        var command = RedisCommand()
        for word in words { command.append(word) }
        return try connect().ask(command)
    }
}
