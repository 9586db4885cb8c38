internal import GraphHost
internal import Support

extension ByteBuffer {
    /// Appends exactly one of `"v":…`, `"empty":true`, `"fail":{…}`.
    mutating func append(_ held: Held) {
        switch held {
        case .empty: append("\"empty\":true")
        case .value(let datum), .fail(let datum): datum.withFragment { append($0) }
        }
    }
}
