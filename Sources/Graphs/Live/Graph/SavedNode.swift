internal import CEL
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// The saved state of one named node, without the value of its living node.
struct SavedNode {
    /// How the living node relates to its definition.
    enum Form: Int, CaseIterable {
        /// There is no living node, or only clients need it.
        case none
        /// It is built as the definition says.
        case own
        /// It follows the node that is built as the definition says, because it has outlived a
        /// change.
        case follower

        /// The same without following another node.
        var built: Form { self == .follower ? .own : self }
    }

    let definedAt: UInt64
    let changed: LogStamp
    let writer: Writer?
    let deadline: Deadline?
    let form: Form
    /// Whether the registry holds the living node.
    let isHeld: Bool
    let ring: HistoryRing?
    let facets: SavedFacets?
    let origin: Cause.Origin
    let ownCause: Cause?
}

extension SavedNode {
    /// The state of a node; `isKept`: whether the graph itself needs the living node.
    init(_ node: NamedNode, isKept: Bool) {
        definedAt = node.definedAt
        changed = node.changed
        writer = node.writer
        deadline = node.deadline
        form = !isKept ? .none : node.followsItsDefinition ? .follower : .own
        isHeld = node.isHeld
        ring = isKept ? node.ring : nil
        facets = node.graph.facets.entry(of: node).map(SavedFacets.init)
        origin = node.origin
        ownCause = node.ownCause
    }

    func write(to writer: inout StateWriter, hasCauses: Bool) {
        writer.write(rev: definedAt)
        writer.write(changed)
        writer.write(self.writer) { $1.write(to: &$0) }
        writer.write(deadline) { $0.write($1) }
        writer.write(form.rawValue)
        writer.write(isHeld ? 1 : 0)
        writer.write(ring) { writer, ring in
            writer.write(rev: ring.from)
            writer.write(ring.isEmptyNow ? 1 : 0)
            writer.write(ring.count)
            for index in 0..<ring.count {
                writer.write(ring[index].stamp)
                writer.write(Emission(ring[index].value))
                if hasCauses { writer.write(ring[index].cause) { $1.write(to: &$0) } }
            }
        }
        writer.write(facets) { $1.write(to: &$0) }
        guard hasCauses else { return }
        writer.write(Int(origin.rawValue))
        writer.write(ownCause) { $1.write(to: &$0) }
    }

    /// Reads the state of a node of a graph at `rev`.
    init(
        from reader: inout StateReader,
        _ definition: NodeDefinition,
        at rev: UInt64,
        byteLimit: Int,
        hasCauses: Bool
    ) throws {
        definedAt = try reader.rev(upTo: rev)
        changed = try reader.stamp(upTo: rev)
        writer = try reader.optional { try Writer(from: &$0) }
        deadline = try reader.optional { try $0.deadline() }
        guard let form = Form(rawValue: try reader.integer()) else { throw StateError.malformed }
        self.form = form
        isHeld = try reader.flag()
        ring = try reader.optional { reader in
            let (from, isEmptyNow) = (try reader.rev(upTo: rev), try reader.flag())
            var entries: [HistoryRing.Entry] = []
            for _ in 0..<(try reader.count()) {
                let stamp = try reader.stamp(upTo: rev)
                guard stamp.rev >= entries.last?.stamp.rev ?? 0 else { throw StateError.malformed }
                let value = try reader.emission(of: Datum.self).value
                let cause: Cause? =
                    hasCauses ? try reader.optional { try Cause.read(from: &$0) } : .of(.restore, by: nil)
                entries.append(.init(stamp: stamp, value: value, cause: cause))
            }
            return HistoryRing(
                capacity: definition.history,
                byteLimit: byteLimit,
                from: from,
                entries,
                isEmptyNow: isEmptyNow
            )
        }
        facets = try reader.optional { try SavedFacets(from: &$0) }
        origin = hasCauses ? try Cause.Origin(from: &reader) : .restore
        ownCause = hasCauses ? try reader.optional { try Cause.read(from: &$0) } : nil
    }
}

extension NodeDefinition {
    /// Whether it is an `all` with a `map`.
    var mapsAll: Bool {
        guard case .derived(let derived) = kind else { return false }
        return (derived.source.argument as? AllArgument)?.map != nil
    }
}

extension NamedNode {
    /// Whether the living node follows another one that is built as the definition says, see
    /// ``Rebuilding``.
    fileprivate var followsItsDefinition: Bool {
        switch definition.kind {
        case .mutable: return living !== source
        case .derived(let derived):
            guard derived.pipe.isEmpty, !derived.source.isNode, let living else { return false }
            // One that does not follow another is noted as the step that it implements.
            return graph.chains.inner(living.id) == nil
        }
    }

    func restore(_ saved: SavedNode) {
        changed = saved.changed
        writer = saved.writer
        deadline = saved.deadline
        origin = saved.origin
        ownCause = saved.ownCause
        ring = saved.ring
        graph.members.weigh(self, for: writer?.by)
        if let facets = saved.facets { graph.facets.restore(facets, of: self) }
    }
}

