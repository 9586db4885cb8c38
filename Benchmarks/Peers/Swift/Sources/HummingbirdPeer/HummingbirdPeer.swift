import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import PeerMessages

/// A minimal server on Hummingbird 2: what is posted goes to every WebSocket that has sent a text.
@main
struct HummingbirdPeer {
    static func main() async throws {
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let hub = Hub(on: loops.next())
        let router = Router()
        router.post("/v1/graphs/:graph/nodes/:node") { request, _ in
            let rev = hub.publish(try await request.body.collect(upTo: 65_536))
            return Response(
                status: .ok,
                headers: [.eTag: Messages.tag(rev), .contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: Messages.answer(rev)))
            )
        }
        let application = Application(
            router: router,
            server: HTTPServerBuilder { responder in UpgradableChannel(responder: responder, hub: hub) },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0), backlog: 4096),
            onServerRunning: { channel in
                print("listening on http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
                fflush(nil)
            },
            eventLoopGroupProvider: .shared(loops),
            logger: Logger(label: "peer") { _ in SwiftLogNoOpLogHandler() }
        )
        try await application.runService()
    }
}
