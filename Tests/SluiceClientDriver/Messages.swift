import Foundation
import SluiceClient
import Synchronization

/// One object a line, whole lines only.
func write(_ message: JSONObject) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    guard var line = try? encoder.encode(message) else { fatalError("not JSON: \(message)") }
    line.append(UInt8(ascii: "\n"))
    output.withLock { $0.write(line) }
}

private let output = Mutex(FileHandle.standardOutput)

/// A delivery with its meta, as the protocol names what it has.
func event<Value>(
    _ handle: String,
    _ delivery: ValueDelivery<Value>,
    _ json: (Value) -> JSONValue
) -> JSONObject {
    var event: JSONObject = ["on": .string(handle), "meta": .object(delivery.meta.json)]
    event["value"] = delivery.value.map(json)
    return event
}

extension SluiceError {
    var json: JSONValue {
        var fields: JSONObject = ["code": .string(code), "message": .string(message)]
        fields["path"] = path.map(JSONValue.string)
        fields["key"] = key.map(JSONValue.string)
        return .object(fields)
    }
}

extension Cursor {
    var fields: JSONObject { ["epoch": .string(epoch), "rev": .integer(Int64(rev))] }
}

extension Applied {
    var json: JSONValue {
        var fields = cursor?.fields ?? [:]
        if !skipped.isEmpty { fields["skipped"] = .array(skipped.map(JSONValue.string)) }
        if !values.isEmpty { fields["values"] = .object(values) }
        if isReplayed { fields["replayed"] = true }
        return .object(fields)
    }
}

extension Snapshot {
    var json: JSONValue {
        var fields = cursor.fields
        fields["m"] = .object(members.mapValues { .object($0.json) })
        return .object(fields)
    }
}

extension Demand {
    var json: JSONValue {
        mustLoad ? ["wanted": .bool(isWanted), "load": true] : ["wanted": .bool(isWanted)]
    }
}

extension Failure {
    var json: JSONValue {
        var fields: JSONObject = ["code": .string(code), "msg": .string(message)]
        fields["at"] = at.map(JSONValue.string)
        return .object(fields)
    }
}

extension Meta {
    var json: JSONObject {
        var fields: JSONObject = ["folded": .integer(Int64(folded))]
        fields["rev"] = rev.map { .integer(Int64($0)) }
        fields["epoch"] = epoch.map(JSONValue.string)
        fields["t"] = time.map { .integer(Int64(($0.timeIntervalSince1970 * 1000).rounded())) }
        if isEmpty { fields["empty"] = true }
        fields["fail"] = failure?.json
        if let members {
            fields["m"] = .object(members.mapValues { .object($0.json) })
            fields["changed"] = .array(members.keys.map(JSONValue.string))
        }
        fields["more"] = more.map { .integer(Int64($0)) }
        fields["state"] = facets?.json
        if isSame { fields["same"] = true }
        if isHistory { fields["history"] = true }
        fields["by"] = by.map(JSONValue.string)
        fields["ctx"] = context
        fields["path"] = path.map { .array($0.map(JSONValue.string)) }
        fields["origin"] = origin.map(JSONValue.string)
        fields["gap"] = gap.map { .number($0 / .milliseconds(1)) }
        if isLost { fields["lost"] = true }
        fields["lostRevs"] = lostRevs.map { .integer(Int64($0)) }
        fields["ended"] = ended.map { ["code": .string($0.code), "msg": .string($0.message)] }
        return fields
    }
}

extension Continuation {
    var json: JSONObject {
        var fields = cursor.fields
        fields["graph"] = .string(graph)
        fields["nodes"] = .array(nodes.map(JSONValue.string))
        fields["gap"] = gap.map { .number($0 / .milliseconds(1)) }
        if isLost { fields["lost"] = true }
        fields["lostRevs"] = lostRevs.map { .integer(Int64($0)) }
        if nodes.count == 1, subscription["node"] != nil { fields["node"] = subscription["node"] }
        return fields
    }
}

extension ClientEvent {
    var json: JSONObject {
        switch self {
        case .state(let state): ["state": .string(state.phase.rawValue)]
        case .continued(let continuation): ["gap": .object(continuation.json)]
        case .attention(let graphs): ["changes": .array(graphs.map(JSONValue.string))]
        case .problem(let error): ["warn": .string("\(error)")]
        }
    }
}
