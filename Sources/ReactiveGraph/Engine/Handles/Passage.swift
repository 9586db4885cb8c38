/// What an emission has come with, kept until its edge is served (``PostponingEdge``).
package struct Passage {
    let trail: Trail?
    let context: Context?
}

extension Graph {
    /// So many more listeners ask for the names on the paths of emissions: while there are any, the
    /// entries of named nodes are kept with what waits.
    package func askForNames(_ change: Int) {
        engine.route.wishes += change
        engine.route.namers += change
    }

    package var isAskedForNames: Bool { engine.route.namers > 0 }

    /// What the emission that is being delivered has come with; nil if it has no context, and
    /// no listener asks for names.
    package var passage: Passage? {
        let context = engine.currentContext
        guard engine.route.namers > 0 || context != nil else { return nil }
        return Passage(trail: engine.route.namers > 0 ? engine.captureTrail() : nil, context: context)
    }

    /// The context of the emission that is being delivered.
    package var deliveredContext: Context? { engine.currentContext }

    /// The numbers of the nodes through which that emission has gone, oldest first.
    package var deliveredPath: Path { engine.currentPath() }
}
