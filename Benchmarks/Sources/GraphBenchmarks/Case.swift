/// One thing that is measured: the same work in several contestants.
struct Case {
    /// What is done.
    let name: String
    /// What one operation consists of: nodes of a chain, listeners of a fan-out.
    let unit: String
    /// How many units one operation has.
    let units: Int
    /// The most nanoseconds per unit that the first contestant may take, where a target is set.
    let target: Double?
    /// The first one is ours.
    let contestants: [Contestant]

    init(_ name: String, unit: String, units: Int, target: Double? = nil, _ contestants: [Contestant]) {
        self.name = name
        self.unit = unit
        self.units = units
        self.target = target
        self.contestants = contestants
    }
}

/// One way to do the work of a case.
struct Contestant {
    let name: String
    /// Sets the work up, and gives a function that does it a number of times and says how much was delivered.
    let prepare: () -> (Int) -> Int
    /// How much one operation must deliver.
    let deliveries: Int
    /// The most allocations one operation may make, where that is promised.
    let allocations: Double?

    init(
        _ name: String,
        deliveries: Int,
        allocations: Double? = nil,
        prepare: @escaping () -> (Int) -> Int
    ) {
        self.name = name
        self.deliveries = deliveries
        self.allocations = allocations
        self.prepare = prepare
    }
}
