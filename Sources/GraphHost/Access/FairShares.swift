/// A bounded number of places, shared out among owners: each may have what there is, divided by the owners that have any.
///
/// When all are taken, an owner with more than its share loses its oldest: first the one that adds, else the one that has most.
public struct FairShares<Owner: Hashable, Member> {
    /// One place, and who has it for what.
    public final class Place {
        public let owner: Owner
        public let member: Member
        // The owner's places, from the oldest to the newest.
        fileprivate var next: Place?
        fileprivate unowned(unsafe) var previous: Place?
        fileprivate var isTaken = true

        fileprivate init(owner: Owner, member: Member) {
            self.owner = owner
            self.member = member
        }
    }

    /// One owner's places.
    private final class Share {
        let owner: Owner
        var count = 0
        private(set) var oldest: Place?
        private unowned(unsafe) var newest: Place?

        init(of owner: Owner) {
            self.owner = owner
        }

        deinit {
            // One by one: places that free each other would take as much stack as there are.
            while let first = oldest {
                oldest = first.next
                first.next = nil
            }
        }

        func append(_ place: Place) {
            place.previous = newest
            if let newest { newest.next = place } else { oldest = place }
            newest = place
            count += 1
        }

        func remove(_ place: Place) {
            let next = place.next
            if let next { next.previous = place.previous } else { newest = place.previous }
            if let previous = place.previous { previous.next = next } else { oldest = next }
            place.next = nil
            place.previous = nil
            count -= 1
        }
    }

    /// How many places there are.
    public let limit: Int
    /// How many are taken.
    public private(set) var count = 0
    private var shares: [Owner: Share] = [:]
    /// The owner that had most when that was last asked.
    private var largest: Share?

    /// So many places, none of them taken.
    public init(limit: Int) {
        self.limit = limit
    }

    /// How many places an owner has.
    public func count(of owner: Owner) -> Int { shares[owner]?.count ?? 0 }

    /// Takes a place.
    ///
    /// - Returns: the place, and the one that went for it.
    public mutating func add(_ member: Member, of owner: Owner) -> (place: Place, lost: Place?) {
        let share = shares[owner] ?? Share(of: owner)
        shares[owner] = share
        let lost = count >= limit ? makeRoom(for: share) : nil
        let place = Place(owner: owner, member: member)
        share.append(place)
        count += 1
        return (place, lost)
    }

    /// Gives a place back; without effect where it is gone already.
    public mutating func remove(_ place: Place) {
        guard place.isTaken, let share = shares[place.owner] else { return }
        place.isTaken = false
        count -= 1
        share.remove(place)
        guard share.count == 0 else { return }
        shares[place.owner] = nil
        if largest === share { largest = nil }
    }

    /// Makes a place the newest of its owner.
    public func renew(_ place: Place) {
        guard place.isTaken, let share = shares[place.owner] else { return }
        share.remove(place)
        share.append(place)
    }

    /// Gives back each owner's oldest places, as long as they are over.
    mutating func removeOldest(while isOver: (Member) -> Bool, _ removed: (Member) -> Void) {
        for share in Array(shares.values) {
            while let oldest = share.oldest, isOver(oldest.member) {
                remove(oldest)
                removed(oldest.member)
            }
        }
    }

    /// Gives one place back, so that `share` may have one more.
    private mutating func makeRoom(for share: Share) -> Place? {
        let fair = max(1, limit / shares.count)
        var loser = share
        if share.count < fair {
            // Asked again only when the one that had most has come down to its share.
            if largest.map({ $0.count <= fair }) ?? true {
                largest = shares.values.max { $0.count < $1.count }
            }
            loser = largest ?? share
        }
        let lost = loser.oldest
        if let lost { remove(lost) }
        // The owner that adds stays known, also when that was its only one.
        shares[share.owner] = share
        return lost
    }
}
