/// Where a program applies an operator whose function may throw.
///
/// Debug builds print it with an error that nothing receives. In release builds it is empty.
@usableFromInline
struct CallPlace: Sendable {
    #if DEBUG
        @usableFromInline let file: String
        @usableFromInline let line: Int
    #endif

    @inlinable
    init(file: String, line: Int) {
        #if DEBUG
            self.file = file
            self.line = line
        #endif
    }
}
