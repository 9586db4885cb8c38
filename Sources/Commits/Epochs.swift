/// The epochs of a graph's history: the present one, and the earlier ones that lead up to it.
///
/// A store may be put back to an older copy while no server uses it, and a server that starts on it
/// cannot know that. Revs that were answered since the copy was made are then made a second time,
/// with other values. So each start begins an epoch, and the store keeps up to which rev the
/// present history has what each earlier epoch had. A cursor of an earlier epoch is valid up to
/// that rev.
public struct Epochs: Hashable, Sendable {
    /// An earlier epoch.
    struct Former: Hashable {
        let name: String
        /// The last rev that the present history shares with it.
        var last: UInt64
    }

    /// How many earlier epochs are kept.
    ///
    /// A cursor of an even earlier one is not valid any more.
    public static let mostFormer = 64

    /// The epoch of new commits.
    public private(set) var present: String
    /// The earlier ones, newest first, so that `last` never rises.
    private var former: [Former] = []

    /// A history that begins with this epoch.
    public init(_ present: String) {
        self.present = present
    }

    /// What ``earlier`` was for the earlier epochs; what is not in that form is left out.
    public init(_ present: String, earlier: some StringProtocol) {
        self.present = present
        for text in earlier.split(separator: " ").prefix(Self.mostFormer) {
            let parts = text.split(separator: "@")
            guard parts.count == 2, let last = UInt64(parts[1]) else { continue }
            former.append(Former(name: String(parts[0]), last: min(last, former.last?.last ?? last)))
        }
    }

    /// The earlier epochs as a store keeps them: each `NAME@LAST`, with spaces between them.
    public var earlier: String { former.map { "\($0.name)@\($0.last)" }.joined(separator: " ") }

    /// The server starts: revs above `rev` belong to a new epoch.
    ///
    /// What earlier epochs had above `rev` is not in the history.
    public mutating func begin(_ name: String, after rev: UInt64) {
        former.insert(Former(name: present, last: rev), at: 0)
        former.removeLast(max(0, former.count - Self.mostFormer))
        for place in former.indices { former[place].last = min(former[place].last, rev) }
        present = name
    }

    /// Whether what a client knows of `rev` in `epoch` is what the present history has.
    public func hold(_ rev: UInt64, of epoch: some StringProtocol) -> Bool {
        lastRev(of: epoch).map { rev <= $0 } ?? false
    }

    /// The last rev that the present history shares with an epoch; of the present one all revs, of
    /// an unknown one none (nil).
    public func lastRev(of epoch: some StringProtocol) -> UInt64? {
        epoch == present ? .max : former.first { $0.name == epoch }?.last
    }

    /// The epoch in which the commit `rev` was made, or the earliest that is known to have it.
    ///
    /// It stays the same when the server starts again, so an entity tag is made of it.
    public func epoch(of rev: UInt64) -> String {
        former.prefix { rev <= $0.last }.last?.name ?? present
    }
}
