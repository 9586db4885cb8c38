internal import EventLoop
internal import GraphHost

/// Knows tokens and session cookies again, and says whom they stand for.
///
/// Tokens are looked up by their SHA-256, so that how long a look-up takes says nothing about a token.
final class Authenticator {
    /// How long a session cookie is good for after its last use.
    private let sessionLife: UInt64
    private let mostSessions: Int
    private var principals: [[UInt8]: Principal] = [:]
    private var cookies: [[UInt8]: Cookie] = [:]

    private struct Cookie {
        /// Of the token it was made from.
        let digest: [UInt8]
        var lastUse: UInt64
    }

    /// Reads the file of tokens.
    ///
    /// - Throws: everything that is wrong with it.
    init(file: String, sessionLife: UInt64, mostSessions: Int) throws(StartFailure) {
        self.sessionLife = sessionLife
        self.mostSessions = mostSessions
        try read(file: file)
    }

    /// Reads the file again; what is wrong with it leaves everything as it was.
    ///
    /// - Throws: everything that is wrong with it.
    func read(file path: String) throws(StartFailure) {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: 16 * 1024 * 1024).bytes
        } catch {
            throw StartFailure([FileProblem("auth: cannot be read (\(error.message))", file: path)])
        }
        let (document, syntax) = YAMLReader.read(bytes, file: path)
        guard let document else {
            guard syntax.isEmpty else { throw StartFailure(syntax.map { FileProblem($0) }) }
            throw StartFailure([FileProblem("auth: no tokens stand here", file: path)])
        }
        let (tokens, problems) = TokenFile.read(document, file: path)
        guard problems.isEmpty else { throw StartFailure(problems.map { FileProblem($0) }) }
        principals = Dictionary(tokens.map { ($0.digest, $0) }, uniquingKeysWith: { first, _ in first })
        cookies = cookies.filter { principals[$0.value.digest] != nil }
    }

    /// Whom a token stands for at a moment (milliseconds since 1970).
    func principal(token: UnsafeRawBufferPointer, at now: UInt64) -> Outcome {
        outcome(SHA256.digest(token), at: now)
    }

    /// What showing something came to.
    enum Outcome {
        case known(Principal)
        case expired
        case unknown
    }

    private func outcome(_ digest: [UInt8], at now: UInt64) -> Outcome {
        guard let principal = principals[digest] else { return .unknown }
        if let expires = principal.expires, expires <= now { return .expired }
        return .known(principal)
    }

    /// The principal whose token is the same as that of one from before the file was read again; nil: it is gone.
    func principal(like former: Principal) -> Principal? {
        principals[former.digest]
    }

    // MARK: - Sessions of browsers

    /// Makes a cookie for a token that is known.
    ///
    /// The one that was not used for longest goes where there are too many. Returns the cookie's value; nil for a token that
    /// is not known.
    func signIn(token: UnsafeRawBufferPointer, at now: UInt64) -> String? {
        let digest = SHA256.digest(token)
        guard case .known = outcome(digest, at: now) else { return nil }
        cookies = cookies.filter { now < $0.value.lastUse + sessionLife }
        if cookies.count >= mostSessions,
            let oldest = cookies.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            cookies[oldest.key] = nil
        }
        var value = Token().text
        let key = value.withUTF8 { SHA256.digest(UnsafeRawBufferPointer($0)) }
        cookies[key] = Cookie(digest: digest, lastUse: now)
        return value
    }

    /// Whom a cookie stands for; using it makes it last.
    func principal(cookie: UnsafeRawBufferPointer, at now: UInt64) -> Outcome {
        let key = SHA256.digest(cookie)
        guard let found = cookies[key] else { return .unknown }
        guard now < found.lastUse + sessionLife else {
            cookies[key] = nil
            return .expired
        }
        cookies[key]?.lastUse = now
        return outcome(found.digest, at: now)
    }

    /// Forgets a cookie.
    func signOut(cookie: UnsafeRawBufferPointer) {
        cookies[SHA256.digest(cookie)] = nil
    }
}
