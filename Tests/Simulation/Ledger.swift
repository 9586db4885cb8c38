import Commits

/// The log's answers for all graphs and processes: every entry must be in every log, once.
final class Ledger {
    struct Record {
        let entry: LogEntry
        let stamp: LogStamp
    }

    /// One graph's history in its present epoch.
    struct History {
        var epoch: String
        /// Earlier epochs, and the last rev of each that is in this history.
        private(set) var earlier: [String: UInt64] = [:]
        var records: [Record] = []
        /// What plain nodes hold from which rev on.
        var values: [String: [(rev: UInt64, text: String)]] = [:]
        /// What is wrong with it by itself: times never fall, no tick is ahead of its stamp, the
        /// sum of the accounts stays, and no link leads a value to where it has been.
        private(set) var complaints: [String] = []

        var rev: UInt64 { records.last?.stamp.rev ?? 0 }

        /// Whether a client that has seen `rev` in `epoch` has seen what this history has.
        func holds(_ rev: UInt64, of epoch: String) -> Bool {
            epoch == self.epoch ? rev <= self.rev : earlier[epoch].map { rev <= $0 } ?? false
        }

        func record(at rev: UInt64) -> Record? {
            rev >= 1 && rev <= records.count ? records[Int(rev) - 1] : nil
        }

        /// What a plain node holds right after a commit.
        func value(of node: String, at rev: UInt64) -> String {
            values[node]?.last { $0.rev <= rev }?.text ?? "empty"
        }

        /// Whether a plain node has held that between two commits, both included.
        func held(_ node: String, _ text: String, in revs: ClosedRange<UInt64>) -> Bool {
            value(of: node, at: revs.lowerBound) == text
                || values[node]?.contains { revs.contains($0.rev) && $0.text == text } == true
        }

        /// The first commit between two others that has changed a plain node.
        func change(of node: String, after rev: UInt64, before end: UInt64) -> UInt64? {
            values[node]?.first {
                $0.rev > rev && $0.rev < end && $0.text != value(of: node, at: $0.rev - 1)
            }?.rev
        }

        mutating func add(_ record: Record) {
            let (rev, time) = (record.stamp.rev, record.stamp.time)
            if let last = records.last?.stamp.time, time < last {
                complaints.append("rev \(rev) is stamped \(last - time) ms before the one in front of it")
            }
            if case .tick(let now) = record.entry.kind, now > time {
                complaints.append("the tick at rev \(rev) is \(now - time) ms ahead of its stamp")
            }
            records.append(record)
            if case .define = record.entry.kind {
                for node in Shape.plain {
                    values[node, default: []].append((rev, Shape.linked.contains(node) ? "empty" : "0"))
                }
            }
            for assignment in record.entry.set where Shape.plain.contains(assignment.node) {
                values[assignment.node, default: []].append(
                    (rev, String(decoding: assignment.value, as: UTF8.self))
                )
            }
            for node in record.entry.clear where Shape.plain.contains(node) {
                values[node, default: []].append((rev, "empty"))
            }
            lookAtAccounts(record)
            lookAtLink(record)
        }

        private mutating func lookAtAccounts(_ record: Record) {
            guard record.entry.set.contains(where: { Shape.accounts.contains($0.node) }) else { return }
            let held = Shape.accounts.map { Int(value(of: $0, at: record.stamp.rev)) }
            if held.contains(nil) || held.compactMap(\.self).reduce(0, +) != 0 {
                complaints.append("the accounts hold \(held) at rev \(record.stamp.rev)")
            }
        }

        private mutating func lookAtLink(_ record: Record) {
            let entry = record.entry
            guard let way = LinkBook.Way(entry) else { return }
            let here = entry.path.filter { !$0.hasPrefix("far/") }
            let passed = here.compactMap { $0.split(separator: "/", maxSplits: 2).last.map(String.init) }
            if Set(passed + [way.to]).count != passed.count + 1 {
                complaints.append("rev \(record.stamp.rev) goes round: \(entry.path), to \(way.to)")
            }
        }

        /// Forgets what came after a commit, in a new epoch.
        ///
        /// What was known of earlier ones holds up to that commit, or not at all.
        mutating func cut(after rev: UInt64, epoch: String, isContinued: Bool = true) {
            earlier[self.epoch] = rev
            earlier = isContinued ? earlier.mapValues { min($0, rev) } : [:]
            self.epoch = epoch
            records.removeAll { $0.stamp.rev > rev }
            for node in values.keys { values[node]?.removeAll { $0.rev > rev } }
        }
    }

    var histories: [String: History] = [:]

    /// What is wrong with histories by themselves.
    var complaints: [String] {
        histories.sorted { $0.key < $1.key }.flatMap { name, history in
            history.complaints.map { "\(name): \($0)" }
        }
    }
    /// Histories that have broken off, in which a server may still be where several share a log.
    var former: [String: [History]] = [:]

    /// What a graph's history is in one epoch.
    func history(of graph: String, in epoch: String?) -> History? {
        let histories = [histories[graph]].compactMap(\.self) + (former[graph] ?? [])
        return histories.first { $0.epoch == epoch }
    }

    /// The history that has what `rev` of an epoch was, in that epoch or a later one.
    func history(of graph: String, holding rev: UInt64, of epoch: String) -> History? {
        if let history = histories[graph], history.holds(rev, of: epoch) { return history }
        return history(of: graph, in: epoch)
    }

    /// Graphs that have begun and not ended.
    var living: [String] {
        histories.filter { _, history in
            for record in history.records.reversed() {
                switch record.entry.kind {
                case .define: return true
                case .remove: return false
                default: continue
                }
            }
            return false
        }.keys.sorted()
    }

    /// Sentences about keys that stand for two commits within their ten minutes.
    var doubleKeys: [String] {
        var complaints: [String] = []
        for (graph, history) in histories {
            var last: [String: UInt64] = [:]
            for record in history.records {
                guard let key = record.entry.key?.text else { continue }
                if let former = last[key], record.stamp.time < former + 590_000 {
                    complaints.append("\(graph) rev \(record.stamp.rev): key \(key) for the second time")
                }
                last[key] = record.stamp.time
            }
        }
        return complaints
    }
}

/// A ledger as a log, without snapshots: what is rebuilt from it is rebuilt from the beginning.
struct LedgerReader: LogReader {
    let histories: [String: [(LogEntry, LogStamp)]]

    init(_ ledger: Ledger) {
        histories = ledger.histories.mapValues { $0.records.map { ($0.entry, $0.stamp) } }
    }

    func revs(of graph: String) -> ClosedRange<UInt64>? {
        histories[graph]?.last.map { 1...$0.1.rev }
    }

    func snapshot(of graph: String, notAfter rev: UInt64) -> GraphSnapshot? { nil }

    func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        for (entry, stamp) in histories[graph] ?? [] where revs.contains(stamp.rev) {
            guard try visit(entry, stamp) else { return }
        }
    }

    func keys(of graph: String, since time: UInt64) -> [StoredKey] { [] }
}
