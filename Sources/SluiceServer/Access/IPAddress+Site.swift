internal import Sessions
internal import Support

extension IPAddress {
    /// The unit counted as one client: an IPv4 address, or an IPv6 network of 64 bits.
    var site: NetworkPlace { NetworkPlace(high: high, low: isV4 ? low : 0) }
}
