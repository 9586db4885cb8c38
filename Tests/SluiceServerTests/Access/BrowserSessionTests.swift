import LogTestSupport
import Support
import TLS
import Testing
import Values

@testable import SluiceServer

@Suite("Sessions of browsers are shared out among principals")
struct BrowserSessionTests {
    /// An authenticator with two principals, and their tokens.
    private func authenticator(
        _ limit: Int
    ) throws -> (Authenticator, loud: String, quiet: String, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let tokens = [Token().text, Token().text]
        write(["loud": tokens[0], "quiet": tokens[1]], folder)
        let made = Authenticator(
            try table(folder),
            sessionLife: 1_000_000,
            mostSessions: limit
        )
        return (made, tokens[0], tokens[1], folder)
    }

    private func table(_ folder: TemporaryFolder) throws -> TokenTable {
        try TokenTable.read(folder.path + "/tokens.yaml", limit: 1 << 20)
    }

    private func write(_ tokens: [String: String], _ folder: TemporaryFolder) {
        let entries = tokens.map { name, token in
            let digest = token.withBorrowedBytes { SHA256.digest($0) }
            let hex = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "  - { name: \(name), hash: \"sha256:\(hex)\", can: [read] }\n"
        }
        folder.write("tokens.yaml", "tokens:\n" + entries.joined())
    }

    private func signIn(_ token: String, _ authenticator: Authenticator, at now: UInt64) throws -> String {
        let outcome = token.withBorrowedBytes { authenticator.principal(token: $0, at: now) }
        guard case .known(let principal) = outcome else {
            throw HostError(.unauthenticated, "an unknown token")
        }
        return authenticator.signIn(principal, at: now)
    }

    private func isKnown(_ cookie: String, _ authenticator: Authenticator, at now: UInt64) -> Bool {
        let outcome = cookie.withBorrowedBytes { authenticator.principal(cookie: $0, at: now) }
        guard case .known = outcome else { return false }
        return true
    }

    @Test("limits.sessions: a principal that signs in again and again loses its own oldest, and no other's")
    func flood() throws {
        let (authenticator, loud, quiet, folder) = try authenticator(10)
        let mine = try (0..<3).map { try signIn(quiet, authenticator, at: $0) }
        let theirs = try (0..<200).map { try signIn(loud, authenticator, at: 100 + $0) }
        for cookie in mine { #expect(isKnown(cookie, authenticator, at: 500)) }
        #expect(
            theirs.map { isKnown($0, authenticator, at: 500) } == Array(repeating: false, count: 193)
                + Array(repeating: true, count: 7)
        )
        // Until it has its share, the quiet one takes the loud one's.
        let more = try (0..<4).map { try signIn(quiet, authenticator, at: 600 + $0) }
        #expect(
            (mine + more).map { isKnown($0, authenticator, at: 700) } == [
                false, false, true, true, true, true, true,
            ]
        )
        #expect(theirs.filter { isKnown($0, authenticator, at: 700) }.count == 5)
        withExtendedLifetime(folder) {}
    }

    @Test("a session ends with its time, by signing out, and when its principal goes; then its place is free")
    func ends() throws {
        let (authenticator, loud, quiet, folder) = try authenticator(2)
        let first = try signIn(loud, authenticator, at: 0)
        #expect(isKnown(first, authenticator, at: 900_000))
        #expect(isKnown(first, authenticator, at: 1_800_000), "its use made it last")
        #expect(!isKnown(first, authenticator, at: 2_800_000))
        let second = try signIn(loud, authenticator, at: 2_900_000)
        let value = second
        value.withBorrowedBytes { authenticator.signOut(cookie: $0) }
        #expect(!isKnown(second, authenticator, at: 2_900_001))
        let third = try signIn(loud, authenticator, at: 2_900_002)
        let fourth = try signIn(quiet, authenticator, at: 2_900_003)
        #expect(isKnown(third, authenticator, at: 2_900_004) && isKnown(fourth, authenticator, at: 2_900_004))
        write(["quiet": quiet], folder)
        _ = authenticator.take(try table(folder), [])
        authenticator.reviseSessions()
        #expect(
            !isKnown(third, authenticator, at: 2_900_005) && isKnown(fourth, authenticator, at: 2_900_005)
        )
        _ = try signIn(quiet, authenticator, at: 2_900_006)
        #expect(isKnown(fourth, authenticator, at: 2_900_007), "there was room")
    }
}
