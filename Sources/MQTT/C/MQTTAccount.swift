/// As whom a client connects to a broker.
package struct MQTTAccount: Sendable {
    package var user: String?
    /// Only with a user.
    package var password: String?

    package init(user: String? = nil, password: String? = nil) {
        (self.user, self.password) = (user, password)
    }
}
