internal import Definitions
internal import Values

extension TypedNames {
    var python: String { "" }
}
