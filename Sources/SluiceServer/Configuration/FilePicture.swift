internal import Definitions
internal import Graphs
public import Sessions
internal import Values

/// The picture of a graph from its file, without a server.
public enum FilePicture {
    /// Draws the graph that a definition file describes.
    ///
    /// - Throws: ``StartFailure`` with all problems of the file.
    public static func draw(file path: String, as format: PictureFormat) throws(StartFailure) -> [UInt8] {
        let options = DefinitionOptions(Configuration())
        let (definition, problems) = GraphFolder.read(file: path, options)
        guard let definition else { throw StartFailure(problems) }
        let host = Host(store: .memory(epoch: "picture"), clock: ManualHostClock(), definitions: options)
        if case .refused(let error) = host.define(definition) { throw StartFailure([error.message]) }
        guard let graph = host[definition.name] else {
            throw StartFailure(["the graph could not be built"])
        }
        return PictureText(of: graph, live: false).bytes(as: format)
    }
}
