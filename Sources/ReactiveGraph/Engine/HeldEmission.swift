/// An emission that is kept back, with the path and context it came with.
public struct HeldEmission<Value> {
    /// What will be emitted.
    public let emission: Emission<Value>
    @usableFromInline let trail: Trail?
    @usableFromInline let context: Context?

    @inlinable
    init(_ emission: Emission<Value>, trail: Trail?, context: Context?) {
        self.emission = emission
        self.trail = trail
        self.context = context
    }

    /// An emission of the operator's own: no path, no context.
    @inlinable
    public init(_ emission: Emission<Value>) {
        self.init(emission, trail: nil, context: nil)
    }

    /// The same on its way, with another emission.
    @inlinable
    public func map<Out>(_ transform: (Emission<Value>) -> Emission<Out>) -> HeldEmission<Out> {
        HeldEmission<Out>(transform(emission), trail: trail, context: context)
    }
}
