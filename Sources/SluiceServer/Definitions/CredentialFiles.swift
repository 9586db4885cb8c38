internal import Definitions
internal import Values

/// What the files of tokens and issuers have.
struct CredentialFiles {
    let tokens: TokenTable
    let issuers: [Issuer]

    /// Reads both; throws the problems of both.
    init(_ configuration: Configuration) throws(StartFailure) {
        var (tokens, issuers) = (TokenTable([]), [Issuer]())
        var problems: [FileProblem] = []
        if !configuration.auth.isEmpty {
            problems += StartFailure.problems { () throws(StartFailure) in
                tokens = try TokenTable.read(configuration.auth, limit: configuration.fixed.tokens)
            }
        }
        if !configuration.issuers.isEmpty {
            problems += StartFailure.problems { () throws(StartFailure) in
                issuers = try IssuerFile.read(configuration.issuers, DefinitionOptions(configuration))
            }
        }
        guard problems.isEmpty else { throw StartFailure(problems) }
        (self.tokens, self.issuers) = (tokens, issuers)
    }
}
