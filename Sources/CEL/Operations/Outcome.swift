/// A failure that `&&`, `||`, `all` or `exists` may still absorb, kept on the stack in place of a
/// bool.
///
/// It is stored as an impossible time span: its nanoseconds are out of range.
extension Value {
    static func failure(_ number: Int) -> Value {
        .duration(TimeSpan(mark: number))
    }

    /// The number of the failure this value stands for.
    var failureNumber: Int? {
        if case .duration(let span) = self { return span.mark }
        return nil
    }
}

extension TimeSpan {
    fileprivate init(mark: Int) {
        self.init(unchecked: Int64(mark), nanos: .min)
    }

    fileprivate var mark: Int? {
        nanos == .min ? Int(seconds) : nil
    }
}
