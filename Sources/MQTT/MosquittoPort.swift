internal import EventLoop
internal import Support

/// The loop's end of a connection that libmosquitto makes on this machine.
///
/// libmosquitto connects by itself. It would look names up while everything waits, would not check
/// the addresses, and would trust other certificates than the rest of the server. So it connects
/// here instead, to a port that listens for this one connection, and the loop passes the bytes on.
/// A connection from another socket is closed, so no other program can get in between.
final class MosquittoPort {
    /// Called with libmosquitto's connection.
    var onConnection: ((TCPConnection) -> Void)?
    private let listener: TCPListener
    /// The port of libmosquitto's own socket.
    private var peer: UInt16?

    /// Listens.
    init(on loop: Loop) throws(UVError) {
        listener = try TCPListener(.tcp(host: "127.0.0.1", port: 0), on: loop, backlog: 8)
        listener.onConnection = { [weak self] in self?.connected($0) }
    }

    /// Where libmosquitto connects to.
    var number: UInt16 { listener.boundPort }

    /// From now on the connection from this port is the right one.
    func expect(from port: UInt16) { peer = port }

    private func connected(_ connection: TCPConnection) {
        guard let peer, connection.peerAddress?.port == peer else { return }
        listener.pause()
        onConnection?(connection)
    }
}
