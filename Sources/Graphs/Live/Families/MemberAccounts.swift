/// Counts the living family members that one principal has created, and the bytes of those that it
/// has set last (F-7).
final class MemberAccount {
    /// nil: all clients without a name together.
    fileprivate let principal: String?
    /// Living members, and those that pending commits will create.
    fileprivate(set) var count = 0
    /// Bytes of their values, contexts and histories.
    fileprivate(set) var bytes = 0

    fileprivate init(_ principal: String?) {
        self.principal = principal
    }
}

/// Counts living family members by the principal that created them, and their bytes by the
/// principal that set them last.
///
/// A member counts from its creation to its end for the principal whose set or subscription created
/// it, even if another one sets it later. Members created by a definition count for no principal;
/// those of a snapshot count for the principal that set them last.
final class MemberAccounts {
    private let nameless = MemberAccount(nil)
    private(set) var named: [String: MemberAccount] = [:]
    /// Those of source families that listeners keep wanted.
    let wanted = WantedMembers()

    /// What counts for all principals together.
    var total: (count: Int, bytes: Int) {
        named.values.reduce((nameless.count, nameless.bytes)) { ($0.0 + $1.count, $0.1 + $1.bytes) }
    }

    func count(of principal: String?) -> Int {
        guard let principal else { return nameless.count }
        return named[principal]?.count ?? 0
    }

    /// A member has been created; `account` is charged for it (``LiveGraph/charging(_:_:)``).
    func created(_ member: NamedNode, for account: MemberAccount?) {
        guard let account else { return }
        member.account = account
        add(to: account)
    }

    /// Charges `account` for so many bytes that a member holds, in place of what was charged for it
    /// before.
    func charge(_ member: NamedNode, _ bytes: Int, to account: MemberAccount?) {
        if let payer = member.payer { change(payer) { $0.bytes -= Int(member.charged) } }
        member.payer = bytes == 0 ? nil : account
        member.charged = UInt32(clamping: bytes)
        if let payer = member.payer { change(payer) { $0.bytes += Int(member.charged) } }
    }

    func released(_ member: NamedNode) {
        charge(member, 0, to: nil)
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

    func account(of principal: String?) -> MemberAccount {
        guard let principal else { return nameless }
        return named[principal] ?? MemberAccount(principal)
    }

    private func add(to account: MemberAccount) { change(account) { $0.count += 1 } }

    private func remove(from account: MemberAccount) { change(account) { $0.count -= 1 } }

    /// Accounts of names are kept while something counts for them.
    private func change(_ account: MemberAccount, _ change: (MemberAccount) -> Void) {
        change(account)
        guard let principal = account.principal else { return }
        named[principal] = account.count == 0 && account.bytes == 0 ? nil : account
    }
}

extension LiveGraph {
    /// Charges that principal for the members created by `make`.
    package func charging<Result>(_ principal: String?, _ make: () -> Result) -> Result {
        let account = host.memory.members.account(of: principal)
        return present.during({ $0.payer = account }, make)
    }
}
