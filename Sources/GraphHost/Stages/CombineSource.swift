internal import CEL
internal import ReactiveGraph
internal import Support

// `combine`: several nodes as one value (G-81 over present inputs, G-50). A join of class none: empty while an
// input is, a failure while an input is one, and otherwise computed from what the inputs hold now.

extension Graph {
    /// The object of the inputs under their names, or their list; forwards the inputs' own text.
    static func combined(
        _ inputs: [Node<Datum>],
        names: [String]?,
        _ meter: StageMeter?
    ) -> Node<Datum> {
        join(inputs, named: "combine") { emissions, _ in
            present(emissions) { data in
                if let meter { meter.spend(data.reduce(1) { $0 + 1 + $1.textCost }) }
                return text(of: data, names: names)
            }
        }
    }

    /// What an expression makes of the inputs: each under its name, or all as one list `value`.
    static func combined(_ inputs: [Node<Datum>], isList: Bool, _ evaluation: Evaluation) -> Node<Datum> {
        join(inputs, named: "combine") { emissions, _ in
            present(emissions) { data in
                let trees = data.map(\.tree)
                return isList ? evaluation.emission(.list(ValueList(trees))) : evaluation.emission(trees)
            }
        }
    }

    private static func present(
        _ emissions: [Emission<Datum>],
        _ compute: ([Datum]) -> Emission<Datum>
    ) -> Emission<Datum> {
        var data: [Datum] = []
        data.reserveCapacity(emissions.count)
        var fail: Datum?
        for emission in emissions {
            guard case .value(let datum) = emission else { return .empty }
            if datum.isFail, fail == nil { fail = datum }
            data.append(datum)
        }
        if let fail { return .value(fail) }
        return compute(data)
    }

    /// The list of values, or their object: each keeps its text.
    static func text(of data: [Datum], names: [String]?) -> Emission<Datum> {
        var buffer = ByteBuffer()
        buffer.append(UInt8(ascii: names == nil ? "[" : "{"))
        for (place, datum) in data.enumerated() {
            if place > 0 { buffer.append(",") }
            if let names {
                buffer.append(json: names[place])
                buffer.append(":")
            }
            datum.withBytes { buffer.append($0) }
        }
        buffer.append(UInt8(ascii: names == nil ? "]" : "}"))
        return .value(Datum(JSONReader(validated: buffer.bytes)))
    }
}
