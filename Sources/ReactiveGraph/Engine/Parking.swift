// Edges out of service. Emissions of their source cost nothing for each of them: they come after
// the edges that are served, and a walk ends at the first of them.
extension Edge {
    /// Set in the stamp of a parked edge, which makes it newer than any emission.
    private static let parkedBit: UInt64 = 1 << 63

    /// Whether it has both ends and is out of service.
    final var isParked: Bool { stamp != .max && stamp & Self.parkedBit != 0 }

    /// When it got both ends, parked or not; `UInt64.max` while it lacks one.
    final var connectedAt: UInt64 { isParked ? stamp & ~Self.parkedBit : stamp }

    /// Takes the edge, which is a transform with both ends, out of service.
    final func park() {
        guard let source, traits.contains(.complete), !isParked else { return }
        let ref = EdgeRef.to(self)
        source.with { node in
            node.outs.remove(ref)
            stamp |= Self.parkedBit
            node.outs.append(ref)
        }
    }

    /// Puts it back into service; the other edges are served before it.
    final func unpark() {
        guard let source, isParked else { return }
        let ref = EdgeRef.to(self)
        source.with { node in
            node.outs.remove(ref)
            stamp &= ~Self.parkedBit
            node.outs.append(ref)
        }
    }
}

extension Engine {
    /// A walk has come to the first parked edge: it ends there.
    @inline(never)
    func reachParked(_ frame: UnsafeMutablePointer<Frame>) {
        unsafe frame.pointee.next = nil
        unsafe frame.pointee.node?.with { $0.side?.object.onMissed?() }
    }
}

extension Node {
    /// Calls `body` with each emission that parked edges of this node do not receive, once for all
    /// of them; `nil` ends that.
    ///
    /// It is called during the turn, and must not emit.
    package func observeMissed(_ body: ((Emission<Value>) -> Void)?) {
        let core = typedCore
        core.needSide().onMissed = body.map { body in
            { [unowned core] in body(core.stored) }
        }
    }
}
