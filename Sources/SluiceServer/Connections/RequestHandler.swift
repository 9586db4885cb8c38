internal import HTTP
internal import Support

/// Answers the requests of the connections of a listener; implemented by the API.
protocol RequestHandler: AnyObject {
    /// Answers the connection's current request, now or later.
    func respond(on connection: HTTPConnection)

    /// The error of a request whose body has not been sent yet; nil if it may be sent.
    func refusalBeforeBody(on connection: HTTPConnection) -> Refusal?

    /// Answers a request for WebSocket.
    ///
    /// - Returns: the new connection; nil if it was refused, or is answered later.
    func upgrade(_ connection: HTTPConnection) -> WebSocketConnection?

    /// The client that sends a request whose body is not complete; its rights are checked later.
    func sender(on connection: HTTPConnection) -> SlowPeers.Owner
}

/// What a request waits for at its client's wish, such as the change of a node.
protocol HeldRequest: AnyObject {
    /// Its name in `GET /v1/connections`.
    var name: String? { get }
    /// When it is answered at the latest.
    var deadline: UInt64 { get }

    /// Answers it now.
    func finish()

    /// The client is gone.
    func cancel()
}

/// The body of an answer that is sent piece by piece.
protocol AnswerBody: AnyObject {
    /// Whether all pieces have been passed on.
    var isOver: Bool { get }

    /// Appends the next piece; false when there is none although the head has promised it.
    func appendPiece(to out: inout ByteBuffer) -> Bool
}
