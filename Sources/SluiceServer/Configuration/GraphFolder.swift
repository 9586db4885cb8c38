public import Definitions
internal import EventLoop
public import Values

/// The graph definitions of a folder.
public enum GraphFolder {
    /// The largest definition file.
    static let maximumBytes = 16 * 1024 * 1024

    /// One definition file, with its definition or its problems.
    struct File {
        let path: String
        /// The digest of its bytes; nil if it could not be read.
        let digest: UInt128?
        /// nil if there are problems, or if the bytes are known already.
        let definition: GraphDefinition?
        let problems: [FileProblem]
        /// The graph that it seems to define: the one it names, otherwise its own name.
        var graph: String { definition?.name ?? named ?? stem }
        /// The graph that it names although it has problems.
        var named: String?

        /// Its name without folder and ending.
        var stem: String {
            let name = path.split(separator: "/").last ?? ""
            return String(name.prefix(upTo: name.lastIndex(of: ".") ?? name.endIndex))
        }
    }

    /// Reads every `*.yaml`, `*.yml` and `*.json` of a folder.
    ///
    /// - Returns: the definitions in the order of their file names, and all problems.
    public static func read(
        _ folder: String,
        _ options: DefinitionOptions
    ) -> (definitions: [GraphDefinition], problems: [FileProblem]) {
        guard let files = paths(in: folder)?.map({ file($0, options) }) else {
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

    /// Whether a file of that name may have a definition.
    public static func isGraphFile(_ name: String) -> Bool {
        [".yaml", ".yml", ".json"].contains { name.hasSuffix($0) }
    }

    /// The files of a folder in the order of their names; nil when there is no such folder.
    static func paths(in folder: String) -> [String]? {
        if folder.isEmpty { return [] }
        return FileSystem.names(in: folder)?
            .filter(isGraphFile)
            .map { "\(folder)/\($0)" }
    }

    /// Reads one file; bytes whose digest is `known` are not compiled.
    ///
    /// The definition is compared with the present one of the file's graph, `former`.
    static func file(
        _ path: String,
        known: UInt128? = nil,
        former: DefinitionOutline? = nil,
        _ options: DefinitionOptions
    ) -> File {
        let bytes: [UInt8]
        do throws(UVError) {
            bytes = try Files.read(path, limit: maximumBytes).bytes
        } catch {
            let problem = FileProblem("cannot be read (\(error.message))", file: path)
            return File(path: path, digest: nil, definition: nil, problems: [problem])
        }
        // Not with OpenSSL, whose first digest costs every start a megabyte and a half.
        var hash = FNV128()
        hash.add(bytes)
        let digest = hash.value
        if digest == known { return File(path: path, digest: digest, definition: nil, problems: []) }
        return file(path, bytes, digest, former: former, options)
    }

    private static func file(
        _ path: String,
        _ bytes: [UInt8],
        _ digest: UInt128?,
        former: DefinitionOutline? = nil,
        _ options: DefinitionOptions
    ) -> File {
        let (document, mistakes) = YAMLReader.read(bytes, file: path)
        guard let document else {
            let nothing = FileProblem("there is no definition in it", file: path, code: "bad_field")
            let problems = mistakes.isEmpty ? [nothing] : mistakes.map { FileProblem($0) }
            return File(path: path, digest: digest, definition: nil, problems: problems)
        }
        var (definition, problems) = GraphDefinition.read(document, file: path, options: options)
        if let former { definition?.compare(with: former) }
        let all = (mistakes + problems).map { FileProblem($0) }
        let named = document["graph"]?.scalar?.text
        return File(path: path, digest: digest, definition: definition, problems: all, named: named)
    }

    /// The files in an order in which, of those that define the same graph, the first is the one
    /// that counts: one with the graph's name; otherwise one with the stored definition, whose hash
    /// `stored` returns; otherwise the first by name, with `.json` last.
    static func ranked(_ files: [File], stored: (_ graph: String) -> String? = { _ in nil }) -> [File] {
        let groups = Dictionary(grouping: files) { $0.definition?.name ?? "" }
        let keys = groups.filter { $0.value.count > 1 && $0.key != "" }.keys
        let hashes = Dictionary(uniqueKeysWithValues: keys.map { ($0, stored($0)) })
        func rank(_ file: File) -> (Int, Int, Int, String) {
            guard let definition = file.definition else { return (0, 0, 0, file.path) }
            return (
                file.stem == definition.name ? 0 : 1,
                hashes[definition.name] == definition.hash ? 0 : 1,
                file.path.hasSuffix(".json") ? 1 : 0,
                file.path
            )
        }
        return files.map { (rank($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    }

    /// Which file defines which graph; others that define the same graph are problems.
    static func owners(of files: [File]) -> (owners: [String: String], problems: [FileProblem]) {
        var owners: [String: String] = [:]
        var problems: [FileProblem] = []
        for file in ranked(files) {
            guard let name = file.definition?.name else { continue }
            if let other = owners[name] {
                problems.append(double(name, in: file.path, and: other))
            } else {
                owners[name] = file.path
            }
        }
        return (owners, problems)
    }

    public static func read(
        file path: String,
        _ options: DefinitionOptions
    ) -> (definition: GraphDefinition?, problems: [FileProblem]) {
        let file = file(path, options)
        return (file.definition, file.problems)
    }

    /// Reads a definition as a server gives it; problems name it as `source`.
    public static func read(
        _ text: [UInt8],
        from source: String,
        _ options: DefinitionOptions
    ) -> (definition: GraphDefinition?, problems: [FileProblem]) {
        let file = file(source, text, nil, options)
        return (file.definition, file.problems)
    }
}
