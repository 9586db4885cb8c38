internal import Definitions
internal import EventLoop
internal import HTTP
internal import JOSE
internal import Outbound
internal import Support
internal import TLS
internal import Values

/// One look at the keys that an issuer publishes; dropping it gives it up.
final class KeyFetch {
    /// Why there are none, as one sentence.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ sentence: String) { description = sentence }
    }

    /// How long one answer may take: a client that waits for it has five seconds to send a token.
    private static var limit: Duration { .seconds(4) }

    private let issuer: String
    private let trust: TLSContext?
    private let rsa: SignatureAlgorithm
    private let loop: Loop
    private let done: (Result<KeySet, Failure>) -> Void
    private var client: HTTPClient?

    /// `done` is called once, in a later turn.
    init(
        _ source: Issuer.KeySource,
        of issuer: String,
        _ trust: TLSContext?,
        _ rsa: SignatureAlgorithm,
        on loop: Loop,
        _ done: @escaping (Result<KeySet, Failure>) -> Void
    ) {
        (self.issuer, self.trust, self.rsa, self.loop, self.done) = (issuer, trust, rsa, loop, done)
        switch source {
        case .file: break
        case .address(let url): fetchKeys(url)
        case .discovery(let url): get(url) { [weak self] in self?.discovered($0) }
        }
    }

    /// The metadata of the issuer; it must be that of no other (OpenID Connect Discovery 1.0 §4.3).
    private func discovered(_ body: [UInt8]) {
        let address = body.withBorrowedBytes { bytes -> String? in
            guard let metadata = try? JSONReader(checking: bytes), metadata["issuer"]?.string == issuer else {
                return nil
            }
            return metadata["jwks_uri"]?.string
        }
        guard let address else {
            return done(.failure(Failure("its metadata has another issuer, or no 'jwks_uri'")))
        }
        guard let url = RemoteURL(address) else {
            return done(.failure(Failure("'jwks_uri' of its metadata is not a URL of https or http")))
        }
        fetchKeys(url)
    }

    private func fetchKeys(_ url: RemoteURL) {
        get(url) { [weak self] body in
            guard let self else { return }
            do throws(JOSEError) {
                let set = try body.withBorrowedBytes { bytes throws(JOSEError) in
                    try KeySet(bytes, rsa: self.rsa)
                }
                done(.success(try set.withoutSecrets()))
            } catch {
                done(.failure(Failure("\(url): \(error)")))
            }
        }
    }

    private func get(_ url: RemoteURL, _ take: @escaping ([UInt8]) -> Void) {
        guard let server = ServiceURL(url.origin) else {
            return loop.soon { [weak self] in self?.done(.failure(Failure("\(url) cannot be reached"))) }
        }
        let client = HTTPClient(server, on: loop, limit: Self.limit, mostBytes: KeySet.mostBytes)
        client.trust = trust
        self.client = client
        client.send(.get, url.target, headers: [("Accept", "application/json")]) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let answer) where answer.status == 200 && answer.coding == nil: take(answer.body)
            case .success(let answer):
                done(.failure(Failure("\(url) answered with status \(answer.status)")))
            case .failure(let failure): done(.failure(Failure("\(failure)")))
            }
        }
    }
}
