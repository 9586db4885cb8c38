import NIOCore
import NIOWebSocket
import PeerMessages
import Synchronization

/// The value's revision and the connections that subscribe to it.
final class Hub: Sendable {
    private struct State {
        var rev = 0
        var subscribers: [ObjectIdentifier: any Channel] = [:]
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(on loop: any EventLoop) { self.loop = loop }

    /// Sends a value to all subscribers, in one turn of their loop; its revision.
    func publish(_ value: ByteBuffer) -> Int {
        let (rev, subscribers) = state.withLock { state in
            state.rev += 1
            return (state.rev, state.subscribers)
        }
        if !subscribers.isEmpty {
            let text = ByteBuffer(string: Messages.update(rev, String(buffer: value)))
            loop.execute {
                let frame = WebSocketFrame(fin: true, opcode: .text, data: text)
                for channel in subscribers.values { channel.writeAndFlush(frame, promise: nil) }
            }
        }
        return rev
    }

    func subscribe(_ channel: any Channel) {
        let rev = state.withLock { state in
            state.subscribers[ObjectIdentifier(channel)] = channel
            return state.rev
        }
        let text = ByteBuffer(string: Messages.snapshot(rev))
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: text), promise: nil)
    }

    func unsubscribe(_ channel: any Channel) {
        state.withLock { _ = $0.subscribers.removeValue(forKey: ObjectIdentifier(channel)) }
    }
}

/// Subscribes its connection with the first text.
final class Subscription: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let hub: Hub

    init(_ hub: Hub) { self.hub = hub }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).opcode {
        case .text: hub.subscribe(context.channel)
        case .connectionClose: context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { hub.unsubscribe(context.channel) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
