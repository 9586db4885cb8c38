// On Linux, URLSession needs a libcurl with WebSocket, which most distributions do not have.
#if canImport(Darwin)
    public import Foundation

    /// The WebSocket of Apple's systems.
    ///
    /// It needs no further package.
    public struct URLSessionTransport: Transport {
        private let session: URLSession

        /// - Parameter session: its configuration decides about proxies, and its delegate about
        ///   certificates.
        public init(session: URLSession = .shared) {
            self.session = session
        }

        public func run(
            _ url: URL,
            opened: @Sendable (any TransportConnection) async -> Void,
            received: @Sendable (String) async -> Void
        ) async throws -> ConnectionEnd {
            let socket = session.webSocketTask(with: url, protocols: ["sluice.v1.json"])
            socket.maximumMessageSize = largestMessage
            socket.resume()
            return try await withTaskCancellationHandler {
                await opened(URLSessionConnection(socket: socket))
                do {
                    while true {
                        if case .string(let text) = try await socket.receive() { await received(text) }
                    }
                } catch {
                    guard socket.closeCode != .invalid else { throw error }
                    let reason = socket.closeReason.map { String(decoding: $0, as: UTF8.self) }
                    return ConnectionEnd(code: socket.closeCode.rawValue, reason: reason ?? "")
                }
            } onCancel: {
                socket.cancel(with: .normalClosure, reason: nil)
            }
        }
    }

    private struct URLSessionConnection: TransportConnection {
        let socket: URLSessionWebSocketTask

        func send(_ text: String) {
            // An error is also that of the next `receive`.
            socket.send(.string(text)) { _ in }
        }
    }
#endif

/// More than the server sends in one message, so that only a peer that is no Sluice exceeds it.
let largestMessage = 64 << 20
