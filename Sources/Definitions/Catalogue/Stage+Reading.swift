internal import CEL
public import Values

extension Stage {
    /// Reads the list under `pipe`: of a definition, or of a client's subscription.
    ///
    /// All problems are reported at once. A stage is a word (`distinct`) or a mapping with one key
    /// (`map: "value + 1"`). Every expression sees `value` and `time`; the one of `scan` also `acc`
    /// and `index`.
    public static func parse(
        _ document: Document,
        options: DefinitionOptions = DefinitionOptions(),
        file: String? = nil
    ) -> (stages: [Stage], problems: [DefinitionProblem]) {
        let reader = DocumentReader(file: file, options: options.ofClients)
        let stages = pipe(document, from: reader)
        return (stages, reader.sortedProblems)
    }

    /// The most stages in one pipe of a definition.
    static let longestPipe = 256

    static func pipe(_ document: Document, from reader: DocumentReader) -> [Stage] {
        guard let elements = document.elements else {
            reader.add(
                "a pipe must be a list of stages, not \(document.kindName)",
                at: document.position,
                hint: "write pipe: [ { map: \"value + 1\" }, distinct ]"
            )
            return []
        }
        if elements.count > longestPipe {
            reader.add("a pipe has at most \(longestPipe) stages", at: document.position)
            return []
        }
        return elements.compactMap { element in
            let stage = stage(element, reader)
            if stage == nil { reader.types.value = .dyn }
            return stage
        }
    }

    private static func stage(_ document: Document, _ reader: DocumentReader) -> Stage? {
        if let scalar = document.scalar {
            return stage(scalar.text, named: document, argument: nil, reader)
        }
        guard let entries = document.entries else {
            return reader.refuse("a stage must be a word or a mapping with one key", at: document.position)
        }
        guard entries.count == 1, let entry = entries.first, let name = entry.key.scalar?.text else {
            return reader.refuse(
                "a stage must have exactly one key, not \(entries.count)",
                at: document.position,
                hint: entries.count > 1 ? "write one list element for each stage" : nil
            )
        }
        return stage(name, named: entry.key, argument: entry.value, reader)
    }

    private static func stage(
        _ name: String,
        named key: Document,
        argument: Document?,
        _ reader: DocumentReader
    ) -> Stage? {
        guard let row = reader.options.catalogue[name],
            case .stage(let type, let read) = row.form
        else {
            addUnknown(name, key, reader)
            return nil
        }
        // `distinct:` with nothing after the colon is YAML for null: no argument.
        let given = argument?.scalar?.value == .null && !type.takesNull ? nil : argument
        if !type.isOptional, given == nil {
            return reader.refuse("\(name) needs \(row.arguments)", at: key.position)
        }
        let stage = read(StageReading(reader: reader, row: row, word: name, argument: given))
        stage?.patterns = reader.takePatterns()
        return stage
    }

    private static func addUnknown(_ name: String, _ key: Document, _ reader: DocumentReader) {
        if let row = reader.options.catalogue[name] {
            reader.add(
                "'\(name)' is a key of a \(row.isSource ? "node" : "graph") and not a stage",
                at: key.position
            )
            return
        }
        let names = reader.options.catalogue.all.filter(\.isStage).flatMap {
            [$0.name] + ($0.alias.map { [$0] } ?? [])
        }
        reader.addUnknown("unknown stage '\(name)'", key, among: names)
    }
}
