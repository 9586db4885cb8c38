/// Why a token or a key cannot be used, as one sentence.
package struct JOSEError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ sentence: String) {
        description = sentence
    }
}
