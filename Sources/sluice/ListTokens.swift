internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct ListTokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "List the tokens that were made at a running server, and what was revoked at it.",
        discussion: """
            A line for each: its id, whom it stands for, what it may do, when it ends, and who has made it. The tokens themselves are \
            nowhere. SLUICE_TOKEN has a token with the right 'admin'.

            EXAMPLES
              sluice tokens
              sluice tokens --revoked --url https://sluice.example.org
            """
    )

    @Flag(help: "The revocations of issuers' tokens instead.")
    var revoked = false

    @Flag(help: "Print the server's answer as it is.")
    var json = false

    @OptionGroup var options: ServiceOptions

    func run() throws {
        let service = try options.service()
        let list = try Terminal.reporting { try ServiceTokens.list(revocations: revoked, at: service) }
        if json { return Terminal.print(text: list.text) }
        for line in list.lines { Terminal.print(line) }
    }
}
