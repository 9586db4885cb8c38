package import Outbound

/// Why a connection to a broker ended, or was none.
package enum MQTTFailure: Error, CustomStringConvertible {
    /// The connection itself; also when what came on it is not MQTT, or too long.
    case connection(ClientFailure)
    /// The broker has refused the client, with this return code (MQTT 3.1.1 section 3.2.2.3).
    case refused(code: Int)

    /// Whether user or password are wrong, or the user has no right to connect.
    package var isUnauthorized: Bool {
        if case .refused(let code) = self { code == 4 || code == 5 } else { false }
    }

    package var description: String {
        switch self {
        case .connection(let failure): failure.description
        case .refused(let code):
            switch code {
            case 1: "the broker does not speak MQTT 3.1.1"
            case 2: "the broker refuses the client's name"
            case 3: "the broker is not available"
            case 4: "the broker refuses the user or the password"
            case 5: "the broker does not let this user in"
            default: "the broker refuses the connection with code \(code)"
            }
        }
    }
}
