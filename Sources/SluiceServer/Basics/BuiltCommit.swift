internal import CBuild

/// The commit that the program was built from, as the C of the build has it; empty where there is
/// none.
func builtCommit() -> String { unsafe String(cString: cbuild_commit()) }
