/// What a host has to settle when the turn ends.
struct Unsettled {
    /// The graphs with `demand` requests of producers (D-1).
    var demanded: [LiveGraph] = []
    /// The graphs' members with entries to look at (``Members/forgetLeftovers()``).
    var members: [Members] = []
}
