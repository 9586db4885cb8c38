internal import ReactiveGraph

// `case` and `default`, and the sides of an `if`: the values of one key of a switch (G-91, G-93, G-94). Pairs with
// other keys change nothing. It may follow any node whose values have a `key` and a `value`.

extension Node where Value == Datum {
    func caseSource(_ wanted: Source.Case, at place: String, _ meter: StageMeter?) -> Node<Datum> {
        let name = wanted.isDefault ? "default" : "case"
        let notAPair = Datum.fail("not_a_key", at: place, "a value with key and value is needed")
        return transform(named: name) { emission, _ in
            guard case .value(let pair) = emission else { return emission }
            meter?.spend(on: pair)
            if pair.isFail { return wanted.showsFailures ? emission : nil }
            let found = SwitchPair.read(pair) { key, value -> Emission<Datum>? in
                let isWanted = wanted.key.withBytes { JSONEquality.areEqual($0, key) }
                return isWanted ? .value(Datum(JSONReader(validated: value))) : nil
            }
            guard let found else { return .value(notAPair) }
            return found
        }
    }
}
