#if DEBUG
    #if canImport(Glibc)
        internal import Glibc
    #elseif canImport(Musl)
        internal import Musl
    #elseif canImport(Darwin)
        internal import Darwin
    #endif

    /// Prints the errors of a graph that has no ``Graph/onError``, in debug builds (G-99).
    ///
    /// The first error of each node is enough to find the place. A node that fails with every value
    /// must not fill the terminal, nor may any number of nodes.
    struct UnhandledErrors {
        private static let most = 100
        private static let longest = 1_000
        private var printed: Set<Origin> = []

        /// What an error is printed once for.
        fileprivate struct Origin: Hashable {
            let node: UInt64
            let kind: String
        }

        mutating func note(_ error: GraphError, at place: CallPlace?) {
            guard printed.count <= Self.most, printed.insert(Origin(error)).inserted else { return }
            if printed.count > Self.most {
                return send("further errors of this graph are not printed")
            }
            let text = error.description
            let shown = text.count > Self.longest ? text.prefix(Self.longest) + "…" : text[...]
            let addition = place.map { ", at \($0.file):\($0.line)" } ?? ""
            send("unhandled error: \(shown)\(addition). Set Graph.onError to receive the errors of a graph.")
        }

        /// One write, so that the lines of several threads do not mix.
        private func send(_ text: String) {
            let line = Array("ReactiveGraph: \(text)\n".utf8)
            _ = unsafe write(STDERR_FILENO, line, line.count)
        }
    }

    extension UnhandledErrors.Origin {
        fileprivate init(_ error: GraphError) {
            switch error {
            case .feedback(let node, _, _): self.init(node: node, kind: "feedback")
            case .edgeInUse(_, let node): self.init(node: node, kind: "edgeInUse")
            case .invalidName(let name): self.init(node: 0, kind: name)
            case .function(let node, _, let operation, _): self.init(node: node, kind: operation)
            case .overflow(let node, _, _): self.init(node: node, kind: "overflow")
            }
        }
    }
#endif
