import Commits
import DiskSupport
import SQLiteLog
import TestSupport
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions

// How servers start and end, and what a start finds on the disk.
extension World {
    func note(_ answer: Tap.Answer) {
        switch answer {
        case .submitted(let entry):
            if entry.isOfLink { counts.led += 1 }
            if let fault = book.fault(submitting: entry) { complain(fault) }
        case .refused(let entry): if !disk.hasStopped { refused.append(entry) }
        case .committed(let entry, let stamp):
            if ledger.histories[entry.graph] == nil {
                let epoch = (try? server?.log.open(graph: entry.graph).epoch) ?? ""
                ledger.histories[entry.graph] = Ledger.History(epoch: epoch)
            }
            let rev = ledger.histories[entry.graph]?.rev ?? 0
            if stamp.rev != rev + 1 { complain("\(entry.graph): rev \(stamp.rev) is answered behind \(rev)") }
            ledger.histories[entry.graph]?.add(Ledger.Record(entry: entry, stamp: stamp))
            if let fault = ledger.histories[entry.graph].map({ book.fault(of: entry, in: $0) }) ?? nil {
                complain("\(entry.graph) rev \(stamp.rev): \(fault)")
            }
        }
    }

    func start(mayLose: Bool) {
        let wasIll = server.map { $0.log.health != .ready } ?? false
        for peer in peers { peer.lose() }
        openers = [:]
        server = nil
        book.forgetEnded()
        disk.fault = .nothing
        disk.capacity = .max
        starts += 1
        counts.starts += 1
        do {
            let server = try Server(disk, durability, epoch: "e\(starts)", clock: clock, book) {
                [unowned self] in
                note($0)
            }
            self.server = server
            for object in [server.host, server.log, disk] as [AnyObject] {
                mortals.append(Mortal(object: object))
            }
            let stored = server.host.storedGraphs.map(\.name)
            for name in Set(ledger.histories.keys).union(stored).sorted() {
                try takeOver(name, server, mayLose: mayLose, maySeeRefused: wasIll)
            }
            if stored != ledger.living { complain("the log has \(stored), not \(ledger.living)") }
            for name in stored where try server.host.restore(graph: name) == nil {
                complain("\(name) is missing")
            }
            if server.host["g"] == nil { define("g") }
            server.endTurn()
            server.settle()
        } catch {
            complain("start \(starts): \(error)")
        }
        refused = []
        for peer in peers {
            if let clients = server?.clients { peer.connect(to: clients) }
        }
        // It was built from the disk just now.
        compare(withDisk: false)
    }

    /// Holds what a start has found against the ledger.
    func takeOver(_ name: String, _ server: Server, mayLose: Bool, maySeeRefused: Bool) throws {
        let position = try server.log.open(graph: name)
        // The first commit of a graph may have arrived without an answer, too.
        var history = ledger.histories[name] ?? Ledger.History(epoch: position.epoch)
        if position.rev < history.rev {
            counts.lost += Int(history.rev - position.rev)
            if !mayLose { complain("\(name): revs from \(position.rev + 1) to \(history.rev) are lost") }
        }
        if !mayLose, let broken = server.log.broken { complain("\(name): \(broken)") }
        if position.epoch == history.epoch, history.rev > 0 { complain("\(name) begins no epoch") }
        history.cut(after: position.rev, epoch: position.epoch)
        // What was on its way may have arrived.
        if history.rev < position.rev {
            try server.log.reader.entries(of: name, in: history.rev + 1...position.rev) { entry, stamp in
                if refused.contains(entry), !maySeeRefused {
                    complain("\(name) rev \(stamp.rev) was refused")
                }
                history.add(Ledger.Record(entry: entry, stamp: stamp))
                return true
            }
        }
        write("    \(name) is at \(position)")
        ledger.histories[name] = position.rev == 0 ? nil : history
    }

    func define(_ name: String) {
        guard let host = server?.host, host.table[name] == nil, let shape = shapes[name],
            let definition = definition(shape.json(of: name))
        else { return }
        write("    \(shape.json(of: name))")
        _ = host.define(definition)
    }

    func redefine(_ dice: inout SeededGenerator) {
        let name = dice.chance(3, in: 4) ? "g" : "h"
        shapes[name]?.change(&dice)
        guard let host = server?.host, let graph = host[name], let text = shapes[name]?.json(of: name),
            let definition = definition(text)
        else { return }
        write("    \(text)")
        _ = host.redefine(graph, as: definition)
    }

    func definition(_ json: String) -> GraphDefinition? {
        guard let host = server?.host, let document = try? Document.parse(json: json) else { return nil }
        // Some of these graphs have nodes that fail, on purpose.
        var options = host.definitions
        options.refusesMismatches = false
        let (definition, problems) = GraphDefinition.read(document, file: nil, options: options)
        if definition == nil { complain("\(json): \(problems)") }
        return definition
    }

    /// Everybody leaves, and what is left is what a replay makes.
    func end() {
        disk.fault = .nothing
        disk.capacity = .max
        for _ in 0..<6 { pass(1_000) }
        guard let server else { return }
        if server.log.health != .ready { complain("the log has not recovered: \(server.log.health)") }
        probe(Shape.linked[starts % 4])
        for peer in peers { peer.leave() }
        server.endTurn()
        server.settle()
        // What they leave is released over as many turns as it takes.
        for _ in 0..<100 where server.clients.isReleasing {
            server.host.advance()
            server.endTurn()
        }
        look()
        compare(withDisk: true)
        for graph in server.host.graphs where graph.statistics.listeners != 0 || !graph.clients.links.isEmpty
        {
            complain("\(graph.name) has \(graph.statistics.listeners) listeners at the end")
        }
        for node in Shape.linked { set(node) }
        rest()
        server.host.close()
        self.server = nil
        disk.kill()
        start(mayLose: false)
        complaints += ledger.doubleKeys
    }
}
