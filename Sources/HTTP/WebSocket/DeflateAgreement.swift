public import Support

/// What both sides of a connection keep to when they compress messages: permessage-deflate (RFC
/// 7692 §7.1).
public struct DeflateAgreement: Equatable, Sendable {
    /// Whether the server's messages may refer to earlier ones.
    public var serverKeepsContext = true
    /// Whether the client's messages may refer to earlier ones.
    public var clientKeepsContext = true
    /// How far back the server's messages refer at most, as a power of two, 8 … 15; nil: 15, and it
    /// is not said.
    public var serverWindowBits: Int?
    /// How far back the client's messages refer at most, as a power of two, 8 … 15; nil: 15, and it
    /// is not said.
    public var clientWindowBits: Int?

    public init() {}

    /// Appends the value of `Sec-WebSocket-Extensions` that answers the offer.
    public func append(to buffer: inout ByteBuffer) {
        buffer.append("permessage-deflate")
        if !serverKeepsContext { buffer.append("; server_no_context_takeover") }
        if !clientKeepsContext { buffer.append("; client_no_context_takeover") }
        if let serverWindowBits {
            buffer.append("; server_max_window_bits=")
            buffer.append(decimal: serverWindowBits)
        }
        if let clientWindowBits {
            buffer.append("; client_max_window_bits=")
            buffer.append(decimal: clientWindowBits)
        }
    }
}

extension DeflateAgreement {
    /// What the offers of a request come to.
    enum Outcome: Equatable {
        /// The first offer that can be kept.
        case agreed(DeflateAgreement)
        /// None of them; the connection goes on without compression.
        case declined
        /// The field breaks its grammar, upon which the connection must fail (RFC 6455 §9.1).
        case malformed
    }

    /// Picks the first offer that can be kept.
    /// - Parameters:
    ///   - head: the request.
    ///   - mode: what is wanted here.
    ///   - keepsContexts: whether there is memory for contexts of this connection's own; without,
    ///     mode `full` agrees
    ///     on messages that stand by themselves.
    /// - Returns: what to answer.
    static func choose(_ head: RequestHead, _ mode: CompressionMode, keepsContexts: Bool) -> Outcome {
        var chosen: DeflateAgreement?
        var isMalformed = false
        head.forEachValue(.webSocketExtensions) { value in
            var offers = ExtensionOffers(value)
            let isWellFormed = offers.forEach { name, parameters in
                guard chosen == nil, mode != .off, name == "permessage-deflate" else {
                    return
                }
                chosen = Self(parameters)?.kept(in: mode, keepsContexts: keepsContexts)
            }
            isMalformed = isMalformed || !isWellFormed
            return isWellFormed
        }
        if isMalformed { return .malformed }
        return chosen.map { .agreed($0) } ?? .declined
    }

    /// An offer as it stands; nil where a parameter is unknown, given twice, or has a value it
    /// cannot have: such an offer is declined (RFC 7692 §7.1).
    private init?(_ parameters: [ExtensionOffers.Parameter]) {
        var offersClientWindow = false
        for parameter in parameters {
            if parameter.name == "server_no_context_takeover" {
                guard parameter.value == nil, serverKeepsContext else { return nil }
                serverKeepsContext = false
            } else if parameter.name == "client_no_context_takeover" {
                guard parameter.value == nil, clientKeepsContext else { return nil }
                clientKeepsContext = false
            } else if parameter.name == "server_max_window_bits" {
                guard serverWindowBits == nil, let bits = Self.bits(parameter.value) else { return nil }
                serverWindowBits = bits
            } else if parameter.name == "client_max_window_bits" {
                guard !offersClientWindow else { return nil }
                offersClientWindow = true
                // Without a value it only says that the client would keep to a bound.
                guard parameter.value != nil else { continue }
                guard let bits = Self.bits(parameter.value) else { return nil }
                clientWindowBits = bits
            } else {
                return nil
            }
        }
    }

    /// 8 … 15 without leading zeros.
    private static func bits(_ value: [UInt8]?) -> Int? {
        guard let value, value.first != UInt8(ascii: "0"), value.count <= 2,
            let bits = value.withBorrowedBytes({ $0.decimal })
        else { return nil }
        return (8...15).contains(bits) ? bits : nil
    }

    /// What is answered to this offer; nil where it cannot be kept.
    private func kept(in mode: CompressionMode, keepsContexts: Bool) -> DeflateAgreement? {
        var answer = self
        if mode == .on || !keepsContexts {
            // The deflater that all share has the largest window and no other.
            guard serverWindowBits ?? 15 == 15 else { return nil }
            answer.serverKeepsContext = false
            answer.clientKeepsContext = false
            answer.clientWindowBits = nil
        }
        return answer
    }
}
