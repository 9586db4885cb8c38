internal import Support

extension ByteBuffer {
    /// Appends the checks of a mutable node, from which an editor can be built:
    /// `,"type":"number","min":0,"max":100,"enum":[…],"ttl":30000,"fresh":5000`.
    mutating func append(rules: NodeDefinition.Mutable) {
        let check = rules.check
        append(",\"type\":")
        append(json: check.kind.rawValue)
        append(fact: ",\"min\":", check.min)
        append(fact: ",\"max\":", check.max)
        append(fact: ",\"minLength\":", check.minLength.map(Double.init))
        append(fact: ",\"maxLength\":", check.maxLength.map(Double.init))
        if let pattern = check.pattern {
            append(",\"pattern\":")
            append(json: pattern)
        }
        if let allowed = check.allowed {
            append(",\"enum\":")
            append(list: allowed.values) { value, buffer in value.withBytes { buffer.append($0) } }
        }
        append(fact: ",\"ttl\":", rules.ttl.map { Double($0.milliseconds) })
        append(fact: ",\"fresh\":", rules.fresh.map { Double($0.milliseconds) })
        append(fact: ",\"expire\":", rules.expire.map { Double($0.milliseconds) })
        if rules.requiresIfMatch { append(",\"requireIfMatch\":true") }
    }

    private mutating func append(fact name: StaticString, _ number: Double?) {
        guard let number else { return }
        append(name)
        var bytes: [UInt8] = []
        JSONNumber.append(number, to: &bytes)
        append(bytes)
    }
}
