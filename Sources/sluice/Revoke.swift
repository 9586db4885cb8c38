internal import ArgumentParser
internal import CommandSupport
internal import Outbound
internal import ServiceClient

struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Have a running server refuse a token from now on.",
        discussion: """
            Its sessions end at once, at every server that shares the log. Named is a token that was made at the server by its id (`sluice \
            tokens` lists them), or one of an issuer by its claim 'jti', or all tokens of a subject by 'sub'. SLUICE_TOKEN has a token with \
            the right 'admin'.

            EXAMPLES
              sluice revoke m23tdq9qyv
              sluice revoke --issuer plant --jti 0b8c9f0e-8f0c --expires 2027-01-01T00:00:00Z
              sluice revoke --issuer plant --sub alice --before 2026-11-30T12:00:00Z
              sluice revoke --back 1f0c2e7a9b3d5566
            """
    )

    @Argument(help: "The id of a token that was made at the server.")
    var id: String?

    @Option(help: "The issuer's name, or its claim 'iss'.")
    var issuer: String?

    @Option(help: "The claim 'jti' of one token.")
    var jti: String?

    @Option(help: "The claim 'sub' of a client: all its tokens.")
    var sub: String?

    @Option(help: "Only tokens that were issued before, such as 2026-11-30T12:00:00Z.")
    var before: String?

    @Option(help: "When the token ends by itself: then the entry is taken out. Without: never.")
    var expires: String?

    @Option(help: "The id of a revocation to take back.")
    var back: String?

    @OptionGroup var options: ServiceOptions

    func validate() throws {
        guard [id, issuer, back].count(where: { $0 != nil }) == 1 else {
            throw ValidationError(
                "name the id of a token, or --issuer with --jti or --sub, or --back with an id"
            )
        }
        let others = [jti, sub, before, expires]
        guard issuer != nil || others.allSatisfy({ $0 == nil }) else {
            throw ValidationError("--jti, --sub, --before and --expires need --issuer")
        }
        guard issuer == nil || jti != nil || sub != nil else {
            throw ValidationError("--issuer needs --jti or --sub")
        }
    }

    func run() throws {
        let service = try options.service()
        try Terminal.reporting {
            if let id { return try ServiceTokens.remove(id, at: service) }
            if let back { return try ServiceTokens.remove(back, isRevocation: true, at: service) }
            let texts: [(key: StaticString, text: String?)] = [
                ("issuer", issuer), ("jti", jti), ("sub", sub), ("before", before), ("expires", expires),
            ]
            let made = try ServiceTokens.revoke(ServiceTokens.Request(texts), at: service)
            Terminal.print(made.id)
        }
    }
}
