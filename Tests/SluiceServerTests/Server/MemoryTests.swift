import EventLoop
import Graphs
import LogTestSupport
import Logging
import Testing

@testable import SluiceServer

@Suite("Shortage of memory")
struct MemoryTests {
    /// Stands for the kernel: keeps the action, and the paths that were asked.
    private final class Kernel {
        var asked: [String] = []
        var tell: (() -> Void)?
    }

    private let graph = """
        graph: g
        nodes:
          x: { set: number, initial: 1 }
          sum: { from: x, pipe: [ { scan: { start: 0, with: "acc + value" } } ], retain: untilPressure }
        """

    private func server(
        _ kernel: Kernel,
        _ setting: String,
        refuses: Bool = false
    ) throws -> (Server, TemporaryFolder, Loop) {
        let folder = try TemporaryFolder()
        folder.write("graphs/g.yaml", graph)
        var configuration = Configuration()
        configuration.listen = .tcp(host: "127.0.0.1", port: 0)
        configuration.graphs = folder.path + "/graphs"
        configuration.publicFolder = ""
        configuration.fixed.memoryPressure = setting
        let loop = try Loop()
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let server = try Server(configuration, on: loop, log: log)
        server.pressureFiles.watch = { (path, action) throws(UVError) in
            kernel.asked.append(path)
            if refuses { throw UVError(code: -1, call: "open") }
            kernel.tell = action
            return Kernel()
        }
        try server.start()
        return (server, folder, loop)
    }

    @Test("G-131: when the kernel says so, unused nodes are released and counted")
    func pressure() throws {
        let kernel = Kernel()
        let (server, folder, loop) = try server(kernel, "/a/file")
        defer {
            server.stop()
            loop.poll()
        }
        #expect(kernel.asked == ["/a/file"])
        let live = try #require(server.host["g"])
        let start = live.statistics.nodes
        _ = live.read(try #require(live.node("sum")))
        #expect(live.statistics.nodes > start)
        kernel.tell?()
        #expect(live.statistics.nodes == start)
        #expect(server.host.statistics.pressureEvents == 1)
        #expect(server.host.statistics.pressureReleased == live.statistics.released)
        withExtendedLifetime(folder) {}
    }

    @Test("off reads no file; auto tries one file after the other, and serves without where none answers")
    func settings() throws {
        let kernel = Kernel()
        let (silent, first, loop) = try server(kernel, "off")
        #expect(kernel.asked.isEmpty && silent.memory?.pressure == nil)
        silent.stop()
        loop.poll()
        let (without, second, other) = try server(kernel, "auto", refuses: true)
        #expect(kernel.asked == MemoryPressure.paths() && without.memory?.pressure == nil)
        #expect(without.state == .serving)
        without.releaseUnused(because: "test")
        #expect(without.host.statistics.pressureEvents == 1)
        without.stop()
        other.poll()
        withExtendedLifetime((first, second)) {}
    }
}
