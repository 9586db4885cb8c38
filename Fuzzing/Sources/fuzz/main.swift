// FUZZ=TARGET fuzz [libFuzzer's arguments]: scripts/fuzz.sh calls it for each target.
//
// libFuzzer is linked with a main of its own, which may or may not take the place of this one: both
// come to the same, which is why the target stands in the environment and not among the arguments.
import CFuzzer

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, size in takeInput(bytes, size) }
