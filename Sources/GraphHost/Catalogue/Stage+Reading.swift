internal import CEL

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
        var options = options
        options.refusesMismatches = false
        let notebook = Notebook(file: file, options: options)
        let stages = notebook.pipe(document)
        return (stages, notebook.sorted)
    }
}

extension Notebook {
    /// The most stages in one pipe of a definition.
    static let longestPipe = 256

    func pipe(_ document: Document) -> [Stage] {
        guard let elements = document.elements else {
            add(
                "a pipe must be a list of stages, not \(document.kindName)",
                at: document.position,
                hint: "write pipe: [ { map: \"value + 1\" }, distinct ]"
            )
            return []
        }
        if elements.count > Notebook.longestPipe {
            add("a pipe has at most \(Notebook.longestPipe) stages", at: document.position)
            return []
        }
        return elements.compactMap(stage)
    }

    private func stage(_ document: Document) -> Stage? {
        if let scalar = document.scalar {
            return stage(scalar.text, named: document, argument: nil)
        }
        guard let entries = document.entries else {
            add("a stage must be a word or a mapping with one key", at: document.position)
            return nil
        }
        guard entries.count == 1, let entry = entries.first, let name = entry.key.scalar?.text else {
            add(
                "a stage must have exactly one key, not \(entries.count)",
                at: document.position,
                hint: entries.count > 1 ? "write one list element for each stage" : nil
            )
            return nil
        }
        return stage(name, named: entry.key, argument: entry.value)
    }

    private func stage(_ name: String, named key: Document, argument: Document?) -> Stage? {
        guard let row = options.catalogue[name],
            case .stage(let type, let read) = row.form
        else {
            unknownStage(name, at: key.position)
            return nil
        }
        // `distinct:` with nothing after the colon is YAML for null: no argument.
        let given = argument?.scalar?.value == .null && !type.takesNull ? nil : argument
        if !type.isOptional, given == nil {
            add("\(name) needs \(row.arguments)", at: key.position)
            return nil
        }
        var stage = read(StageReading(notebook: self, row: row, word: name, argument: given))
        stage?.patterns = takePatterns()
        types.pass(name)
        return stage
    }

    private func unknownStage(_ name: String, at position: Position) {
        if let row = options.catalogue[name] {
            add("'\(name)' is a key of a \(row.isSource ? "node" : "graph") and not a stage", at: position)
            return
        }
        let names = options.catalogue.all.filter(\.isStage).flatMap {
            [$0.name] + ($0.alias.map { [$0] } ?? [])
        }
        add("unknown stage '\(name)'", at: position, hint: Spelling.hint(for: name, among: names))
    }

    /// What an expression of a stage with one input sees.
    static let valueNames = ["value", "time"]

    /// The values of a mapping with these keys; reports missing and unknown ones.
    func fields(
        _ document: Document,
        of what: String,
        _ known: [ArgumentField]
    ) -> [String: Document] {
        guard let members = members(document, of: what) else { return [:] }
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            guard known.contains(where: { $0.key == key }) else {
                add(
                    "unknown key '\(key)' in \(what)",
                    at: entry.key.position,
                    hint: Spelling.hint(for: key, among: known.map(\.key))
                )
                continue
            }
            fields[key] = entry.value
        }
        for field in known where field.isRequired && fields[field.key] == nil {
            add("\(what) needs '\(field.key)'", at: document.position)
        }
        return fields
    }
}