extension Writer {
    func write(to writer: inout StateWriter) {
        writer.write(by) { $0.write(text: $1) }
        writer.write(context) { $0.write(value: $1) }
        writer.write(claimer) { $0.write(text: $1) }
    }

    convenience init(from reader: inout StateReader) throws {
        self.init(
            by: try reader.optional { try $0.text() },
            context: try reader.optional { try $0.value() },
            claimer: try reader.optional { try $0.text() }
        )
    }
}

extension Cause.Origin {
    fileprivate init(from reader: inout StateReader) throws {
        guard let origin = Cause.Origin(rawValue: UInt8(try reader.integer(in: 0...255))) else {
            throw StateError.malformed
        }
        self = origin
    }
}

extension Cause {
    fileprivate func write(to writer: inout StateWriter) {
        writer.write(Int(origin.rawValue))
        writer.write(by) { $0.write(text: $1) }
    }

    fileprivate static func read(from reader: inout StateReader) throws -> Cause {
        Cause.of(try Cause.Origin(from: &reader), by: try reader.optional { try $0.text() })
    }
}

// MARK: - Values

extension StateWriter {
    mutating func write(rev: UInt64) {
        write(Int(truncatingIfNeeded: rev))
    }

    mutating func write(time: UInt64) {
        write(Int(truncatingIfNeeded: time))
    }

    mutating func write(_ stamp: LogStamp) {
        write(rev: stamp.rev)
        write(time: stamp.time)
    }
}

extension StateReader {
    /// A rev up to that of the graph, or 0: never.
    mutating func rev(upTo last: UInt64 = LogStamp.revs.upperBound) throws(StateError) -> UInt64 {
        UInt64(try integer(in: 0...Int(last)))
    }

    mutating func time() throws(StateError) -> UInt64 {
        UInt64(try integer(in: 0...Int(LogStamp.times.upperBound)))
    }

    mutating func stamp(upTo last: UInt64 = LogStamp.revs.upperBound) throws(StateError) -> LogStamp {
        LogStamp(rev: try rev(upTo: last), time: try time())
    }
}

extension Datum {
    /// Appends values that the host's operators hold: values and failures as in a frame, numbers of
    /// windows as the bits of a double, or as their text after a byte.
    static func save(_ value: Any, to bytes: inout [UInt8]) throws {
        switch value {
        case let datum as Datum: datum.appendFragment(to: &bytes)
        case let number as Number:
            if case .double(let double) = number.value { return try save(double, to: &bytes) }
            bytes.append(UInt8(ascii: "#"))
            bytes.append(contentsOf: number.text.utf8)
        case let number as Double:
            bytes.append(littleEndian: number.bitPattern)
        default: throw StateError.wrongType("\(type(of: value))")
        }
    }

    /// Reads the form that ``save(_:to:)`` writes.
    static func restore(_ bytes: ArraySlice<UInt8>, as type: Any.Type) throws -> Any {
        if type == Number.self, bytes.count > 9, bytes.first == UInt8(ascii: "#") {
            return try bytes.dropFirst().withBorrowedBytes { text in
                let reader = try JSONReader(checking: text)
                guard reader.kind == .number else { throw StateError.malformed }
                return Number(text: reader.bytes)
            }
        }
        if type == Number.self, let double = try restore(bytes, as: Double.self) as? Double {
            return Number(double)
        }
        if type == Double.self {
            guard bytes.count == 8 else { throw StateError.malformed }
            return Double(bitPattern: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        guard type == Datum.self else { throw StateError.wrongType("\(type)") }
        return try bytes.withBorrowedBytes { try Datum(fragment: $0) }
    }

    /// A value or failure in the form of ``withFragment(_:)``.
    private convenience init(fragment: BorrowedBytes) throws {
        func text(after prefix: StaticString) throws -> JSONReader? {
            let count = prefix.utf8CodeUnitCount
            guard fragment.prefix(count).elementsEqual(prefix.description.utf8) else { return nil }
            return try JSONReader(restoring: BorrowedBytes(rebasing: fragment.dropFirst(count)))
        }
        if let value = try text(after: Datum.valuePrefix) {
            self.init(value)
        } else if let fail = try text(after: Datum.failPrefix), let code = fail["code"]?.string,
            let place = fail["at"]?.string, let message = fail["msg"]?.string
        {
            self.init(fail: Fail(code: code, at: place, message: message))
        } else {
            throw StateError.malformed
        }
    }
}

extension JSONReader {
    /// A reader of text that this server wrote.
    init(restoring bytes: BorrowedBytes) throws(JSONError) {
        do throws(JSONError) {
            try self.init(checking: bytes, limits: JSONLimits(refusesDuplicateKeys: false))
        } catch {
            // Values made by operators may be nested deeper than values from clients.
            guard error.reason == .tooDeep else { throw error }
            self.init(validated: bytes)
        }
    }
}
