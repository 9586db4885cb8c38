#if NIO
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOWebSocket
    import Testing

    @testable import SluiceClient

    @Suite("SwiftNIO", .timeLimit(.minutes(1)))
    struct NIOTransportTests {
        /// Runs the transport against a server that does what `script` says with each frame it
        /// receives.
        private func run(
            path: String = "/v1/ws",
            _ script: @escaping @Sendable (WebSocketFrame, any Channel) -> Void,
            opened: @escaping @Sendable (any TransportConnection) -> Void = { $0.send("go") },
            received: @escaping @Sendable (String) -> Void = { _ in }
        ) async throws -> ConnectionEnd {
            let server = try await listen(script)
            let port = try #require(server.localAddress?.port)
            let url = try #require(URL(string: "ws://127.0.0.1:\(port)\(path)"))
            let result = await Task {
                try await NIOTransport().run(url) {
                    opened($0)
                } received: {
                    received($0)
                }
            }.result
            try await server.close()
            return try result.get()
        }

        private func listen(
            _ script: @escaping @Sendable (WebSocketFrame, any Channel) -> Void
        ) async throws -> any Channel {
            try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    let upgrader = NIOWebSocketServerUpgrader(
                        shouldUpgrade: { channel, head in
                            #expect(head.headers["Sec-WebSocket-Protocol"] == ["sluice.v1.json"])
                            return channel.eventLoop.makeSucceededFuture(
                                head.uri == "/v1/ws" ? HTTPHeaders() : nil
                            )
                        },
                        upgradePipelineHandler: { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                try channel.pipeline.syncOperations.addHandler(Script(script))
                            }
                        }
                    )
                    return channel.pipeline.configureHTTPServerPipeline(
                        withServerUpgrade: (
                            upgraders: [upgrader],
                            completionHandler: { $0.pipeline.removeHandler(name: "none", promise: nil) }
                        )
                    ).flatMapThrowing {
                        try channel.pipeline.syncOperations.addHandler(NotFound(), name: "none")
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        }

        @Test("messages in both directions, in fragments too, until the server's close frame")
        func messages() async throws {
            let texts = Inbox<String>()
            let end = try await run { frame, channel in
                // The client answers the close frame with its own.
                guard frame.opcode == .text else { return }
                #expect(String(buffer: frame.unmaskedData) == "go")
                channel.say("one", .text)
                channel.say("t", .text, isLast: false)
                channel.say("w", .continuation, isLast: false)
                channel.say("o", .continuation)
                var data = ByteBuffer()
                data.write(webSocketErrorCode: .unknown(4503))
                data.writeString(#"{"after":5}"#)
                channel.say(data, .connectionClose)
            } received: {
                texts.put($0)
            }
            #expect(end == ConnectionEnd(code: 4503, reason: #"{"after":5}"#))
            #expect([await texts.next(), await texts.next()] == ["one", "two"])
        }

        @Test("a ping is answered with its own data")
        func ping() async throws {
            let end = try await run { frame, channel in
                if frame.opcode == .text { return channel.say("beat", .ping) }
                #expect(frame.opcode == .pong && String(buffer: frame.unmaskedData) == "beat")
                channel.close(promise: nil)
            }
            #expect(end.code == 1006)
        }

        @Test("a task that is cancelled says good-bye")
        func cancelled() async throws {
            let farewell = Inbox<WebSocketErrorCode?>()
            let server = try await listen { frame, _ in
                guard frame.opcode == .connectionClose else { return }
                var data = frame.unmaskedData
                farewell.put(data.readWebSocketErrorCode())
            }
            let url = try #require(URL(string: "ws://127.0.0.1:\(server.localAddress?.port ?? 0)/v1/ws"))
            let isOpen = Inbox<Void>()
            let running = Task {
                try await NIOTransport().run(url) { _ in
                    isOpen.put(())
                } received: { _ in
                }
            }
            await isOpen.next()
            running.cancel()
            _ = await running.result
            #expect(await farewell.next() == .normalClosure)
            try await server.close()
        }

        @Test("a server that answers something else is named as the reason")
        func notFound() async throws {
            let end = try await run(path: "/nothing", { _, _ in })
            #expect(
                end.code == 1006 && end.reason == "the server answered 404 Not Found instead of a WebSocket"
            )
        }

        @Test(
            "where no server is, there is an error",
            arguments: ["ws://127.0.0.1:1", "wss://127.0.0.1:1", "ws://[::1]:1"]
        )
        func refused(address: String) async throws {
            let url = try #require(URL(string: address))
            await #expect(throws: (any Error).self) {
                _ = try await NIOTransport().run(url) { _ in
                } received: { _ in
                }
            }
        }

        @Test("a file of certificates that is not there is an error")
        func noCertificates() async throws {
            let url = try #require(URL(string: "wss://127.0.0.1:1"))
            await #expect(throws: (any Error).self) {
                _ = try await NIOTransport(trustRoots: .file("/nothing")).run(url) { _ in
                } received: { _ in
                }
            }
        }
    }

    /// The server's end of a WebSocket.
    private final class Script: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame

        private let script: @Sendable (WebSocketFrame, any Channel) -> Void

        init(_ script: @escaping @Sendable (WebSocketFrame, any Channel) -> Void) {
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            script(unwrapInboundIn(data), context.channel)
        }
    }

    /// Answers requests that ask for no WebSocket.
    private final class NotFound: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            let head = HTTPResponseHead(
                version: .http1_1,
                status: .notFound,
                headers: ["Content-Length": "0"]
            )
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    extension Channel {
        fileprivate func say(_ text: String, _ opcode: WebSocketOpcode, isLast: Bool = true) {
            say(ByteBuffer(string: text), opcode, isLast: isLast)
        }

        fileprivate func say(_ data: ByteBuffer, _ opcode: WebSocketOpcode, isLast: Bool = true) {
            writeAndFlush(WebSocketFrame(fin: isLast, opcode: opcode, data: data), promise: nil)
        }
    }
#endif
