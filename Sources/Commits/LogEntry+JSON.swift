package import Support

extension LogEntry {
    /// Appends the commit: `{"rev","t","kind","by","ctx","set":[…],"clear":[…],"load":[…]}`.
    ///
    /// `by` is included if the caller may read a node that the commit set or cleared, or if the
    /// commit is not about single nodes.
    package func append(at stamp: LogStamp, to buffer: inout ByteBuffer, mayRead: (String) -> Bool) {
        buffer.append("{")
        buffer.member("rev", stamp.rev)
        buffer.member("t", stamp.time)
        buffer.member("kind", word.rawValue)
        let assigned = set.map(\.node).filter(mayRead)
        let cleared = clear.filter(mayRead)
        let reported = reports.map(\.node).filter(mayRead)
        if kind != .values || !(assigned + cleared + reported).isEmpty {
            buffer.member("by", by)
            if let context {
                buffer.member("ctx")
                buffer.append(context)
            }
        }
        for (word, names) in [("set", assigned), ("clear", cleared), ("load", reported)] where !names.isEmpty
        {
            buffer.append(",\"")
            buffer.append(utf8: word)
            buffer.append("\":")
            buffer.append(list: names) { $1.append(json: $0) }
        }
        buffer.append("}")
    }

    /// Kinds of commits on the wire.
    package enum Word: String, CaseIterable {
        /// `load` only reports facets, and changes no value.
        case set, load, define, redefine, remove, tick, drop, expire
    }

    private var word: Word {
        switch kind {
        case .values: set.isEmpty && clear.isEmpty && !reports.isEmpty ? .load : .set
        case .define: .define
        case .redefine: .redefine
        case .remove: .remove
        case .tick: .tick
        case .drop: .drop
        case .expire: .expire
        }
    }
}
