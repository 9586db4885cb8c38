internal import ArgumentParser
internal import CommandSupport
internal import Definitions
internal import SluiceServer
internal import Values

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check graph definitions, or the whole configuration, without starting.",
        discussion: """
            Every problem is printed with file, line and column. Without files: everything that a start reads, the configuration, graphs, \
            tokens, certificate, folders, and the store, which is not changed.

            With --json a script gets {"graphs":1,"problems":[{"file","line","column","code","pointer","message","hint"}],"warnings":[]} on \
            standard output, whatever is wrong; the exit code is the same.

            EXAMPLES
              sluice check
              sluice check config/graphs/house.yaml
              sluice check --json config/graphs/*.yaml
            """
    )

    @Argument(help: "Graph definitions, YAML or JSON.")
    var files: [String] = []

    @Option(help: "The configuration file, where no definitions are named.")
    var config: String?

    @Flag(
        help:
            "Accept an address that is not loopback although clients need no token, as serve --insecure does."
    )
    var insecure = false

    @Flag(help: "Print a JSON object on standard output instead of lines.")
    var json = false

    func run() throws {
        var problems: [FileProblem] = []
        var warnings: [FileProblem] = []
        var count = 0
        if files.isEmpty {
            var reader = ConfigurationOptions.reader(config: config)
            reader.allowNoGraphs()
            if insecure { reader.allowInsecure() }
            let found = Server.check(reader.configuration)
            // If the configuration could not be read, its files may be others.
            problems = reader.problems + found.problems.filter { $0.file != nil || reader.problems.isEmpty }
            count = found.graphs
            warnings = reader.warnings.map { FileProblem($0) } + found.warnings
        } else {
            let options = DefinitionOptions(Configuration())
            for file in files {
                let result = GraphFolder.read(file: file, options)
                problems += result.problems
                warnings += (result.definition?.warnings ?? []).map { FileProblem($0) }
                count += result.definition == nil ? 0 : 1
            }
        }
        if json {
            let lists = [problems, warnings].map { $0.map(\.json).joined(separator: ",") }
            Terminal.print("{\"graphs\":\(count),\"problems\":[\(lists[0])],\"warnings\":[\(lists[1])]}")
        } else {
            for warning in warnings { Terminal.note("warning: \(warning)") }
            for problem in problems { Terminal.note("error: \(problem)") }
        }
        guard problems.isEmpty else { throw ExitCode(1) }
        guard !json else { return }
        Terminal.print(count == 1 ? "1 graph is fine" : "\(count) graphs are fine")
    }
}
