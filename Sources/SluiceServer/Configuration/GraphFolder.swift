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
        guard let files = texts(of: folder)?.map({ file($0, options) }) else {
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

    /// A file as it was read, before anybody has looked what it says.
    struct Text: Sendable {
        let path: String
        /// The digest of its bytes; nil where it could not be read.
        let digest: UInt128?
        /// What it says; nil where that is no document, or where nobody wanted to know.
        let document: Document?
        let problems: [FileProblem]
    }

    /// Reads the files of a folder in the order of their names, from any thread; nil when there is no such folder.
    ///
    /// A file whose bytes have the digest that `known` has for its path is not taken apart.
    static func texts(of folder: String, known: [String: UInt128] = [:]) -> [Text]? {
        FileSystem.names(in: folder)?
            .filter { name in [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) } }
            .map { text(of: "\(folder)/\($0)", known: known["\(folder)/\($0)"]) }
    }

    /// Reads one file, from any thread.
    static func text(of path: String, known: UInt128? = nil) -> Text {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: maximumBytes).bytes
        } catch {
            let problem = FileProblem("cannot be read (\(error.message))", file: path)
            return Text(path: path, digest: nil, document: nil, problems: [problem])
        }
        // Not by OpenSSL: its first digest costs every start a megabyte and a half.
        var hash = FNV128()
        hash.add(bytes)
        let digest = hash.value
        if digest == known { return Text(path: path, digest: digest, document: nil, problems: []) }
        let (document, problems) = YAMLReader.read(bytes, file: path)
        guard document == nil, problems.isEmpty else {
            return Text(
                path: path,
                digest: digest,
                document: document,
                problems: problems.map { FileProblem($0) }
            )
        }
        let nothing = FileProblem("nothing is defined here", file: path, code: "bad_field")
        return Text(path: path, digest: digest, document: nil, problems: [nothing])
    }

    /// What a text defines, or what is wrong with it.
    static func file(_ text: Text, _ options: DefinitionOptions) -> File {
        guard let document = text.document else {
            return File(path: text.path, definition: nil, problems: text.problems)
        }
        let result = GraphDefinition.read(document, file: text.path, options: options)
        return File(
            path: text.path,
            definition: result.definition,
            problems: result.problems.map { FileProblem($0) }
        )
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
        let file = file(text(of: path), options)
        return (file.definition, file.problems)
    }
}
