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
        let problems: [FileProblem]
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
    ) -> (definitions: [GraphDefinition], problems: [FileProblem]) {
        guard let files = files(of: folder, options) else {
            return ([], [missing(folder)])
        }
        let (owners, doubles) = owners(of: files)
        return (
            files.filter { owners[$0.definition?.name ?? ""] == $0.path }.compactMap(\.definition),
            files.flatMap(\.problems) + doubles
        )
    }

    static func missing(_ folder: String) -> FileProblem {
        FileProblem("graphs: there is no folder '\(folder)' that can be read")
    }

    static func double(_ name: String, in file: String, and other: String) -> FileProblem {
        FileProblem("\(other) defines a graph called '\(name)' as well", file: file, code: "in_use")
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
    static func owners(of files: [File]) -> (owners: [String: String], problems: [FileProblem]) {
        var owners: [String: String] = [:]
        var problems: [FileProblem] = []
        for file in files {
            guard let name = file.definition?.name else { continue }
            if let other = owners[name] {
                problems.append(double(name, in: file.path, and: other))
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
    ) -> (definition: GraphDefinition?, problems: [FileProblem]) {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: maximumBytes).bytes
        } catch {
            return (nil, [FileProblem("cannot be read (\(error.message))", file: path)])
        }
        let (document, problems) = YAMLReader.read(bytes, file: path)
        guard let document else {
            guard problems.isEmpty else { return (nil, problems.map { FileProblem($0) }) }
            return (nil, [FileProblem("nothing is defined here", file: path, code: "bad_field")])
        }
        let result = GraphDefinition.read(document, file: path, options: options)
        return (result.definition, result.problems.map { FileProblem($0) })
    }
}
