internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient
internal import SluiceServer
internal import Support

struct MakeToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token, and the entry by which a server knows it again.",
        discussion: """
            The token is printed first and is nowhere else: give it to whoever is to be let in. The entry goes into the file that \
            'auth' of the configuration names; it holds a hash only. With --url a running server takes the entry instead, and keeps it in \
            its store or in Redis: it counts at once, at every server, and `sluice revoke` ends it. SLUICE_TOKEN then has a token with the \
            right 'admin'.

            EXAMPLES
              sluice token --name device:7 --can set --nodes 'room.*'
              sluice token --name alice --role owner --can read --can set --can admin >> config/tokens.yaml
              echo "$SECRET" | sluice token --name bob --hash
              sluice token --name device:8 --can set --url https://sluice.example.org
            """
    )

    @Option(help: "Whom the token stands for, such as device:7 or alice.")
    var name: String

    @Option(help: "A role that graphs' access rules speak of; may be given several times.")
    var role: [String] = []

    @Option(
        help:
            "read, pipe, set, observe, metrics, dashboards or admin; several times. Without: read, pipe, set."
    )
    var can: [String] = []

    @Option(help: "A name or glob of graphs; may be given several times. Without: all.")
    var graphs: [String] = []

    @Option(help: "A name or glob of nodes; may be given several times. Without: all.")
    var nodes: [String] = []

    @Option(help: "When it ends, such as 2027-01-01T00:00:00Z. Without: never.")
    var expires: String?

    @Flag(help: "Read the token from standard input instead of making one.")
    var hash = false

    @Flag(help: "Print {\"token\",\"entry\"} as JSON on standard output.")
    var json = false

    @Option(help: "The address of a running server that takes the entry.")
    var url: String?

    @Option(help: "For https: a PEM file of the authorities to trust, instead of the system's.")
    var ca: String?

    func run() throws {
        let token: Token
        if hash {
            guard let line = readLine(), let given = Token(line) else {
                throw Terminal.failure("a token has 16 to 512 visible ASCII characters, on one line")
            }
            token = given
        } else {
            token = Token()
        }
        let entry = TokenText.entry(
            name: name,
            hash: token.hash,
            roles: role,
            can: can,
            graphs: graphs,
            nodes: nodes,
            expires: expires
        )
        if let problem = TokenText.problem(with: entry) { throw ValidationError(problem) }
        if let service = try service() { return try make(token, at: service) }
        if json {
            let shown = hash ? "null" : String(json: token.text)
            return Terminal.print("{\"token\":\(shown),\"entry\":\(String(json: entry))}")
        }
        if !hash { Terminal.note("token (shown once): \(token.text)") }
        Terminal.print(text: entry)
    }

    private func service() throws -> ServiceURL? {
        guard let url, var service = try ServiceOptions.named(url) else { return nil }
        service.authorities = ca
        service.token = try ServiceOptions.token()
        return service
    }

    /// Has a server take the entry; it does not see the token.
    private func make(_ token: Token, at service: ServiceURL) throws {
        let request = ServiceTokens.Request(
            [("name", name), ("hash", token.hash), ("expires", expires)],
            lists: [("roles", role), ("can", can), ("graphs", graphs), ("nodes", nodes)]
        )
        let made = try Terminal.reporting { try ServiceTokens.make(request, at: service) }
        if json {
            let shown = hash ? "null" : String(json: token.text)
            return Terminal.print("{\"token\":\(shown),\"id\":\(String(json: made.id))}")
        }
        if !hash { Terminal.note("token (shown once): \(token.text)") }
        Terminal.print(made.id)
    }
}
