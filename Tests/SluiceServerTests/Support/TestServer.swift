import EventLoop
import Graphs
import LogTestSupport
import Logging
import Testing

@testable import SluiceServer
import Support

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server on a loop of its own, and peers that speak raw bytes to it; all on the test's thread.
final class TestServer {
    static let graph = """
        graph: g
        title: A test graph
        nodes:
          x: { set: number, initial: 1 }
          any: { set: any }
          guarded: { set: number, initial: 1, requireIfMatch: true }
          double: { from: x, pipe: [ { map: "value * 2" } ] }
          deep: { from: double, pipe: [ { map: "value + 1" }, { map: "value * 10" } ] }
          broken: { from: any, pipe: [ { map: "value + 1" } ] }
        """

    let folder: TemporaryFolder
    let loop: Loop
    let server: Server

    /// What the server has written into its log.
    let lines = LogLines()

    init(
        commits: FaultyLog? = nil,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        folder.write("graphs/g.yaml", Self.graph)
        folder.write("public/index.html", "<!doctype html><title>t</title>")
        folder.write("public/app.js", "let a = 1")
        var configuration = Configuration()
        configuration.listen = .tcp(host: "127.0.0.1", port: 0)
        configuration.graphs = folder.path + "/graphs"
        configuration.publicFolder = folder.path + "/public"
        configuration.fixed.times.close = 200
        change(&configuration)
        loop = try Loop()
        let log = Logger(label: "test") { [lines] _ in lines.handler }
        let store = OpenStore(commits: commits.map { .log($0) } ?? .memory(epoch: "test"))
        server = Server(configuration, store: store, on: loop, log: log)
        commits?.later = { [loop] in loop.soon($0) }
        try server.start()
    }

    deinit {
        server.stop()
        loop.poll()
    }

    var port: UInt16 { server.address?.port ?? 0 }

    /// Connects a peer.
    func connect() throws -> RawPeer {
        try RawPeer(port: port, loop: loop)
    }

    /// Sends one request on a connection of its own and returns the whole answer.
    func request(
        _ method: String,
        _ path: String,
        _ fields: String = "",
        body: String = ""
    ) throws -> RawAnswer {
        let peer = try connect()
        var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)"
        if !body.isEmpty || method == "POST" || method == "PUT" {
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        peer.send(head + "\r\n" + body)
        return RawAnswer(peer.readToEnd())
    }

    /// Sends bytes on a connection of its own and returns everything that comes back until the
    /// server closes.
    func exchange(_ text: String) throws -> RawAnswer {
        let peer = try connect()
        peer.send(text)
        return RawAnswer(peer.readToEnd())
    }

    var counts: GraphStatistics { server.host["g"]!.statistics }

    /// Turns the loop until the claim holds; false when it never does (``patience``).
    func until(_ claim: () -> Bool) -> Bool {
        let end = OwnProcess.nanoseconds + patience
        while !claim() {
            guard OwnProcess.nanoseconds < end else { return false }
            loop.poll()
            usleep(200)
        }
        return true
    }
}

/// How long a test waits for something that should happen, in nanoseconds: it hangs after that, on
/// the slowest of machines.
let patience: UInt64 = 300_000_000_000

/// A non-blocking socket of the test; the server's loop turns while it waits.
final class RawPeer {
    let descriptor: Int32
    private let loop: Loop
    private var buffer: [UInt8] = []
    private(set) var isEnded = false

    init(port: UInt16, loop: Loop) throws {
        self.loop = loop
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(status == 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        // What is sent is at the server at once, also after bytes that it has not acknowledged yet.
        var isOn: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if descriptor >= 0, !isClosed { Glibc.close(descriptor) }
    }

    private var isClosed = false

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        let end = OwnProcess.nanoseconds + patience
        while !rest.isEmpty, OwnProcess.nanoseconds < end {
            let count = rest.withBorrowedBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EAGAIN {
                return
            }
            loop.poll()
        }
    }

    /// Ends the connection without a word.
    func close() {
        isClosed = true
        Glibc.close(descriptor)
    }

