internal import EventLoop
internal import HTTP
internal import Outbound
internal import Support
internal import TLS

/// One keep-alive connection of a load run: keeps `depth` POSTs in flight or, if it is paced, sends
/// that many at each ``start()``.
final class PostConnection: ConnectionDelegate {
    /// Called for each answer: with the error or nil, and when its request was sent (nanoseconds).
    var onAnswer: (String?, UInt64) -> Void = { _, _ in }
    /// Called when the connection is lost.
    var onLost: (String) -> Void = { _ in }
    /// Writes the next request.
    private let fill: (inout ByteBuffer, UInt64) -> Void
    private let depth: Int
    private let isPaced: Bool
    private let connection: Transport
    private let parser = ResponseParser()
    private var output = ByteBuffer()
    private var sent: [UInt64]
    private var oldest = 0
    private var inFlight = 0
    private var isOver = false

    init(
        _ connection: Transport,
        depth: Int,
        isPaced: Bool,
        fill: @escaping (inout ByteBuffer, UInt64) -> Void
    ) {
        self.connection = connection
        self.depth = depth
        self.isPaced = isPaced
        self.fill = fill
        sent = Array(repeating: 0, count: depth)
        connection.setDelegate(self)
        connection.resumeReading()
    }

    /// Sends as many requests as may be in flight.
    func start() { top() }

    /// Sends nothing more and closes.
    func stop() {
        isOver = true
        connection.close()
    }

    private func top() {
        guard !isOver, inFlight < depth else { return }
        let now = OwnProcess.nanoseconds
        while inFlight < depth {
            fill(&output, now)
            sent[(oldest + inFlight) % depth] = now
            inFlight += 1
        }
        connection.send(output.bytes)
        output.removeAll()
    }

    func received(_ bytes: BorrowedBytes) {
        var rest = bytes
        while !isOver {
            switch parser.parse(&rest) {
            case .more:
                if !isPaced { top() }
                return
            case .response:
                guard inFlight > 0 else { return lost("an unexpected answer") }
                let time = sent[oldest]
                oldest = (oldest + 1) % depth
                inFlight -= 1
                onAnswer(refusal, time)
                if !isOver, !parser.keepsAlive { return lost("the server closes the connection") }
            case .upgrade: return lost("an unexpected upgrade")
            case .failed(let failure): return lost(failure.reason.description)
            }
        }
    }

    /// The error in the answer; nil for a success.
    private var refusal: String? {
        let status = parser.head.status.rawValue
        guard !(200..<300).contains(status) else { return nil }
        return ProblemText.sentence(in: Array(parser.body)) ?? "status \(status)"
    }

    func peerClosed() { lost("closed by the server") }

    func wroteAll() {}

    func closed(error: UVError?) {
        if let error { lost(error.message) }
    }

    private func lost(_ reason: String) {
        guard !isOver else { return }
        isOver = true
        connection.close()
        onLost(reason)
    }
}
