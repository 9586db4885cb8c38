internal import ArgumentParser
internal import CommandSupport
internal import SluiceServer
internal import Support

struct MakeToken: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Make a token, and the entry by which a server knows it again.",
        discussion: """
            The token is printed first and is nowhere else: give it to whoever is to be let in. The entry goes into the file that \
            'auth' of the configuration names; it holds a hash only.

            EXAMPLES
              sluice token --name device:7 --can set --nodes 'room.*'
              sluice token --name alice --role owner --can read --can set --can admin >> config/tokens.yaml
              echo "$SECRET" | sluice token --name bob --hash
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
        if json {
            let shown = hash ? "null" : String(json: token.text)
            return Terminal.print("{\"token\":\(shown),\"entry\":\(String(json: entry))}")
        }
        if !hash { Terminal.note("token (shown once): \(token.text)") }
        Terminal.print(text: entry)
    }
}
