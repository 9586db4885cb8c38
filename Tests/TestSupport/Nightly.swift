/// The long forms of tests: they run when `SLUICE_NIGHTLY` is 1.
public enum Nightly {
    /// Whether the long forms run.
    public static let isOn = environment("SLUICE_NIGHTLY") == "1"
}
