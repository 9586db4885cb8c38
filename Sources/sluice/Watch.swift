internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Watch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Print a node's value now and whenever it changes, until interrupted.",
        discussion: """
            One line per value: on a terminal the word for it, if its definition has one ('words'), unless --json is given. A lost connection is made again, with growing pauses.

            EXAMPLES
              sluice watch host/cpu_percent
              sluice watch house/indoor_c --pipe '[{"map":"value * 9 / 5 + 32"},"distinct"]'
              sluice watch host/summary --every 5000
            """
    )

    @Argument(help: "graph/node, or a node's URL.")
    var node: String

    @Option(help: "Milliseconds between two values at the least.")
    var every = 0

    @Option(help: "Stages to run on the server, as a JSON list.")
    var pipe: String?

    @Flag(help: "Every value, not only the newest when the connection is slow.")
    var all = false

    @Flag(help: "Values as JSON, also on a terminal.")
    var json = false

    @Flag(help: "Also where each value has been and what has made it, on standard error.")
    var path = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let address = try NodeAddress(node, options)
        guard let name = address.node else { throw ValidationError("'\(node)' names a graph, not a node") }
        guard every >= 0 else { throw ValidationError("--every must be a number of milliseconds, 0 or more") }
        let subject = Watcher.Subject(
            graph: address.graph,
            node: name,
            every: every,
            wantsAll: all,
            wantsPath: path,
            pipe: pipe
        )
        guard let subject else { throw ValidationError("--pipe is not JSON") }
        let watcher = try Watcher(subject, at: address.service)
        watcher.onValue = Terminal.print(text:)
        if pipe == nil, !json, Terminal.isInteractive {
            let words = ValueWords(of: name, in: address.graph, from: address.service)
            watcher.onValue = { Terminal.print(text: words.text(for: $0)) }
        }
        watcher.onNote = Terminal.note(_:)
        do { try watcher.run() } catch { throw Terminal.failure("\(error)") }
    }
}
