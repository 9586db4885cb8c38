internal import EventLoop
public import GraphHost

/// The graph definitions of a folder.
public enum GraphFolder {
    /// The largest definition file.
    static let maximumBytes = 16 * 1024 * 1024

    /// One definition file, and what it says or what is wrong with it.
    struct File {
        let path: String
        let definition: GraphDefinition?
        let problems: [String]
    }

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
        guard let files = files(of: folder, options) else {
            return ([], ["graphs: there is no folder '\(folder)' that can be read"])
        }
        let (owners, doubles) = owners(of: files)
        return (
            files.filter { owners[$0.definition?.name ?? ""] == $0.path }.compactMap(\.definition),
            files.flatMap(\.problems) + doubles
        )
    }

    /// The files of a folder in the order of their names; nil when there is no such folder.
    static func files(of folder: String, _ options: DefinitionOptions) -> [File]? {
        FileSystem.names(in: folder)?
            .filter { name in [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) } }
            .map { name in
                let path = "\(folder)/\(name)"
                let (definition, problems) = read(file: path, options)
                return File(path: path, definition: definition, problems: problems)
            }
    }

    /// Which file defines which graph; of two that define the same it is the first, and the second is a problem.
    static func owners(of files: [File]) -> (owners: [String: String], problems: [String]) {
        var owners: [String: String] = [:]
        var problems: [String] = []
        for file in files {
            guard let name = file.definition?.name else { continue }
            if let other = owners[name] {
                problems.append("\(file.path): \(other) defines a graph called '\(name)' as well")
            } else {
                owners[name] = file.path
            }
        }
        return (owners, problems)
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
