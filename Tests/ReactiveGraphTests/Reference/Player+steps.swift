import TestSupport

// What a history does next.
extension Player {
    /// A graph to begin with: sources, what derives from them, what joins them, and listeners.
    func firstSteps() -> [Step] {
        let sources = 2 + random.below(3)
        var steps: [Step] = (0..<sources).map { .make($0, value: random.chance(1, in: 5) ? nil : value()) }
        for place in sources..<Places.nodes {
            if random.chance(1, in: 2) {
                let from = (0..<(2 + random.below(2))).map { _ in random.below(place) }
                steps.append(.join(place, from: from, several()))
            } else {
                steps.append(.derive(place, from: random.below(place), operation()))
            }
        }
        for _ in 0..<(2 + random.below(8)) { steps.append(listen()) }
        for _ in 0..<random.below(4) { steps.append(connect()) }
        return steps
    }

    func makeStep() -> Step {
        switch random.below(100) {
        case 0..<3: .make(place(), value: random.chance(1, in: 4) ? nil : value())
        case 3..<10: .derive(place(), from: place(), operation())
        case 10..<16: .join(place(), from: (0..<(2 + random.below(3))).map { _ in place() }, several())
        case 16..<46: .set(lowPlace(), value(), context: context(), followsPath: random.chance(1, in: 2))
        case 46..<48: .set(lowPlace(), nil, context: context(), followsPath: false)
        case 48: .setLater(lowPlace(), random.chance(1, in: 5) ? nil : value(), context: context())
        case 49..<56: .batch(entries(), context: context())
        case 56..<64: connect()
        case 64..<65: .makeEdge(edge(), site: nextSite())
        case 65..<67: .aimFrom(edge: edge(), maybePlace())
        case 67..<69: .aimTo(edge: edge(), maybePlace())
        case 69..<72: .aimUpstream(place(), random.below(3), from: maybePlace())
        case 72..<74: .aimDownstream(place(), random.below(3), to: maybePlace())
        case 74..<82: listen()
        default: makeEnd()
        }
    }

    /// A step from outside, where time can go by.
    func makeOuterStep() -> Step {
        switch random.below(14) {
        case 0, 1: .advance(random.below(5))
        case 2: .runPosts
        default: makeStep()
        }
    }

    private func connect() -> Step {
        if random.chance(1, in: 4) {
            let owner: Holder? = random.chance(1, in: 3) ? holder(withBag: false) : nil
            let site = random.chance(1, in: 4) ? nextSite() : nil
            return .sync(place(), place(), owner, site: site, ticket: ticket())
        }
        if random.chance(1, in: 2) {
            return .link(place(), to: place(), replay: random.chance(4, in: 5), ticket: ticket())
        }
        return .linkEdge(place(), to: place(), edge: edge(), site: nextSite(), ticket: ticket())
    }

    /// Something ends.
    private func makeEnd() -> Step {
        switch random.below(15) {
        case 0: .disconnectEdge(edge())
        case 1: .unlink(place(), upstream: place())
        case 2: .unlinkDownstream(place(), place())
        case 3: random.chance(1, in: 2) ? .unlinkAllUpstream(place()) : .unlinkAllDownstream(place())
        case 4: .stopListening(place(), holder())
        case 5, 6: .cancel(ticket: ticket())
        case 7: .dropTicket(ticket())
        case 8: random.chance(1, in: 3) ? .cancelBag(random.below(Places.owners)) : .dropOwner(holder())
        case 9: .dropOwner(holder())
        case 10, 11: .dropNode(place())
        case 12: .dropEdge(edge())
        case 13: .collect
        default: .askListeners(place())
        }
    }

    private func listen() -> Step {
        let hearing: Hearing =
            switch random.below(6) {
            case 0, 1: .value
            case 2, 3: .context
            case 4: settings.keepsPaths ? .path : .value
            default: .emission
            }
        return .listen(
            place(),
            holder(),
            hearing,
            replay: random.chance(4, in: 5),
            later: random.chance(1, in: 6),
            site: nextSite(),
            ticket: ticket()
        )
    }

    private func operation() -> Operation {
        switch random.below(20) {
        case 0: .fork
        case 1, 2: .map(site: nextSite())
        case 3: .mapReplace(value())
        case 4: .filter(site: nextSite())
        case 5: .ignore(value())
        case 6: .select(value())
        case 7: .skip(random.below(3))
        case 8: .take(random.below(4))
        case 9: .prefix(random.below(4))
        case 10: .distinct
        case 11: .scan(site: nextSite())
        case 12, 13, 14: .flatten(site: nextSite())
        case 15: .delay(1 + random.below(4))
        case 16: .debounce(1 + random.below(4), burst())
        case 17: .sample(1 + random.below(4))
        case 18: .deliver
        default: .transform(site: nextSite())
        }
    }

    private func several() -> Several {
        switch random.below(8) {
        case 0: .merge
        case 1, 2, 3: .combine(site: nextSite())
        case 4: .combineArray(site: nextSite())
        case 5, 6: .zip(site: nextSite(), room())
        default: .join(site: nextSite())
        }
    }

    private func room() -> Room {
        switch random.below(6) {
        case 0: .dropOldest(1 + random.below(2))
        case 1: .dropNewest(1 + random.below(2))
        case 2: .fail(1 + random.below(2))
        default: .unlimited
        }
    }

    private func entries() -> [(place: Int, value: Int?)] {
        (0..<(1 + random.below(4))).map { _ in (place(), random.chance(1, in: 6) ? nil : value()) }
    }

    private func burst() -> Burst {
        switch random.below(4) {
        case 0: .first
        case 1: .both
        default: .last
        }
    }

    private func holder(withBag: Bool = true) -> Holder {
        switch random.below(withBag ? 3 : 2) {
        case 2: .bag(random.below(Places.owners))
        case 0: .owner(random.below(Places.owners))
        default: .foreign(random.below(Places.owners))
        }
    }

    private func place() -> Int { random.below(Places.nodes) }
    /// Sources stand in the low places, at first.
    private func lowPlace() -> Int { random.chance(3, in: 4) ? random.below(4) : place() }
    private func maybePlace() -> Int? { random.chance(1, in: 4) ? nil : place() }
    private func edge() -> Int { random.below(Places.edges) }
    private func ticket() -> Int { random.below(Places.tickets) }
    private func value() -> Int { random.below(12) }
    private func context() -> Int? { random.chance(1, in: 2) ? random.below(100) : nil }
}
