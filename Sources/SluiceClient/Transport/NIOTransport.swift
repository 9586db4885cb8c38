#if NIO
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOSSL
    internal import NIOWebSocket
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    /// A WebSocket over SwiftNIO, with TLS by NIOSSL.
    ///
    /// The package's trait `NIO` has it.
    public struct NIOTransport: Transport {
        /// Which certificates a server may show.
        public enum TrustRoots: Sendable, Hashable {
            /// Those that the system trusts.
            case system
            /// Those of the authorities in a file of PEM certificates.
            case file(String)
        }

        private let trustRoots: TrustRoots

        /// - Parameter trustRoots: the authorities that are trusted with `wss`.
        public init(trustRoots: TrustRoots = .system) {
            self.trustRoots = trustRoots
        }

        public func run(
            _ url: URL,
            opened: @Sendable (any TransportConnection) async -> Void,
            received: @Sendable (String) async -> Void
        ) async throws -> ConnectionEnd {
            switch try await connect(to: url).get() {
            case .refused(let answer):
                let status = try await answer.executeThenClose { parts, _ in
                    for try await case .head(let head) in parts { return "\(head.status)" }
                    return "nothing"
                }
                return ConnectionEnd(reason: "the server answered \(status) instead of a WebSocket")
            case .opened(let socket):
                let connection = NIOConnection(channel: socket.channel)
                return try await withTaskCancellationHandler {
                    try await socket.executeThenClose { frames, _ in
                        await opened(connection)
                        return try await read(frames, connection, received)
                    }
                } onCancel: {
                    connection.close()
                }
            }
        }

        /// Reads until the connection ends.
        private func read(
            _ frames: NIOAsyncChannelInboundStream<WebSocketFrame>,
            _ connection: NIOConnection,
            _ received: @Sendable (String) async -> Void
        ) async throws -> ConnectionEnd {
            for try await frame in frames {
                switch frame.opcode {
                case .text: await received(String(buffer: frame.data))
                case .ping: connection.send(frame.data, as: .pong)
                case .connectionClose:
                    var data = frame.data
                    // A peer answers a close frame with its code.
                    connection.send(frame.data, as: .connectionClose)
                    guard let code = data.readWebSocketErrorCode() else { return ConnectionEnd(code: 1005) }
                    return ConnectionEnd(
                        code: Int(UInt16(webSocketErrorCode: code)),
                        reason: String(buffer: data)
                    )
                default: break
                }
            }
            return ConnectionEnd()
        }
    }

    extension NIOTransport {
        /// What the server has made of the request for a WebSocket.
        private enum Upgrade: Sendable {
            case opened(NIOAsyncChannel<WebSocketFrame, WebSocketFrame>)
            case refused(NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>)
        }

        private func connect(to url: URL) async throws -> EventLoopFuture<Upgrade> {
            guard let host = url.host() else { throw SluiceError("bad-address", "\(url) names no host") }
            let isSecure = url.scheme == "wss"
            let port = url.port ?? (isSecure ? 443 : 80)
            let tls = isSecure ? try NIOSSLContext(configuration: tlsConfiguration) : nil
            // A literal address of IPv6 is in brackets in the URL and in `Host`, and nowhere else.
            let name = host.withoutBrackets
            let request = head(of: url, host: name.contains(":") ? "[\(name)]" : name)
            return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(host: name, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            let handler = try NIOSSLClientHandler(
                                context: tls,
                                serverHostname: serverName(name)
                            )
                            try channel.pipeline.syncOperations.addHandler(handler)
                        }
                        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                            configuration: .init(upgradeConfiguration: upgrade(request))
                        )
                    }
                }
        }

        private var tlsConfiguration: TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            if case .file(let path) = trustRoots { configuration.trustRoots = .file(path) }
            return configuration
        }

        private func head(of url: URL, host: String) -> HTTPRequestHead {
            let path = url.path(percentEncoded: true)
            let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
            let headers: HTTPHeaders = [
                "Host": url.port.map { "\(host):\($0)" } ?? host,
                "Sec-WebSocket-Protocol": "sluice.v1.json",
            ]
            return HTTPRequestHead(version: .http1_1, method: .GET, uri: path + query, headers: headers)
        }

        private func upgrade(_ request: HTTPRequestHead) -> NIOTypedHTTPClientUpgradeConfiguration<Upgrade> {
            let upgrader = NIOTypedWebSocketClientUpgrader<Upgrade>(maxFrameSize: largestMessage) {
                channel,
                _ in
                channel.eventLoop.makeCompletedFuture {
                    let aggregator = NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0,
                        maxAccumulatedFrameCount: 1 << 16,
                        maxAccumulatedFrameSize: largestMessage
                    )
                    try channel.pipeline.syncOperations.addHandler(aggregator)
                    return .opened(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                }
            }
            return NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request,
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        .refused(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
                    }
                }
            )
        }
    }

    /// The name for the server's certificate; an address is no name there.
    private func serverName(_ host: String) -> String? {
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return isAddress ? nil : host
    }

    extension String {
        fileprivate var withoutBrackets: String {
            hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
        }
    }

    private struct NIOConnection: TransportConnection {
        let channel: any Channel

        func send(_ text: String) {
            send(ByteBuffer(string: text), as: .text)
        }

        func send(_ data: ByteBuffer, as opcode: WebSocketOpcode) {
            let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
            // An error is also the end of what is read.
            channel.writeAndFlush(frame, promise: nil)
        }

        /// Says good-bye, so that the server does not take the end for a failure.
        func close() {
            var data = ByteBuffer()
            data.write(webSocketErrorCode: .normalClosure)
            send(data, as: .connectionClose)
            channel.close(promise: nil)
        }
    }
#endif
