/// One command with its arguments, in one run of bytes.
struct RedisCommand {
    private(set) var bytes: [UInt8] = []
    private(set) var lengths: [Int] = []

    /// A command with these arguments.
    init(_ arguments: String...) {
        for argument in arguments { append(argument) }
    }

    mutating func append(_ text: String) { append(text.utf8) }
    mutating func append(_ number: UInt64) { append(String(number)) }
    mutating func append(_ number: Int) { append(String(number)) }

    mutating func append(_ argument: some Collection<UInt8>) {
        bytes.append(contentsOf: argument)
        lengths.append(argument.count)
    }
}
