public import Support

/// The opening handshake (RFC 6455 §4).
///
/// Whether the Origin is welcome is the server's question, not asked here.
public enum Handshake {
    /// What a request for WebSocket comes to.
    public enum Outcome: Equatable, Sendable {
        /// Answer 101, naming the subprotocol and the terms of compression where there are any.
        case accepted(subprotocol: String?, deflate: DeflateAgreement? = nil)
        /// Answer 426 with `Upgrade: websocket` and `Sec-WebSocket-Version: 13`: the request is not
        /// an upgrade, or of a version the server does not speak.
        case upgradeRequired
        /// Answer 400; the sentence says what is wrong.
        case refused(String)
    }

    /// Judges a request to a path that serves WebSocket.
    /// - Parameters:
    ///   - head: the request, after the parser's `.upgrade` or `.request`.
    ///   - subprotocols: those the path speaks, the preferred one first. Empty: none is chosen and
    ///     none may
    ///     be offered.
    ///   - compression: which offers of permessage-deflate are accepted.
    ///   - keepsContexts: whether there is memory for contexts of this connection's own; asked in
    ///     mode `full`.
    /// - Returns: what to answer.
    public static func judge(
        _ head: RequestHead,
        subprotocols: [StaticString],
        compression: CompressionMode = .off,
        keepsContexts: Bool = true
    ) -> Outcome {
        guard head.upgradesToWebSocket else { return .upgradeRequired }
        guard let version = head.value(.webSocketVersion), version.equals("13") else {
            return .upgradeRequired
        }
        guard let key = head.value(.webSocketKey), key.count == 24,
            Base64.bytes(key, isCanonical: true)?.count == 16
        else {
            return .refused("Sec-WebSocket-Key is not 16 bytes in base64")
        }
        var deflate: DeflateAgreement?
        if head.has(.webSocketExtensions) {
            switch DeflateAgreement.choose(head, compression, keepsContexts: keepsContexts) {
            case .agreed(let agreement): deflate = agreement
            case .declined: break
            case .malformed: return .refused("Sec-WebSocket-Extensions is not a list of extensions")
            }
        }
        guard head.has(.webSocketProtocol) else { return .accepted(subprotocol: nil, deflate: deflate) }
        var offered = 0
        var isMalformed = false
        var best: Int?
        head.forEachValue(.webSocketProtocol) { value in
            value.forEachListElement { name in
                offered += 1
                isMalformed = isMalformed || !name.allSatisfy(ASCII.isToken)
                if let index = subprotocols.firstIndex(where: { name.equals($0) }) {
                    best = min(index, best ?? index)
                }
                return true
            }
            return true
        }
        guard !isMalformed, offered > 0 else {
            return .refused("Sec-WebSocket-Protocol is not a list of names")
        }
        guard let best else { return .refused("none of the offered subprotocols is supported") }
        return .accepted(subprotocol: subprotocols[best].description, deflate: deflate)
    }

    /// Writes the answer 101.
    /// - Parameters:
    ///   - head: the accepted request.
    ///   - subprotocol: the one that was chosen.
    ///   - deflate: the terms of compression that were agreed on.
    ///   - encoder: brings the date.
    ///   - sha1: SHA-1 of the bytes, 20 bytes.
    ///   - buffer: what it is appended to.
    ///   - fields: writes further header lines.
    public static func accept(
        _ head: RequestHead,
        subprotocol: String?,
        deflate: DeflateAgreement? = nil,
        _ encoder: ResponseEncoder,
        sha1: (BorrowedBytes) -> [UInt8],
        to buffer: inout ByteBuffer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        encoder.begin(.switchingProtocols, ResponseFraming(), in: &buffer)
        buffer.append("Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ")
        appendToken(
            for: head.value(.webSocketKey) ?? BorrowedBytes(),
            sha1,
            to: &buffer
        )
        buffer.append("\r\n")
        if let subprotocol {
            buffer.field("Sec-WebSocket-Protocol", string: subprotocol)
        }
        if let deflate {
            buffer.append("Sec-WebSocket-Extensions: ")
            deflate.append(to: &buffer)
            buffer.append("\r\n")
        }
        fields(&buffer)
        buffer.append("\r\n")
    }

    /// Writes the answer 101 and a close frame after it: there is no room, come back later (4529).
    ///
    /// - Parameters: as of ``accept(_:subprotocol:deflate:_:sha1:to:fields:)``.
    public static func refuse(
        _ head: RequestHead,
        subprotocol: String?,
        _ encoder: ResponseEncoder,
        sha1: (BorrowedBytes) -> [UInt8],
        to buffer: inout ByteBuffer
    ) {
        accept(head, subprotocol: subprotocol, encoder, sha1: sha1, to: &buffer)
        FrameEncoder.appendClose(.tooManyConnections, reason: "too_many_connections", to: &buffer)
    }

    /// Writes the answer 426 to `head`.
    public static func requireUpgrade(
        _ head: RequestHead,
        _ encoder: ResponseEncoder,
        _ framing: ResponseFraming,
        to buffer: inout ByteBuffer
    ) {
        let sentence =
            head.upgradesToWebSocket
            ? "only WebSocket version 13 is supported"
            : "this is a WebSocket endpoint: send Upgrade: websocket"
        Refusal("bad_request", sentence).appendUpgradeRequired(encoder, framing, to: &buffer)
    }

    /// What a client has asked for; extensions it never asks for.
    public struct Offer {
        /// What it sent as `Sec-WebSocket-Key`.
        public let key: String
        /// The subprotocol it named, if any.
        public let subprotocol: String?

        public init(key: String, subprotocol: String?) {
            self.key = key
            self.subprotocol = subprotocol
        }
    }

    /// Judges the answer 101, for a client (RFC 6455 §4.1).
    /// - Parameters:
    ///   - head: the answer.
    ///   - offer: what was asked for.
    ///   - sha1: SHA-1 of the bytes, 20 bytes.
    /// - Returns: what is wrong with it, or nil.
    public static func judge(
        _ head: ResponseHead,
        answering offer: Offer,
        sha1: (BorrowedBytes) -> [UInt8]
    ) -> String? {
        guard head.value(.upgrade)?.equalsIgnoringCase("websocket") == true,
            head.value(.connection)?.listContains("upgrade") == true
        else { return "the server did not accept the upgrade to WebSocket" }
        let expected = Array(offer.key.utf8).withBorrowedBytes { token(for: $0, sha1: sha1) }
        guard let answer = head.value(.webSocketAccept), answer.text == expected else {
            return "Sec-WebSocket-Accept does not match the key"
        }
        guard head.value(.webSocketExtensions) == nil else {
            return "the answer has an extension that was not asked for"
        }
        if let answer = head.value(.webSocketProtocol), answer.text != offer.subprotocol {
            return "the answer has a subprotocol that was not asked for"
        }
        return nil
    }

    /// The value of `Sec-WebSocket-Accept` that answers `key`, for a client to compare.
    public static func token(
        for key: BorrowedBytes,
        sha1: (BorrowedBytes) -> [UInt8]
    ) -> String {
        var buffer = ByteBuffer()
        appendToken(for: key, sha1, to: &buffer)
        return buffer.bytes.text
    }

    private static func appendToken(
        for key: BorrowedBytes,
        _ sha1: (BorrowedBytes) -> [UInt8],
        to buffer: inout ByteBuffer
    ) {
        var text = ByteBuffer()
        text.append(key)
        text.append("258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
        sha1(text.bytes).withBorrowedBytes { buffer.append(base64: $0) }
    }
}
