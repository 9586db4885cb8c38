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
        if random.chance(1, in: 3) {
            steps.append(
                .makeSwitch(
                    0,
                    from: random.below(sources),
                    site: nextSite(),
                    keys(),
                    releasesUnused: random.chance(1, in: 2)
                )
            )
            for _ in 0..<(1 + random.below(3)) { steps.append(.makeCase(place(), from: 0, choice())) }
        }
        return steps
    }

    func makeStep() -> Step {
        switch random.below(117) {
        case 109..<117: owning()
        case 100..<105: switching()
        case 105..<109: naming()
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

    private func switching() -> Step {
        let one = random.below(Places.switches)
        switch random.below(8) {
        case 0, 1:
            return .makeSwitch(
                one,
                from: place(),
                site: nextSite(),
                keys(),
                releasesUnused: random.chance(1, in: 2)
            )
        case 2: return .dropSwitch(one)
        case 3:
            let bag = random.below(Places.owners)
            return .listenSwitch(
                one,
                bag: bag,
                replay: random.chance(2, in: 3),
                site: nextSite(),
                ticket: ticket()
            )
        default: return .makeCase(place(), from: one, choice())
        }
    }

    private func keys() -> Keys {
        switch random.below(4) {
        case 0: .evictOldest(1 + random.below(3))
        case 1: .fail(1 + random.below(3))
        default: .all
        }
    }

    private func choice() -> Choice {
        switch random.below(6) {
        case 0: .missing
        case 1: .otherwise([random.below(3), random.chance(1, in: 2) ? nil : random.below(3)])
        default: .key(random.below(3))
        }
    }

    private func owning() -> Step {
        let ear = random.below(Places.ears)
        switch random.below(8) {
        case 0, 1, 2:
            let owner = random.chance(1, in: 2) ? holder(withBag: false) : nil
            return .addEar(place(), ear: ear, owner: owner, site: nextSite())
        case 3, 4:
            let identity = random.chance(1, in: 2) ? random.below(2) : nil
            return .addClosure(place(), owner: holder(withBag: false), identity: identity, site: nextSite())
        case 5: return .dropEar(ear)
        default:
            return .removeOwner(
                place(),
                ear: random.chance(1, in: 3) ? ear : nil,
                holder(withBag: false)
            )
        }
    }

    private func naming() -> Step {
        let name = random.below(Places.names)
        switch random.below(16) {
        case 0: return .find(place(), name: name)
        case 1: return .removeName(name)
        case 2: return .setKeeping(name: name, keeping())
        case 3, 4: return .flush
        case 5: return .wipe(all: random.chance(1, in: 3))
        case 6: return .setLimit(1 + random.below(5))
        default: return .lookUp(place(), name: name, keeping())
        }
    }

    private func keeping() -> Keeping? {
        switch random.below(8) {
        case 0: .whileInUse
        case 1: .untilPressure
        case 2: .always
        default: nil
        }
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
        switch random.below(22) {
        case 0: .fork
        case 1, 2: .map(site: nextSite())
        case 3: .replace(value())
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
        case 17: .sample(1 + random.below(4), burst())
        case 18: .deliver
        case 19: .schedule(1 + random.below(4))
        case 20: .between(1 + random.below(4))
        default: .transform(site: nextSite())
        }
    }

    private func several() -> Several {
        switch random.below(10) {
        case 0: .merge
        case 8, 9: .passive(site: nextSite())
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
