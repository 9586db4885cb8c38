import Support
import Testing

@Suite("Patterns of names")
struct GlobTests {
    @Test(
        "Globs match as they are read",
        arguments: [
            ("ab", "*", true), ("ab", "a*", true), ("ab", "*b", true), ("ab", "a**", true),
            ("ab", "?b", true), ("ab", "??", true), ("ab", "???", false), ("ab", "*a", false),
            ("abcabd", "*abd", true), ("abcabd", "*ab?abd*", true), ("abcabd", "a*c*d", true),
            ("a name that is longer than fifteen", "a*longer*fifteen", true),
            ("a name that is longer than fifteen", "a*longer*sixteen", false),
        ]
    )
    func matching(_ name: String, _ glob: String, _ matches: Bool) {
        #expect(Glob.matches(name, glob) == matches)
    }
}
