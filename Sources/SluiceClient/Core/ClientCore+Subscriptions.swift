/// A subscription outlives its last listener by this: the next view may need the same.
private let linger = Duration.milliseconds(250)

extension ClientCore {
    /// Adds a listener to the subscription that asks for this, and makes one if there is none.
    ///
    /// If it is shared, an equal subscription will do, and may serve others.
    func join(_ fields: JSONObject, isShared: Bool, _ listener: Buffer) {
        lastKey += 1
        let key = isShared ? Subscription.Key.shared(fields) : .own(lastKey)
        let subscription = subscriptions[key] ?? Subscription(key: key, fields: fields)
        subscription.timer?.cancel()
        subscriptions[key] = subscription
        subscription.listeners.append(listener)
        homes[ObjectIdentifier(listener)] = subscription
        // A further listener gets the value that the others have.
        if let last = subscription.last, var meta = subscription.meta {
            meta.isSame = false
            listener.push(Emission(value: last["v"], meta: meta))
        }
        ask(subscription)
    }

    /// A listener no longer needs its subscription.
    func leave(_ listener: Buffer) {
        listener.finish()
        guard let subscription = homes.removeValue(forKey: ObjectIdentifier(listener)) else { return }
        subscription.listeners.removeAll { $0 === listener }
        guard subscription.listeners.isEmpty else { return }
        subscription.timer?.cancel()
        // One with a key of its own can be shared by no other view.
        guard case .shared(let fields) = subscription.key else { return unsubscribe(subscription) }
        subscription.timer = loop.after(linger) { core in
            guard let idle = core.subscriptions[.shared(fields)], idle.listeners.isEmpty else { return }
            core.unsubscribe(idle)
        }
    }

    /// Subscribes, where the connection does not have the subscription.
    func ask(_ subscription: Subscription) {
        guard isReady, subscription.id == nil, !subscription.listeners.isEmpty else { return }
        subscription.isNew = true
        do throws(SluiceError) {
            let id = try send(subscription.request(every: settings.every), path: subscription.path)
            subscription.id = id
            waiting[id] = .subscription(subscription)
        } catch {
            for listener in subscription.listeners { listener.push(Emission(ended: error, nil)) }
        }
    }

    private func unsubscribe(_ subscription: Subscription) {
        subscriptions[subscription.key] = nil
        subscription.isLeaving = true
        sendUnsub(subscription)
    }

    private func sendUnsub(_ subscription: Subscription) {
        guard let id = subscription.id else { return }
        // A message this short cannot be refused here.
        _ = try? send(["op": "unsub", "id": .integer(id)], path: nil)
    }

    /// The program has closed it: nothing follows.
    func finish(_ subscription: Subscription) {
        subscription.timer?.cancel()
        let closed = SluiceError("closed", "the client or the owner has been closed", path: subscription.path)
        for listener in subscription.listeners {
            listener.push(Emission(ended: closed, subscription.meta))
            listener.finish()
            homes[ObjectIdentifier(listener)] = nil
        }
        subscription.listeners = []
    }

    /// Ends all subscriptions that only this owner has.
    func release(owner: String) {
        if isReady { _ = try? send(["op": "release", "owner": .string(owner)], path: nil) }
        for subscription in [Subscription](subscriptions.values) {
            let others = subscription.owners.filter { $0 != owner }
            guard others.count < subscription.owners.count else { continue }
            subscriptions[subscription.key] = nil
            if others.isEmpty {
                finish(subscription)
            } else {
                // It goes on, but is no longer what an equal request would get.
                subscription.fields["owner"] = .array(others.map(JSONValue.string))
                lastKey += 1
                subscription.key = .own(lastKey)
                subscriptions[subscription.key] = subscription
            }
        }
    }

    /// The server has ended or refused it.
    ///
    /// It is asked for again with the next connection.
    func end(_ subscription: Subscription, _ message: JSONObject) {
        let error = SluiceError(message, path: subscription.path)
        let pause = error.retryAfter ?? .seconds(1)
        if subscription.isLeaving, error.code == "rate_limited" {
            // The server still has it.
            _ = loop.after(pause) { [id = subscription.id, number = attempt] core in
                guard let id, core.attempt == number, case .subscription(let each)? = core.waiting[id] else {
                    return
                }
                core.sendUnsub(each)
            }
            return
        }
        if let id = subscription.id { waiting[id] = nil }
        subscription.id = nil
        // The server stops; the subscription goes on with the next connection.
        if error.code == "shutdown" { return }
        subscription.ended = error.code
        if error.canRetry || error.code == "slow" {
            subscription.timer?.cancel()
            subscription.timer = loop.after(pause + pause / 4 * settings.random()) {
                [key = subscription.key] core in
                if let each = core.subscriptions[key] { core.ask(each) }
            }
        }
        for listener in subscription.listeners {
            listener.push(Emission(ended: error, subscription.meta))
        }
    }
}
