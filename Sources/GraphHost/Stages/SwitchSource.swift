internal import CEL
internal import ReactiveGraph
internal import Support

// `switch` and `if`: each value with its key, as an object `{"key":…,"value":…}` (G-90, G-94). What the library keeps in
// one inner node per key is part of the value here, so that there is nothing to keep for keys that nobody follows
// (G-143), and nothing stale to be replayed (G-92).

extension Node where Value == Datum {
    /// `switch`: the key that `by` gives, and what `value` makes of the value, or the value.
    func switchSource(by: Evaluation, value: Evaluation?) -> Node<Datum> {
        computing("switch") { datum in
            let key: Datum
            switch by.emission(datum.tree) {
            case .empty: return .empty
            // The value has no such member: it has no key.
            case .value(let failure) where failure.fail?.code == ErrorCode.noKey.rawValue: key = .null
            case .value(let failure) where failure.isFail: return .value(failure)
            case .value(let made): key = made
            }
            guard let value else { return SwitchPair.emission(key, datum) }
            let mapped = value.emission(datum.tree)
            guard case .value(let made) = mapped, !made.isFail else { return mapped }
            return SwitchPair.emission(key, made)
        }
    }

    /// `if`: whether the condition holds, and the value.
    func ifSource(_ condition: Evaluation) -> Node<Datum> {
        computing("if") { datum in
            do throws(EvaluationError) {
                guard case .bool(let holds) = try condition.result(datum.tree) else {
                    return condition.fail("if needs true or false")
                }
                return SwitchPair.emission(holds ? .true : .false, datum)
            } catch {
                return condition.fail(error)
            }
        }
    }
}

/// What a switch holds: a key and a value.
enum SwitchPair {
    /// The pair; both keep their text.
    static func emission(_ key: Datum, _ value: Datum) -> Emission<Datum> {
        var buffer = ByteBuffer()
        buffer.append("{\"key\":")
        key.withBytes { buffer.append($0) }
        buffer.append(",\"value\":")
        value.withBytes { buffer.append($0) }
        buffer.append("}")
        return .value(Datum(JSONReader(validated: buffer.bytes)))
    }

    /// What a pair is made of; nil for anything else.
    static func read<Result>(
        _ datum: Datum,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        datum.withBytes { bytes in
            let reader = JSONReader(validated: bytes)
            guard let key = reader["key"], let value = reader["value"] else { return nil }
            return body(key.bytes, value.bytes)
        }
    }
}
