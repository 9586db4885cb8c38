/// Why a token or a key cannot be used, as one sentence.
public struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ sentence: String) {
        description = sentence
    }
}
