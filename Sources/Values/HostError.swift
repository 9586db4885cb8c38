internal import Support

/// Why the host refused a request, as sent to the client.
///
/// `code` is one of the stable strings in docs/protocol.md, Errors; `message` is a sentence for a
/// person and never contains a node's value.
public struct HostError: Error, Hashable, Sendable {
    /// A stable error code.
    ///
    /// The set may grow, so it is not an enum.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        /// The code on the wire.
        public let rawValue: String

        /// A code with that spelling.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The same, so that a code that is used once needs no constant.
        public init(stringLiteral value: String) {
            rawValue = value
        }
    }

    /// The error for programs.
    public var code: Code
    /// The error for people.
    public var message: String
    public var node: String?
    /// With `conflict`: the rev at which that node last changed.
    public var rev: UInt64?
    /// Whether the same request may succeed later.
    public var retry: Bool
    /// Milliseconds after which a retry makes sense.
    public var after: Int?
    /// With `conflict`: every node whose condition does not hold, and the rev at which it last
    /// changed.
    public var failed: [Failed] = []

    /// What the client probably meant, or what to do.
    public var hint: String?

    /// A node for which a condition did not hold.
    public struct Failed: Hashable, Sendable {
        public let node: String
        public let rev: UInt64
        /// What it holds, as a member of a JSON object; empty: that is not said.
        public let held: [UInt8]

        /// `node`, which last changed at `rev`.
        public init(node: String, rev: UInt64, held: [UInt8] = []) {
            self.node = node
            self.rev = rev
            self.held = held
        }
    }

    /// With `gone`: the revs of the graph's past that are still kept; nil: none.
    public var kept: ClosedRange<UInt64>?

    /// With an invalid pipeline: all problems, each with its place.
    public var problems: [DefinitionProblem] = []

    /// An error; `retry` follows the table in docs/protocol.md, Errors, unless given.
    ///
    /// Never a part of its callers, which would all prepare for the rare case.
    @inline(never)
    public init(
        _ code: Code,
        _ message: String,
        node: String? = nil,
        rev: UInt64? = nil,
        retry: Bool? = nil,
        after: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.node = node
        self.rev = rev
        self.retry = retry ?? ErrorTable.row(code.rawValue).retry
        self.after = after
    }
}

extension HostError.Code {
    public static let badJSON = Self(rawValue: "bad_json")
    public static let badOp = Self(rawValue: "bad_op")
    public static let badField = Self(rawValue: "bad_field")
    public static let badRequest = Self(rawValue: "bad_request")
    public static let unauthenticated = Self(rawValue: "unauthenticated")
    public static let tokenExpired = Self(rawValue: "token_expired")
    public static let forbidden = Self(rawValue: "forbidden")
    public static let notFound = Self(rawValue: "not_found")
    public static let unknownGraph = Self(rawValue: "unknown_graph")
    public static let unknownNode = Self(rawValue: "unknown_node")
    public static let unknownID = Self(rawValue: "unknown_id")
    public static let notMutable = Self(rawValue: "not_mutable")
    public static let inUse = Self(rawValue: "in_use")
    public static let gone = Self(rawValue: "gone")
    public static let conflict = Self(rawValue: "conflict")
    public static let tooLarge = Self(rawValue: "too_large")
    public static let typeMismatch = Self(rawValue: "type_mismatch")
    public static let exprCost = Self(rawValue: "expr_cost")
    public static let keyReused = Self(rawValue: "key_reused")
    public static let cycle = Self(rawValue: "cycle")
    public static let cycleLimit = Self(rawValue: "cycle_limit")
    public static let preconditionRequired = Self(rawValue: "precondition_required")
    public static let rateLimited = Self(rawValue: "rate_limited")
    public static let subLimit = Self(rawValue: "sub_limit")
    public static let pipeLimit = Self(rawValue: "pipe_limit")
    public static let patternLimit = Self(rawValue: "pattern_limit")
    public static let idInUse = Self(rawValue: "id_in_use")
    public static let internalError = Self(rawValue: "internal")
    public static let engineDown = Self(rawValue: "engine_down")
    public static let noSpace = Self(rawValue: "no_space")
    public static let notReady = Self(rawValue: "not_ready")
    public static let draining = Self(rawValue: "draining")
    public static let busy = Self(rawValue: "busy")
}
