internal import ReactiveGraph

// `case` and `default`, and the sides of an `if`: the values of one key of a switch (G-91, G-93, G-94). Pairs with
// other keys change nothing. It may follow any node whose values have a `key` and a `value`.

extension Node where Value == Datum {
    func caseSource(
        _ wanted: Source.Case,
        in cases: CasePlace,
        at place: String,
        _ meter: StageMeter?
    ) -> Node<Datum> {
        let name = wanted.isDefault ? "default" : "case"
        let notAPair = Datum.fail("not_a_key", at: place, "a value with key and value is needed")
        return transform(named: name) { emission, _ in
            meter?.spend(1)
            guard case .value(let pair) = emission else {
                cases.table.forget()
                return emission
            }
            if pair.isFail { return wanted.showsFailures ? emission : nil }
            switch cases.table.route(pair, meter) {
            case .slot(cases.slot, let value): return value
            case .slot, .other: return nil
            case .none: return .value(notAPair)
            }
        }
    }
}
