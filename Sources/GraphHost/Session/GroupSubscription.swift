internal import ReactiveGraph

/// A subscription to several named nodes under one id: `snap` has all of them, `upd` those that changed.
final class GroupSubscription: Subscription {
    /// One of the nodes.
    private final class Member {
        let name: String
        let node: Node<Datum>
        var heardEmpty: Bool
        var isChanged = false

        init(name: String, node: Node<Datum>) {
            self.name = name
            self.node = node
            heardEmpty = node.isEmpty
        }
    }

    private var members: [Member] = []
    private var changed: [Member] = []

    /// Starts to listen to all of them.
    func listen(to nodes: [(name: String, node: Node<Datum>)]) {
        let bag = CancellableBag()
        self.bag = bag
        let me = Unmanaged.passUnretained(self)
        for (name, node) in nodes {
            let member = Member(name: name, node: node)
            members.append(member)
            node.listenEmissions(in: bag, replay: false) { emission, _ in
                me._withUnsafeGuaranteedRef { $0.hear(member, isEmpty: emission.isEmpty) }
            }
        }
    }

    private func hear(_ member: Member, isEmpty: Bool) {
        if isEmpty, member.heardEmpty { return }
        member.heardEmpty = isEmpty
        if !member.isChanged {
            member.isChanged = true
            changed.append(member)
        }
        folded += 1
        if !isMarked { mark() }
    }

    override var listenedNodes: [Node<Datum>] { members.map(\.node) }

    override func appendEntry(to buffer: FrameBuffer) {
        buffer.append("{\"id\":")
        buffer.append(id)
        buffer.append(",")
        append(changed, to: buffer)
        if folded > UInt64(changed.count) {
            buffer.append(",\"n\":")
            buffer.append(folded)
        }
        buffer.append(byte: UInt8(ascii: "}"))
        for member in changed { member.isChanged = false }
        changed.removeAll(keepingCapacity: true)
    }

    override func appendState(to buffer: FrameBuffer) {
        append(members, to: buffer)
    }

    /// Appends the present state of some of the nodes.
    func appendState(of names: Set<String>, to buffer: FrameBuffer) {
        append(members.filter { names.contains($0.name) }, to: buffer)
    }

    override func release() {
        super.release()
        members = []
        changed = []
    }

    private func append(_ members: [Member], to buffer: FrameBuffer) {
        buffer.append("\"m\":{")
        for (place, member) in members.enumerated() {
            if place > 0 { buffer.append(byte: UInt8(ascii: ",")) }
            buffer.append(string: member.name)
            buffer.append(":{")
            Self.append(member.node.value, to: buffer)
            buffer.append(byte: UInt8(ascii: "}"))
        }
        buffer.append(byte: UInt8(ascii: "}"))
    }
}
