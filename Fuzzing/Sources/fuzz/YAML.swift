import Definitions
import Graphs
import SluiceServer

extension Target {
    /// Graph files: a document or problems; a definition that is accepted can be put to work.
    static let yaml = Target(name: "yaml") { bytes in
        let (document, problems) = YAMLReader.read(Array(bytes), file: "f.yaml")
        // A file without a document has neither.
        require(document == nil || problems.isEmpty, "a document and a problem")
        guard let document else { return }
        let (definition, wrong) = GraphDefinition.read(document, file: "f.yaml")
        require((definition == nil) != wrong.isEmpty, "neither a definition nor a problem, or both")
        guard let definition else { return }
        let host = Host(store: .memory(epoch: "e"), clock: ManualHostClock())
        _ = host.define(definition)
        host.flush()
    }
}
