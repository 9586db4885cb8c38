package import CEL
package import ReactiveGraph
package import Values

/// Where a stage is made: the part of a graph that operators may use.
package protocol StageSite: AnyObject {
    /// The graph of the library that has the nodes.
    var core: Graph { get }
    var timers: TimerQueue { get }
    /// The place named in failures: a node's name or `pipe`, and the number of the stage.
    var place: String { get }
    var limits: SessionLimits { get }
    /// What counts the stage's runs and bytes; nil in a definition, which is not charged.
    var meter: (any Meter)? { get }
    var clock: any EvaluationClock { get }
    /// For a stage of a family's member: the texts of its placeholders, which expressions see as
    /// `key`.
    var key: Value? { get }
    var caseTables: CaseTables { get }
    /// For a source that gathers nodes: the glob that matches them, without placeholders.
    var glob: String? { get }

    /// The living node that the definition calls `reference`, built if it does not live.
    ///
    /// Looked up each time, because a member may be gone; the caller must hold it.
    func living(_ reference: String) -> Node<Datum>?
    /// The living node whose computed name is that pattern with `value` for `{value}`.
    ///
    /// It is built if it does not live; the caller must hold it.
    ///
    /// - Returns: nil if no member of a family has that name, or the client may not use it.
    /// - Throws: `too_large` or `sub_limit` if there is no room for another member.
    func member(_ pattern: NamePattern, of value: String) throws(HostError) -> Node<Datum>?
    /// Gives a node its members: the nodes that the glob of the source chooses.
    func fill<Figure: Reduction>(_ node: GatheringNode<Figure>) where Figure.Value == Datum
    /// Records that a node is a step of a definition, made by an operator of that name.
    func note(_ node: Node<Datum>, as operator: String, label: String)
    /// Records that a node is only a part of a stage, so that it is neither counted nor shown.
    func hide(_ node: AnyNode)
    /// The stage has emitted its last value.
    func complete()
}

/// Counts what a stage of a client's pipeline spends and holds.
package protocol Meter: AnyObject {
    /// Counts the cost of a run.
    ///
    /// - Returns: false if no stage may run any more.
    @discardableResult
    func spend(_ units: Int) -> Bool
    /// Counts the bytes of a result and of the tree of the input, which the stage has read.
    ///
    /// A stage that passes its input on holds nothing of its own.
    ///
    /// - Returns: false if its principal would hold too much; then there is no result.
    func admits(_ result: Emission<Datum>?, of input: Datum) -> Bool
    /// The same for a result made of the trees of several inputs.
    func admits(_ result: Emission<Datum>?, reading inputs: [Datum]) -> Bool
    /// Counts the bytes that the operator keeps now.
    func keeps(_ bytes: Int)
    /// The stage makes a value of each emptiness.
    func noteEmpty()
}

/// Knows the time that expressions see.
package protocol EvaluationClock: AnyObject {
    /// The time of the newest commit among the inputs, in milliseconds since 1970.
    var evaluationTime: UInt64 { get }
}
