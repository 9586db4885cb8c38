internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where `serve` and `check` take the configuration from.
enum ConfigurationOptions {
    /// The files of which the first one there is read, where none is named.
    static let standardFiles = ["sluice.yaml", "config/sluice.yaml"]

    /// Reads file, environment and command line; says what is wrong and ends with 1 otherwise.
    static func read(
        config: String?,
        listen: String?,
        settings: [String],
        insecure: Bool
    ) throws -> ConfigurationReader {
        var reader = reader(config: config)
        for setting in settings {
            guard let equals = setting.firstIndex(of: "=") else {
                throw ValidationError("--set takes key=value, not '\(setting)'")
            }
            reader.set(String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
        }
        if let listen { reader.set("listen", listen) }
        if insecure { reader.allowInsecure() }
        guard reader.problems.isEmpty else {
            for problem in reader.problems { Terminal.note("error: \(problem)") }
            throw ExitCode(1)
        }
        return reader
    }

    /// Reads file and environment; what is wrong stands in the reader.
    static func reader(config: String?) -> ConfigurationReader {
        var reader = ConfigurationReader()
        let file = config ?? standardFiles.first { access($0, R_OK) == 0 }
        if let file { reader.read(file: file) }
        reader.read(environment: environment())
        return reader
    }

    private static func environment() -> [String: String] {
        var variables: [String: String] = [:]
        var place = environ
        while let entry = place.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            place += 1
        }
        return variables
    }
}
