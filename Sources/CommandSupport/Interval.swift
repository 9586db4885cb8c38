internal import ArgumentParser

/// A span of time as people write it: `250ms`, `1s`, `1.5s`, `2m`; a bare number means seconds.
package struct Interval: ExpressibleByArgument {
    package let duration: Duration

    package init(_ duration: Duration) { self.duration = duration }

    package init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        var number = Substring(argument)
        var scale = 1.0
        if let unit = units.first(where: { argument.hasSuffix($0.suffix) }) {
            number = number.dropLast(unit.suffix.count)
            scale = unit.seconds
        }
        guard let value = Double(number), value.isFinite, value > 0, value * scale <= 86_400 else {
            return nil
        }
        duration = .seconds(value * scale)
    }

    /// How the help shows a default.
    package var defaultValueDescription: String { "\(duration / .seconds(1))s" }
}
