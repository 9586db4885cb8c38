/// What kind of history a seed stands for.
struct Settings {
    var isSettled: Bool
    var propagatesEmpty: Bool
    var keepsPaths: Bool
    var steps: Int
    /// Steps from within callbacks, for each step from outside.
    var nestedSteps: Int
    /// One in how many callbacks acts.
    var rarity: Int
    /// How deep steps are nested.
    var depth = 4
    /// Callbacks in one step before everything is cut.
    var eventsPerStep = 250

    init(seed: UInt64, isSettled: Bool) {
        var random = Dice(state: seed ^ 0x5eed)
        self.isSettled = isSettled
        propagatesEmpty = random.chance(1, in: 4)
        keepsPaths = random.chance(1, in: 4)
        steps = 15 + random.below(30)
        nestedSteps = random.chance(1, in: 4) ? 0 : 2 + random.below(8)
        rarity = 2 + random.below(8)
    }
}

/// A small seeded generator: the same numbers on every machine.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A number from 0 up to, but not including, `bound`.
    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    /// True once in `bound` times, times `count`.
    mutating func chance(_ count: Int, in bound: Int) -> Bool {
        below(bound) < count
    }
}
