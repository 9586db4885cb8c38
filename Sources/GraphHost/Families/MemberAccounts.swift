/// Counts the living family members that one principal has created (F-7).
final class MemberAccount {
    /// nil: all clients without a name together.
    fileprivate let principal: String?
    /// Living members, and those that pending commits will create.
    fileprivate(set) var count = 0

    fileprivate init(_ principal: String?) {
        self.principal = principal
    }
}

/// Counts living family members by the principal that created them.
///
/// A member counts from its creation to its end for the principal whose set or subscription created
/// it, even if another one sets it later. Members created by a definition count for no principal;
/// those of a snapshot count for the principal that set them last.
final class MemberAccounts {
    private let nameless = MemberAccount(nil)
    private var named: [String: MemberAccount] = [:]
    /// The principal that is charged for members created now.
    private var current: MemberAccount?

    func count(of principal: String?) -> Int {
        guard let principal else { return nameless.count }
        return named[principal]?.count ?? 0
    }

    /// Charges that principal for the members created by `make`.
    func charging<Result>(_ principal: String?, _ make: () -> Result) -> Result {
        let outer = current
        current = account(of: principal)
        defer { current = outer }
        return make()
    }

    func created(_ member: NamedNode) {
        guard let current else { return }
        member.account = current
        add(to: current)
    }

    func released(_ member: NamedNode) {
        guard let account = member.account else { return }
        member.account = nil
        remove(from: account)
    }

    /// A pending commit will create a member for that principal.
    func reserve(for principal: String?) -> MemberAccount {
        let account = account(of: principal)
        add(to: account)
        return account
    }

    /// The pending commit has been answered.
    func unreserve(_ account: MemberAccount) { remove(from: account) }

    private func account(of principal: String?) -> MemberAccount {
        guard let principal else { return nameless }
        return named[principal] ?? MemberAccount(principal)
    }

    private func add(to account: MemberAccount) {
        account.count += 1
        if account.count == 1, let principal = account.principal { named[principal] = account }
    }

    private func remove(from account: MemberAccount) {
        account.count -= 1
        if account.count == 0, let principal = account.principal { named[principal] = nil }
    }
}
