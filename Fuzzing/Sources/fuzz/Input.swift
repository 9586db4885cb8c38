import CFuzzer
import Support

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
func takeInput(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    Target.chosen.run(BorrowedBytes(start: bytes, count: size))
    return 0
}

extension Target {
    /// The one that the environment variable `FUZZ` names.
    static let chosen: Target = {
        let name = getenv("FUZZ").map { String(cString: $0) } ?? ""
        guard let target = all.first(where: { $0.name == name }) else {
            fatalError("FUZZ must be one of: \(all.map(\.name).joined(separator: ", "))")
        }
        return target
    }()
}
