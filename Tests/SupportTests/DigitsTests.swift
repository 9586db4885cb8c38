import Support
import TestSupport
import Testing

@Suite("Digits")
struct DigitsTests {
    private func text(_ number: Double) -> String? {
        number.withFewDigits { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "numbers with at most three digits after the point are written in full",
        arguments: [
            (0, "0"), (-0.0, "-0"), (1, "1"), (-21.5, "-21.5"), (0.05, "0.05"), (0.001, "0.001"),
            (100.25, "100.25"),
            (1_000, "1000"), (999_999_999_999.999, "999999999999.999"),
        ]
    )
    func few(number: Double, expected: String) {
        #expect(text(number) == expected)
    }

    @Test(
        "other numbers are not written",
        arguments: [0.0001, 1e-300, 1.0 / 3, 1e12, 0.1 + 0.2, .infinity, -.infinity, .nan]
    )
    func others(number: Double) {
        #expect(text(number) == nil)
    }

    @Test("what is written is the shortest text, as the standard library has it")
    func shortest() {
        var random = SeededGenerator(seed: 3)
        for round in 0..<20_000 {
            let digits = Int64.random(in: 0..<1_000_000_000_000_000 >> Int64(round % 40), using: &random)
            let number = Double(digits) / 1_000
            let description = number.description
            #expect(
                text(number) == (description.hasSuffix(".0") ? String(description.dropLast(2)) : description)
            )
        }
    }
}
