#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What was found about the published cases.
struct Published {
    struct Found {
        let family: Family
        /// How many times as fast we were, per form of the case.
        let ratios: [Double]
        var mean: Double { geometricMean(ratios) }
        var least: Double { ratios.min() ?? 0 }
    }

    private(set) var families: [Found] = []

    /// The mean that is asked for.
    static let leastMean = 8.0

    /// Takes the ratio of a case, if it is a published one.
    mutating func add(_ item: Case, _ result: Measuring.Result) {
        guard let family = item.family, let rival = item.rival else { return }
        let ratio = result.ratios[rival]
        if let index = families.firstIndex(where: { $0.family == family }) {
            families[index] = Found(family: family, ratios: families[index].ratios + [ratio])
        } else {
            families.append(Found(family: family, ratios: [ratio]))
        }
    }

    /// The geometric mean over the cases; each counts once, however many forms it has.
    var mean: Double { geometricMean(families.map(\.mean)) }

    /// What is wrong with them, if all of them were measured.
    var failures: [String] {
        guard families.count == Family.allCases.count, mean < Self.leastMean else { return [] }
        return ["published cases: \(decimal(mean)) times OpenCombine, at least \(decimal(Self.leastMean))"]
    }
}

private func geometricMean(_ values: [Double]) -> Double {
    exp(values.reduce(0) { $0 + log($1) } / Double(max(1, values.count)))
}
