/// What the inputs of a zip have in common.
@usableFromInline
final class ZipQueues {
    let buffer: BufferPolicy
    /// How many values may wait at an input.
    @usableFromInline let limit: Int
    @usableFromInline let control: BufferControl?
    /// Inputs without a waiting value: at 0 a tuple is complete.
    @usableFromInline var missing = 0
    /// A value was dropped since the last tuple.
    @usableFromInline var hasOverflowed = false

    @usableFromInline
    init(_ buffer: BufferPolicy, _ control: BufferControl?) {
        self.buffer = buffer
        limit = buffer.limit ?? .max
        self.control = control
    }
}

/// An input of a zip, whatever the type of its values: the state of its edge.
@usableFromInline
class ZipInputBase: EdgeState {
    /// Takes everything out of the queue; it is released with the result.
    func leave() -> AnyObject { self }
}

/// What waits at one input of a zip.
@usableFromInline
final class ZipInput<Value>: ZipInputBase {
    @usableFromInline var queue = Queue<Value>()
    @usableFromInline let common: ZipQueues

    @usableFromInline
    init(_ common: ZipQueues) {
        self.common = common
        common.missing += 1
    }

    @usableFromInline
    override func save(to writer: inout StateWriter, of edge: Edge) {
        writer.write(common.hasOverflowed ? 1 : 0)
        writer.write(queue.count)
        for index in 0..<queue.count { writer.write(value: queue[index]) }
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        let hasOverflowed = try reader.flag()
        let count = try reader.count()
        var values: [Value] = []
        for _ in 0..<count { values.append(try reader.value()) }
        common.hasOverflowed = hasOverflowed
        let former = exchange(&queue, with: Queue())
        if !former.isEmpty { common.missing += 1 }
        for _ in 0..<former.count { common.control?.removed() }
        for value in values { append(value, from: nil) }
        withExtendedLifetime(former) {}
    }

    /// Lets a value wait, unless the buffer is full and refuses it; says whether nothing was
    /// dropped.
    @inlinable
    @discardableResult
    func append(_ value: Value, from edge: Edge?) -> Bool {
        var isWhole = true
        if queue.isEmpty {
            common.missing -= 1
        } else if queue.count >= common.limit {
            guard makeRoom(edge) else { return false }
            isWhole = false
        }
        queue.append(value)
        common.control?.added(waits: common.missing > 0)
        return isWhole
    }

    /// The value that has waited longest.
    ///
    /// Asked for when every input has one.
    @inlinable
    func next() -> Value {
        guard let value = queue.popFirst() else { preconditionFailure("zip: nothing waits") }
        if queue.isEmpty { common.missing += 1 }
        common.control?.removed()
        return value
    }

    /// The buffer is full: whether there is room for one more value all the same.
    @usableFromInline
    func makeRoom(_ edge: Edge?) -> Bool {
        if case .dropOldest = common.buffer {
            common.control?.dropped(1)
            _ = queue.popFirst()
            return true
        }
        common.control?.refused()
        if case .fail = common.buffer { edge?.reportOverflow(common.limit) }
        return false
    }

    override func leave() -> AnyObject {
        let remains = ZipInput<Value>(common)
        swap(&remains.queue, &queue)
        common.control?.dropped(remains.queue.count)
        return remains
    }
}

/// A zip being made: its inputs are added one by one, then it is started.
@usableFromInline
final class Zip<Out> {
    @usableFromInline let target: Node<Out>
    @usableFromInline let common: ZipQueues
    @usableFromInline var inputs: [ZipInputBase] = []
    @usableFromInline var ties: [(Join) -> Void] = []
    /// What is emitted when a value is dropped, once until the next tuple.
    @usableFromInline let overflow: (() -> Out)?

    @inlinable
    init(
        _ graph: Graph,
        _ buffer: BufferPolicy,
        _ control: BufferControl?,
        overflow: (() -> Out)? = nil
    ) {
        buffer.require(for: "zip")
        self.overflow = overflow
        target = Node<Out>(graph: graph, .empty)
        common = ZipQueues(buffer, control)
    }

    /// Adds an input: the value that `node` holds is the first to wait.
    @inlinable
    func input<Value>(_ node: Node<Value>) -> ZipInput<Value> {
        let input = ZipInput<Value>(common)
        if case .value(let value) = node.stored { input.append(value, from: nil) }
        inputs.append(input)
        let (target, common, overflow) = (target, common, overflow)
        ties.append { join in
            let edge = Edge("Zip", .joinInput) { edge in
                guard !join.isDead else { return .nothing }
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                guard input.append(value, from: edge) || overflow == nil else {
                    guard let overflow, !common.hasOverflowed else { return .nothing }
                    common.hasOverflowed = true
                    return join.store(overflow())
                }
                return join.emit(join)
            }
            edge.needSide().state = input
            target.graph.tieInput(edge, node, to: target, join)
        }
        return input
    }

    /// Ties the inputs; `next` makes the emission of the values that have waited longest.
    @inlinable
    func start(_ next: @escaping () -> Out) -> Node<Out> {
        let common = common
        let graph = target.graph
        let join = graph.makeJoin(target.core, settled: false) { join in
            guard common.missing == 0 else { return .nothing }
            common.hasOverflowed = false
            return join.store(next())
        }
        let inputs = inputs
        join.onEnd = { ZipQueues.remains(inputs) }
        for tie in ties { tie(join) }
        graph.engine.start(join)
        return target
    }
}

extension ZipQueues {
    /// What waits at `inputs`, taken out.
    @usableFromInline
    static func remains(_ inputs: [ZipInputBase]) -> AnyObject {
        Remains(inputs.map { $0.leave() })
    }
}
