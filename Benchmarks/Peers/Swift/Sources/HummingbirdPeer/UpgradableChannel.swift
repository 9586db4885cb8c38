import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket

/// A connection that speaks HTTP with Hummingbird until it becomes a WebSocket of swift-nio.
///
/// The package hummingbird-websocket does the same.
struct UpgradableChannel: ServerChildChannel, HTTPChannelHandler {
    typealias HTTP = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    /// What has become of a connection.
    enum Negotiated {
        case http(HTTP)
        case webSocket(any Channel)
    }

    struct Value: ServerChildChannelValue {
        let channel: any Channel
        let negotiated: EventLoopFuture<Negotiated>
    }

    let responder: HTTPChannelHandler.Responder
    let hub: Hub

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let upgrader = NIOTypedWebSocketServerUpgrader<Negotiated>(
                shouldUpgrade: { channel, _ in
                    channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": "sluice.v1.json"])
                },
                upgradePipelineHandler: { [hub] channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Subscription(hub))
                        return .webSocket(channel)
                    }
                }
            )
            var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(upgraders: [upgrader]) {
                    channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            HTTP1ToHTTPServerCodec(secure: false), HTTPConnectionStateHandler(logger: logger),
                        ])
                        let halfClosing = HTTP.Configuration(isOutboundHalfClosureEnabled: true)
                        return .http(
                            try HTTP(wrappingChannelSynchronously: channel, configuration: halfClosing)
                        )
                    }
                }
            )
            configuration.enablePipelining = false
            configuration.enableErrorHandling = false
            configuration.enableResponseHeaderValidation = false
            let negotiated = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
                configuration: configuration
            )
            return Value(channel: channel, negotiated: negotiated)
        }
    }

    func handle(value: Value, logger: Logger) async {
        switch try? await value.negotiated.get() {
        case .http(let connection): await handleHTTP(asyncChannel: connection, logger: logger)
        case .webSocket(let channel): try? await channel.closeFuture.get()
        case nil: break
        }
    }
}
