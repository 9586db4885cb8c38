internal import Definitions
internal import Support
internal import Values

extension ByteBuffer {
    /// Appends the checks of a mutable node, from which an editor can be built:
    /// `,"type":"number","min":0,"max":100,"enum":[…],"ttl":30000,"fresh":5000`.
    mutating func append(rules: NodeDefinition.Mutable) {
        let check = rules.check
        member("type", check.kind.rawValue)
        if let min = check.min {
            member("min")
            append(utf8: min.text)
        }
        if let max = check.max {
            member("max")
            append(utf8: max.text)
        }
        member("minLength", check.minLength.map(Double.init))
        member("maxLength", check.maxLength.map(Double.init))
        member("pattern", check.pattern)
        if let allowed = check.allowed {
            member("enum", list: allowed.values) { value, buffer in value.withBytes { buffer.append($0) } }
        }
        member("ttl", rules.ttl.map { Double($0.milliseconds) })
        member("fresh", rules.fresh.map { Double($0.milliseconds) })
        member("expire", rules.expire.map { Double($0.milliseconds) })
        if rules.requiresIfMatch { member("requireIfMatch", true) }
    }
}
