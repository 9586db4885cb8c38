internal import CEL
internal import ReactiveGraph

// What a node or a client's subscription starts from, made of the library's operators.
extension LiveGraph {
    /// The node that a source of a definition, or of a client's subscription, means.
    func source(_ source: Source, at place: String) -> Node<Datum> {
        if case .from(let name) = source { return input(name) }
        let site = StageSite(graph: self, timers: timers, place: place)
        let made =
            switch source {
            case .from(let name): input(name)
            case .combine(let combine): site.combined(combine, combine.nodes.map(input))
            case .merge(let names): Node.merge(names.map(input))
            case .flatten(let flatten): flattened(flatten, from: input(flatten.from), at: place)
            case .zip(let zip): site.zipped(zip, zip.nodes.map(input))
            case .switch(let keyed): site.keyed(keyed).derive(input(keyed.from))
            case .case(let wanted): site.chosen(wanted, from: input(wanted.of))
            case .otherwise(let rest): site.remaining(rest).derive(input(rest.of))
            case .if(let condition): site.judged(condition).derive(input(condition.from))
            }
        return made.named(source.name)
    }

    private func input(_ name: String) -> Node<Datum> {
        guard let node = node(name) else { preconditionFailure("a checked definition names no unknown node") }
        return materialise(node)
    }
}

extension StageSite {
    // MARK: - Several inputs

    /// What is made of all inputs: what they hold now, once none is empty.
    ///
    /// A failure of one is the result.
    fileprivate func combined(_ combine: Source.Combine, _ inputs: [Node<Datum>]) -> Node<Datum> {
        let compute = joined(combine.map, names: combine.names)
        return Node.combineEach(inputs, compute)
    }

    /// What is made of the first values of all inputs, then of the second ones, and so on.
    ///
    /// Each value takes a place, null and failures too; emptiness takes none. A full queue loses its oldest value, and the
    /// node fails until the next row, because from then on the rows are not the ones that were asked for.
    fileprivate func zipped(_ zip: Source.Zip, _ inputs: [Node<Datum>]) -> Node<Datum> {
        let limit = min(zip.buffer ?? .max, graph.host.limits.zipBuffer)
        let place = place
        let node = Node<Datum>.zipEach(
            inputs,
            buffer: .dropOldest(limit),
            overflow: { .fail("overflow", at: place, "too many values wait for the other inputs") },
            joined(zip.map, names: nil)
        )
        node.propagatesEmpty = false
        return node
    }

    /// The function of several values: the expression, or their list or object.
    private func joined(_ map: Expression?, names: [String]?) -> ([Datum]) -> Datum {
        let meter = meter
        guard let map else {
            return { data in
                if let fail = data.first(where: \.isFail) { return fail }
                if let meter { meter.spend(data.reduce(1) { $0 + 1 + $1.textCost }) }
                return JSONText.joined(data, names: names)
            }
        }
        // The names of the list form are those of one value.
        let evaluation = evaluation(map, taking: names?.count ?? 1)
        return { data in
            if let fail = data.first(where: \.isFail) { return fail }
            let trees = data.map(\.tree)
            return names == nil ? evaluation.datum(.list(ValueList(trees))) : evaluation.datum(trees)
        }
    }

    // MARK: - Values with keys
    //
    // A switch of the host is a value, `{"key":…,"value":…}` (G-90, G-94): so there is nothing to keep for keys that nobody
    // follows (G-143), nothing stale to replay (G-92), and clients can read the key.

    /// Each value with the key that `by` gives, as an object.
    fileprivate func keyed(_ keyed: Source.Switch) -> StageOperator {
        let by = evaluation(keyed.by)
        let value = keyed.value.map { evaluation($0) }
        let map = Map<Datum, Datum> { datum in
            var key = by.datum(datum.tree)
            if let failure = key.fail {
                // The value has no such member: it has no key.
                guard failure.code == ErrorCode.noKey.rawValue else { return key }
                key = .null
            }
            guard let value else { return JSONText.pair(key, datum) }
            let mapped = value.datum(datum.tree)
            return mapped.isFail ? mapped : JSONText.pair(key, mapped)
        }
        return stage(map, .bypass, .none)
    }

    /// Each value with whether the condition holds, as an object.
    fileprivate func judged(_ condition: Source.If) -> StageOperator {
        let when = evaluation(condition.when)
        let map = Map<Datum, Datum> { datum in
            do throws(EvaluationError) {
                guard case .bool(let holds) = try when.result(datum.tree) else {
                    return when.fail("if needs true or false")
                }
                return JSONText.pair(holds ? .true : .false, datum)
            } catch {
                return when.fail(error)
            }
        }
        return stage(map, .bypass, .none)
    }

    /// The values of one key; pairs with other keys change nothing (G-91).
    fileprivate func chosen(_ wanted: Source.Case, from source: Node<Datum>) -> Node<Datum> {
        let chosen = graph.place(for: wanted, behind: source)
        let notAPair = notAPair
        let meter = meter
        let choose = CompactMap<Datum, Datum> { pair in
            if pair.isFail { return wanted.showsFailures ? pair : nil }
            switch chosen.table.route(pair, meter) {
            case .slot(chosen.slot, let value): return value
            case .slot, .other: return nil
            case .none: return notAPair
            }
        }
        return stage(choose, .count).derive(source)
    }

    /// The values of all keys but some (G-93).
    fileprivate func remaining(_ rest: Source.Otherwise) -> StageOperator {
        let excluded = Set(rest.excluding.map { $0.withBytes { CaseKey($0) } })
        let notAPair = notAPair
        let choose = CompactMap<Datum, Datum> { pair in
            if pair.isFail { return pair }
            let value = JSONText.readPair(pair) { key, value in
                excluded.contains(CaseKey(key)) ? Datum?.none : Datum(JSONReader(validated: value))
            }
            return value ?? .some(notAPair)
        }
        return stage(choose, .count, .text)
    }

    private var notAPair: Datum {
        .fail("not_a_key", at: place, "a value with key and value is needed")
    }
}

// MARK: - A choice among nodes

extension LiveGraph {
    /// The node that the value of another one names (G-77): built when it is chosen, let go of when another is.
    fileprivate func flattened(
        _ flatten: Source.Flatten,
        from outer: Node<Datum>,
        at place: String
    ) -> Node<Datum> {
        var chosen: [String: NamedNode] = [:]
        for (key, name) in flatten.to { chosen[key] = node(name) }
        let otherwise = flatten.otherwise.flatMap { node($0) }
        let notAKey = Datum.fail("not_a_key", at: place, "no node is chosen by this key")
        return outer.flattenMap { [unowned self] key in
            // A failure passes: it is shown in place of a chosen node.
            if key.isFail { return stand(for: key) }
            guard let node = chosen[Self.keyText(key)] ?? otherwise else { return stand(for: notAKey) }
            return materialise(node)
        }
    }

    /// A node that is followed while none is chosen: a part of the stage.
    private func stand(for failure: Datum) -> Node<Datum> {
        let node = core.node(failure)
        chains.hide(node)
        return node
    }

    /// How a key is written in `to`: a string as what it says, anything else as its JSON text.
    private static func keyText(_ key: Datum) -> String {
        switch key.tree {
        case .string(let text): text
        default: key.text
        }
    }
}
