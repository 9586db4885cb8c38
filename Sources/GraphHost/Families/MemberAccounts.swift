/// The living members of families that one principal has brought to life (F-7).
final class MemberAccount {
    /// nil: all clients without a name together.
    fileprivate let principal: String?
    /// Those that live, and those that commits on their way will bring.
    fileprivate(set) var count = 0

    fileprivate init(_ principal: String?) {
        self.principal = principal
    }
}

/// Who has brought the living members of a host's families to life.
///
/// A member counts from its birth to its death for the principal whose set or subscription made it, even if another one sets it later. Those
/// that a definition makes count for nobody, and those of a snapshot for the principal that set them last.
final class MemberAccounts {
    private let nameless = MemberAccount(nil)
    private var named: [String: MemberAccount] = [:]
    /// The principal for which nodes are made now.
    private var current: MemberAccount?

    /// How many members a principal has.
    func count(of principal: String?) -> Int {
        guard let principal else { return nameless.count }
        return named[principal]?.count ?? 0
    }

    /// The members that are born meanwhile count for that principal.
    func bring<Result>(for principal: String?, _ make: () -> Result) -> Result {
        let outer = current
        current = account(of: principal)
        defer { current = outer }
        return make()
    }

    /// A member is born.
    func born(_ member: NamedNode) {
        guard let current else { return }
        member.account = current
        add(to: current)
    }

    /// A member has died, or is no member any more.
    func died(_ member: NamedNode) {
        guard let account = member.account else { return }
        member.account = nil
        remove(from: account)
    }

    /// A commit is on its way that will bring a member to life for that principal.
    func coming(for principal: String?) -> MemberAccount {
        let account = account(of: principal)
        add(to: account)
        return account
    }

    /// The commit has been answered.
    func came(for account: MemberAccount) { remove(from: account) }

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
