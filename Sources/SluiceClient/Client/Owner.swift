/// A named owner of subscriptions: a part of a program that ends all of its own at once.
///
/// `client.owner("panel")` is the same owner each time, until it is released; after that the name
/// may be used again.
public struct Owner: Sendable {
    let client: SluiceClient
    /// 1 to 64 letters, digits, `_`, `.` and `-`.
    public let name: String

    /// Ends all subscriptions that only this owner has.
    ///
    /// Their sequences end.
    public func release() {
        client.loop.send { [name] in $0.release(owner: name) }
    }

    /// Options with this owner.
    public func options(_ options: ListenOptions = .latest) -> ListenOptions {
        var options = options
        options.owners.append(name)
        return options
    }
}

extension SluiceClient {
    /// The owner with that name.
    public func owner(_ name: String) -> Owner {
        Owner(client: self, name: name)
    }
}
