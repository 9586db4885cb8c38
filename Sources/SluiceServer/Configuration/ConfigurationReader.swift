internal import CEL
internal import Definitions
internal import EventLoop
public import Values

/// Where the value of a key came from, in order of precedence.
public enum ConfigurationSource: Hashable, Sendable, CustomStringConvertible {
    case standard
    case file(String, line: Int)
    case environment(String)
    case commandLine

    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let name, let line): "\(name):\(line)"
        case .environment(let name): name
        case .commandLine: "command line"
        }
    }
}

/// Collects a configuration from its sources, the weakest first, with all problems of all of them.
///
/// Precedence: command line, environment, file, default. So call ``read(file:named:)``,
/// ``read(environment:)`` and ``set(_:_:from:)`` in this order.
public struct ConfigurationReader {
    /// The configuration as far as it was read.
    public private(set) var configuration = Configuration()
    /// What was wrong: `sluice.yaml:3:9: log.level must be one of …`.
    public private(set) var problems: [FileProblem] = []
    /// Warnings: problems that do not prevent the start.
    public private(set) var warnings: [String] = []
    private var sources: [String: ConfigurationSource] = [:]
    private let keys = Keys.all

    /// Begins with the defaults.
    public init() {}

    /// Where the value of a key came from.
    func source(of key: any AnyKey) -> ConfigurationSource {
        sources[key.name] ?? .standard
    }

    /// Says that there are no graphs of files where none were asked for and the standard folder is
    /// not there.
    public mutating func allowNoGraphs() {
        guard sources["graphs"] == nil, FileSystem.names(in: configuration.graphs) == nil else { return }
        warnings.append(
            "there is no folder '\(configuration.graphs)', so there are no graphs yet: `sluice init` writes a first one"
        )
        configuration.graphs = ""
    }

    // MARK: - File

    /// Reads the configuration file of that path.
    public mutating func read(file path: String) {
        do throws(UVError) {
            read(file: try Files.read(path, limit: 1024 * 1024).bytes, named: path)
        } catch {
            problems.append(FileProblem("cannot be read (\(error.message))", file: path))
        }
    }

    public mutating func read(file bytes: [UInt8], named name: String) {
        let (document, problems) = YAMLReader.read(bytes, file: name)
        self.problems += problems.map { FileProblem($0) }
        guard let document else { return }
        if case .null? = document.scalar?.value { return }
        guard document.entries != nil else {
            return refuse("a configuration is a mapping of keys to values", name, document.position)
        }
        var seen: Set<String> = []
        read(document, prefix: "", file: name, &seen)
    }

    private mutating func read(_ mapping: Document, prefix: String, file: String, _ seen: inout Set<String>) {
        for entry in mapping.entries ?? [] {
            guard let word = entry.key.scalar?.text else { continue }
            let name = prefix + word
            if let key = keys.first(where: { $0.name == name }) {
                guard seen.insert(name).inserted else {
                    refuse("'\(name)' is given twice", file, entry.key.position)
                    continue
                }
                let value = ConfigurationValue(entry.value)
                guard let value, key.set(value, in: &configuration) else {
                    let hint = value.flatMap(key.hint)
                    refuse("'\(name)' must be \(key.expects)", file, entry.value.position, hint: hint)
                    continue
                }
                sources[name] = .file(file, line: entry.value.position.line)
                warnIfWithoutUnit(key, entry.value, file)
            } else if isGroup(name) {
                guard entry.value.entries != nil else {
                    refuse("'\(name)' must be a mapping of keys to values", file, entry.value.position)
                    continue
                }
                read(entry.value, prefix: name + ".", file: file, &seen)
            } else {
                refuse("unknown key '\(name)'", file, entry.key.position, hint: suggestion(name))
            }
        }
    }

    /// Warns of a duration without a unit, which means milliseconds.
    private mutating func warnIfWithoutUnit(_ key: any AnyKey, _ value: Document, _ file: String) {
        guard key.isDuration, let text = value.scalar?.text, let number = Int(text), number != 0 else {
            return
        }
        warnings.append(
            "\(file):\(value.position.line):\(value.position.column): '\(key.name)' has no unit: "
                + "\(text) means milliseconds (write \(text)ms, or \(text)s if seconds are meant)"
        )
    }

    /// Whether names of keys begin with this; those of fixed limits get their hint one level
    /// deeper.
    private func isGroup(_ name: String) -> Bool {
        (keys.map(\.name) + FixedLimit.all.map(\.name)).contains { $0.hasPrefix(name + ".") }
    }

    private mutating func refuse(
        _ message: String,
        _ file: String,
        _ position: Position,
        hint: String? = nil
    ) {
        problems.append(FileProblem(message, file: file, at: position, code: "bad_field", hint: hint))
    }

    // MARK: - Environment and command line

