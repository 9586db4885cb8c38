// Calls of the C library in Swift's own types: programs need no pointer for them.

/// A variable of the environment; nil if it is empty or not set.
package func environmentVariable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

/// All variables of the environment.
package func environmentVariables() -> [String: String] {
    var variables: [String: String] = [:]
    var place = unsafe environ
    while let entry = unsafe place.pointee {
        let text = unsafe String(cString: entry)
        if let equals = text.firstIndex(of: "=") {
            variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        unsafe place += 1
    }
    return variables
}

/// What `errno` says, in words.
package func systemError() -> String { unsafe String(cString: strerror(errno)) }

/// One `write`; may take fewer bytes than there are.
///
/// - Returns: how many it took; negative where it failed, and `errno` says why.
package func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
}

/// The path with all symbolic links resolved; nil where nothing is there.
package func resolvedPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
}

/// Removes a file.
///
/// - Returns: negative where that failed, and `errno` says why.
@discardableResult
package func removeFile(_ path: String) -> Int32 { unsafe unlink(path) }

/// Whether this process may use what is at the path so (`F_OK`, `R_OK`, `W_OK`).
package func mayUse(_ path: String, _ mode: Int32) -> Bool { unsafe access(path, mode) == 0 }
