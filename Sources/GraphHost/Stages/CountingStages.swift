internal import ReactiveGraph

// Stages that count emissions (G-70). Failures count and pass, emptiness does neither: it travels.

extension Node where Value == Datum {
    /// `skip`: drops the first `count` emissions.
    func skipStage(_ count: Int, _ meter: StageMeter?) -> Node<Datum> {
        var left = count
        return transform(named: "skip") { emission, _ in
            meter?.spend(1)
            guard case .value = emission, left > 0 else { return emission }
            left -= 1
            return nil
        }
    }

    /// `take`: only the first `count` emissions.
    func takeStage(_ count: Int, _ meter: StageMeter?) -> Node<Datum> {
        var left = count
        return transform(named: "take") { emission, _ in
            meter?.spend(1)
            guard case .value = emission else { return emission }
            guard left > 0 else { return nil }
            left -= 1
            return emission
        }
    }

    /// `prefix`: as `take`; says so when the last one has been emitted.
    func prefixStage(_ count: Int, _ meter: StageMeter?, onLast: @escaping () -> Void) -> Node<Datum> {
        var left = count
        if count == 0 { onLast() }
        return transform(named: "prefix") { emission, _ in
            meter?.spend(1)
            guard case .value = emission else { return emission }
            guard left > 0 else { return nil }
            left -= 1
            if left == 0 { onLast() }
            return emission
        }
    }
}
