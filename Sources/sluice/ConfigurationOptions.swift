internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer
internal import Platform

/// The sources of the configuration for `serve` and `check`.
enum ConfigurationOptions {
    /// Without `--config`, the first of these files that exists is read.
    static let standardFiles = ["sluice.yaml", "config/sluice.yaml"]

    /// Reads file, environment and command line; prints problems and exits with 1 if there are any.
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

    /// Reads file and environment; the reader has the problems.
    static func reader(config: String?) -> ConfigurationReader {
        var reader = ConfigurationReader()
        let file = config ?? standardFiles.first { unsafe access($0, R_OK) == 0 }
        if let file { reader.read(file: file) }
        reader.read(environment: environmentVariables())
        return reader
    }
}