    /// Reads the variables that begin with `SLUICE_`.
    ///
    /// Unknown ones only warn, apart from those that Kubernetes puts there for a service of this
    /// name.
    public mutating func read(environment: [String: String]) {
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("SLUICE_") {
            let secret = "SLUICE_SECRET_"
            if name.hasPrefix(secret), !text.isEmpty {
                configuration.secretValues[String(name.dropFirst(secret.count))] = text
                continue
            }
            guard let key = keys.first(where: { $0.environmentName == name }) else {
                if ["SLUICE_NIGHTLY", "SLUICE_BINARY", "SLUICE_TOKEN", "SLUICE_URL"].contains(name)
                    || name.hasPrefix("SLUICE_SERVICE_") || name.hasPrefix("SLUICE_PORT")
                {
                    continue
                }
                #if DEBUG
                    if name == Self.testLimits, read(testLimits: text) { continue }
                #endif
                let fixed = FixedLimit.all.first { environmentVariable(of: $0.name) == name }
                let hint = fixed?.hint ?? Self.suggestion(variable: name, among: keys)
                warnings.append("\(name) names no key" + (hint.map { " (\($0))" } ?? ""))
                continue
            }
            set(key, text, from: .environment(name), called: name)
        }
    }

    /// A variable with a similar name, apart from the prefix that all have.
    private static func suggestion(variable name: String, among keys: [any AnyKey]) -> String? {
        let prefix = "SLUICE_"
        let words = keys.map { String($0.environmentName.dropFirst(prefix.count)) }
        let near = Spelling.nearest(to: String(name.dropFirst(prefix.count)), among: words)
        return near.map { "did you mean '\(prefix)\($0)'?" }
    }

    #if DEBUG
        /// The variable by which end-to-end tests change fixed limits:
        /// `limits.work=100 times.close=200ms`.
        private static let testLimits = "SLUICE_TEST_LIMITS"

        private mutating func read(testLimits text: String) -> Bool {
            text.split(separator: " ").allSatisfy { setting in
                let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
                let limit = FixedLimit.all.first { $0.name == parts[0] }
                return parts.count == 2 && limit?.set(&configuration.fixed, parts[1]) == true
            }
        }
    #endif

    /// Sets one key from the command line; a list is `[a, b]` or words with commas between them.
    public mutating func set(_ name: String, _ text: String) {
        guard let key = keys.first(where: { $0.name == name }) else {
            problems.append(FileProblem("--set \(name): unknown key '\(name)'", hint: suggestion(name)))
            return
        }
        set(key, text, from: .commandLine, called: "--set \(name)")
    }

    private mutating func set(
        _ key: any AnyKey,
        _ text: String,
        from source: ConfigurationSource,
        called place: String
    ) {
        if key.set(.scalar(text), in: &configuration) {
            sources[key.name] = source
        } else {
            let message = "\(place): '\(key.name)' must be \(key.expects)"
            problems.append(FileProblem(message, hint: key.hint(.scalar(text))))
        }
    }

    /// Says that an address other than loopback may be listened on.
    public mutating func allowInsecure() {
        configuration.insecure = true
    }

    /// Keys of 0.1.0 whose place another one has taken.
    private static let successors = [
        "limits.definition": "limits.body", "limits.membersPerPrincipal": "limits.members",
    ]

    private func suggestion(_ name: String) -> String? {
        if let successor = Self.successors[name] { return "\(successor) has taken its place" }
        if let fixed = FixedLimit.all.first(where: { $0.name == name }) { return fixed.hint }
        let members = keys.map(\.name).filter { $0.hasPrefix(name + ".") }
        if !members.isEmpty { return "one of \(members.joined(separator: ", "))" }
        // The part before a dot is also a key of the file: a mapping.
        let groups = Set(keys.map(\.name).filter { $0.contains(".") }.map { String($0.prefix { $0 != "." }) })
        return Spelling.hint(for: name, among: keys.map(\.name) + groups.sorted())
    }

    // MARK: - Showing

    /// Every key with its value and where that came from, as a table.
    public var table: String {
        let rows = keys.map { key in (key.name, key.show(configuration), source(of: key).description) }
        let widths = (rows.map { $0.0.count }.max() ?? 0, rows.map { $0.1.count }.max() ?? 0)
        return rows.map { row in
            Self.pad(row.0, widths.0) + "  " + Self.pad(row.1, widths.1) + "  # " + row.2 + "\n"
        }.joined()
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension ConfigurationValue {
    /// The value at a place of a file; nil if it is neither a scalar nor a list of scalars.
    ///
    /// A mapping of words to such values is a list of `word=value`.
    init?(_ document: Document) {
        if let entries = document.entries {
            var list: [String] = []
            for entry in entries {
                guard let word = entry.key.scalar?.text, let value = Self(entry.value) else { return nil }
                switch value {
                case .scalar(let text): list.append("\(word)=\(text)")
                case .list(let texts): list += texts.map { "\(word)=\($0)" }
                }
            }
            self = .list(list)
            return
        }
        if let scalar = document.scalar {
            if case .null = scalar.value { return nil }
            self = .scalar(scalar.text)
            return
        }
        guard let elements = document.elements else { return nil }
        var list: [String] = []
        for element in elements {
            guard let scalar = element.scalar else { return nil }
            list.append(scalar.text)
        }
        self = .list(list)
    }
}