    /// Ends the connection with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    private func fill() {
        loop.poll()
        var chunk = [UInt8](repeating: 0, count: 65536)
        while !isEnded {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                buffer += chunk[..<count]
            } else if count == 0 || errno != EAGAIN {
                isEnded = true
            } else {
                return
            }
        }
    }

    /// Everything until the server ends the connection.
    func readToEnd() -> [UInt8] {
        let end = OwnProcess.nanoseconds + patience
        while !isEnded, OwnProcess.nanoseconds < end {
            fill()
            usleep(200)
        }
        defer { buffer = [] }
        return buffer
    }

    /// Takes exactly as many bytes, waiting for them.
    func read(_ count: Int) -> [UInt8] {
        let end = OwnProcess.nanoseconds + patience
        while buffer.count < count, !isEnded, OwnProcess.nanoseconds < end {
            fill()
            if buffer.count < count { usleep(200) }
        }
        let taken = Array(buffer.prefix(count))
        buffer.removeFirst(taken.count)
        return taken
    }

    /// Takes bytes up to and with a mark.
    func read(to mark: String) -> String {
        var taken: [UInt8] = []
        let mark = Array(mark.utf8)
        while !taken.suffix(mark.count).elementsEqual(mark) {
            let next = read(1)
            if next.isEmpty { break }
            taken += next
        }
        return String(decoding: taken, as: UTF8.self)
    }

    /// Takes one answer that has a `Content-Length`, or no body.
    func answer() -> RawAnswer {
        let head = read(to: "\r\n\r\n")
        let answer = RawAnswer(Array(head.utf8))
        let length = answer.fields["content-length"].flatMap { Int($0) } ?? 0
        return RawAnswer(Array(head.utf8) + read(length))
    }

    // MARK: - WebSocket

    func upgrade(_ path: String = "/v1/ws", subprotocol: String? = "sluice.v1.json") -> RawAnswer {
        send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + (subprotocol.map { "Sec-WebSocket-Protocol: \($0)\r\n" } ?? "") + "\r\n"
        )
        return RawAnswer(Array(read(to: "\r\n\r\n").utf8))
    }

    /// Sends a masked frame; the mask is zero, so the payload stands as it is.
    func frame(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        if payload.count < 126 {
            bytes.append(0x80 | UInt8(payload.count))
        } else {
            bytes += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        send(bytes + [0, 0, 0, 0] + payload)
    }

    func text(_ message: String) { frame(1, Array(message.utf8)) }

    /// Takes one frame: its opcode and payload.
    func frame() -> (opcode: UInt8, payload: [UInt8])? {
        let head = read(2)
        guard head.count == 2 else { return nil }
        var length = Int(head[1] & 127)
        if length == 126 {
            let more = read(2)
            guard more.count == 2 else { return nil }
            length = Int(more[0]) << 8 | Int(more[1])
        } else if length == 127 {
            length = read(8).reduce(0) { $0 << 8 | Int($1) }
        }
        return (head[0] & 15, read(length))
    }

    /// Takes one text message, passing over pings.
    func message() -> String {
        while let frame = frame() {
            if frame.opcode == 1 { return String(decoding: frame.payload, as: UTF8.self) }
            if frame.opcode == 8 { return "closed \(Self.code(frame.payload))" }
        }
        return "ended"
    }

    /// Passes over everything until a close frame and returns its code; nil when none came.
    func closeCode() -> Int? {
        while let frame = frame() {
            if frame.opcode == 8 { return Self.code(frame.payload) }
        }
        return nil
    }

    private static func code(_ payload: [UInt8]) -> Int {
        payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : 1005
    }
}

/// An answer, taken apart.
struct RawAnswer {
    let text: String
    let status: Int
    var fields: [String: String] = [:]
    let body: String

    init(_ bytes: [UInt8]) {
        text = String(decoding: bytes, as: UTF8.self)
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = (parts.first ?? "").split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = (lines.first ?? "").split(separator: " ")
        status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = String(line[line.index(colon, offsetBy: 2)...])
        }
        body = parts.count > 1 ? String(parts[1]) : ""
    }
}
