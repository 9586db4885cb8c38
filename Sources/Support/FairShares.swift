/// A bounded number of places, shared among owners.
///
/// The fair share of each owner is the limit divided by the number of owners that hold a place.
///
/// When all places are taken, an owner above its share loses its oldest place: the owner that adds
/// one, if it is above its share, otherwise the owner with the most places.
public struct FairShares<Owner: Hashable, Member> {
    /// One place: its owner, and what the owner uses it for.
    public final class Place {
        public let owner: Owner
        public let member: Member
        // The owner's places, from the oldest to the newest.
        fileprivate var next: Place?
        fileprivate unowned var previous: Place?
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
        private unowned var newest: Place?

        init(of owner: Owner) {
            self.owner = owner
        }

        deinit {
            // Iterative, because places that free each other would need stack in proportion to
            // their number.
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

    /// The number of places.
    public let limit: Int
    /// The number of places taken.
    public private(set) var count = 0
    private var shares: [Owner: Share] = [:]
    /// The owner that had the most places when this was last determined.
    private var largest: Share?

    /// A number of places, none of them taken.
    public init(limit: Int) {
        self.limit = limit
    }

    public func count(of owner: Owner) -> Int { shares[owner]?.count ?? 0 }

    /// Takes a place.
    ///
    /// - Returns: the place, and the one that was removed to make room for it.
    public mutating func add(_ member: Member, of owner: Owner) -> (place: Place, lost: Place?) {
        let share = shares[owner] ?? Share(of: owner)
        shares[owner] = share
        let lost = count >= limit ? makeRoom(for: share) : nil
        let place = Place(owner: owner, member: member)
        share.append(place)
        count += 1
        return (place, lost)
    }

    /// Gives a place back; no effect if it was removed already.
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

    /// Removes each owner's oldest places while `isOver` says that they are over.
    public mutating func removeOldest(while isOver: (Member) -> Bool, _ removed: (Member) -> Void) {
        for share in Array(shares.values) {
            while let oldest = share.oldest, isOver(oldest.member) {
                remove(oldest)
                removed(oldest.member)
            }
        }
    }

    /// Removes one place so that `share` may get another.
    private mutating func makeRoom(for share: Share) -> Place? {
        let fair = max(1, limit / shares.count)
        var loser = share
        if share.count < fair {
            // Determined again only after the largest owner has shrunk to its fair share.
            if largest.map({ $0.count <= fair }) ?? true {
                largest = shares.values.max { $0.count < $1.count }
            }
            loser = largest ?? share
        }
        let lost = loser.oldest
        if let lost { remove(lost) }
        // The adding owner stays registered even if it lost its only place.
        shares[share.owner] = share
        return lost
    }
}
