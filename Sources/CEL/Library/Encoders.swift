internal import Support

/// The published encoders extension: base64.
enum Encoders {
    static let functions: [Function] = [
        Function("base64.encode", [.global(.bytes, gives: .string)]) { arguments, meter throws(Failure) in
            let bytes = try arguments.bytes(0)
            try meter.spend(Price.object)
            try meter.spend(bytes: bytes.count * 2)
            return .string(Base64.text(bytes))
        },
        Function("base64.decode", [.global(.string, gives: .bytes)]) { arguments, meter throws(Failure) in
            let text = try arguments.string(0)
            try meter.spend(bytes: text.utf8.count * 2)
            guard let bytes = Base64.bytes(text.utf8, isCanonical: false) else {
                throw .badValue("the string is not base64")
            }
            return .bytes(bytes)
        },
    ]
}
