internal import EventLoop
public import GraphHost

/// The graph definitions of a folder.
public enum GraphFolder {
    /// The largest definition file.
    static let maximumBytes = 16 * 1024 * 1024

    /// Reads every `*.yaml`, `*.yml` and `*.json` of a folder.
    ///
    /// - Parameters:
    ///   - folder: its path.
    ///   - options: what expressions and patterns may use.
    /// - Returns: the definitions in the order of their file names, and everything that is wrong with any of
    ///   them.
    public static func read(
        _ folder: String,
        _ options: DefinitionOptions
    ) -> (definitions: [GraphDefinition], problems: [String]) {
        guard let names = FileSystem.names(in: folder) else {
            return ([], ["graphs: there is no folder '\(folder)' that can be read"])
        }
        var definitions: [GraphDefinition] = []
        var problems: [String] = []
        var files: [String: String] = [:]
        for name in names where [".yaml", ".yml", ".json"].contains(where: { name.hasSuffix($0) }) {
            let path = "\(folder)/\(name)"
            let (definition, found) = read(file: path, options)
            problems += found
            guard let definition else { continue }
            if let other = files.updateValue(path, forKey: definition.name) {
                problems.append("\(path): \(other) defines a graph called '\(definition.name)' as well")
            }
            definitions.append(definition)
        }
        return (definitions, problems)
    }

    /// Reads one definition file.
    public static func read(
        file path: String,
        _ options: DefinitionOptions
    ) -> (definition: GraphDefinition?, problems: [String]) {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: maximumBytes).bytes
        } catch {
            return (nil, ["\(path): cannot be read (\(error.message))"])
        }
        let (document, problems) = YAMLReader.read(bytes, file: path)
        guard let document else {
            let isBare = problems.isEmpty
            return (nil, isBare ? ["\(path): nothing is defined here"] : problems.map(\.description))
        }
        let result = GraphDefinition.read(document, file: path, options: options)
        return (result.definition, result.problems.map(\.description))
    }
}
