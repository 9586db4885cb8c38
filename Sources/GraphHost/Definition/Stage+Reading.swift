internal import CEL

extension Stage {
    /// Reads the list under `pipe`: of a definition, or of a client's subscription.
    ///
    /// All problems are reported at once. A stage is a word (`distinct`) or a mapping with one key (`map: "value + 1"`). Every expression sees
    /// `value` and `time`; the one of `scan` also `acc` and `index`.
    public static func parse(
        _ document: Document,
        options: DefinitionOptions = DefinitionOptions(),
        file: String? = nil
    ) -> (stages: [Stage], problems: [Problem]) {
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
                hint: entries.count > 1 ? "begin a new list element for each stage" : nil
            )
            return nil
        }
        return stage(name, named: entry.key, argument: entry.value)
    }

    private func stage(_ name: String, named key: Document, argument: Document?) -> Stage? {
        guard let row = Catalogue[name], row.isStage else {
            unknownStage(name, at: key.position)
            return nil
        }
        // `distinct:` with nothing behind the colon is YAML for null: no argument.
        let given = argument?.scalar?.value == .null && !row.takesJSON ? nil : argument
        switch row.form {
        case .plain(let make):
            if let given {
                add("\(name) takes no argument", at: given.position)
                return nil
            }
            return make()
        case .optionalExpression(let make):
            guard let given else { return make(nil) }
            return expression(given, of: name, variables: Notebook.valueNames).map(make)
        default:
            guard let given else {
                add("\(name) needs \(row.arguments)", at: key.position)
                return nil
            }
            return stage(row, name, given)
        }
    }

    private func stage(_ row: Operator, _ name: String, _ argument: Document) -> Stage? {
        switch row.form {
        case .expression(let make):
            expression(argument, of: name, variables: Notebook.valueNames).map(make)
        case .json(let make):
            datum(argument).map(make)
        case .count(let make):
            count(argument, of: name, in: 0...Int(Int32.max)).map(make)
        case .span(let make):
            span(argument, of: name).map(make)
        case .debounce:
            debounce(argument, of: name)
        case .scan:
            scan(argument)
        case .window:
            window(argument)
        default:
            nil
        }
    }

    private func unknownStage(_ name: String, at position: Position) {
        if let row = Catalogue[name] {
            add("'\(name)' is a key of a \(row.isSource ? "node" : "graph") and no stage", at: position)
            return
        }
        let names = Catalogue.all.filter(\.isStage).map(\.name) + ["throttle"]
        add("unknown stage '\(name)'", at: position, hint: Spelling.hint(for: name, among: names))
    }

    /// What an expression of a stage with one input sees.
    static let valueNames = ["value", "time"]

    /// `debounce: 500ms` or `debounce: { for: 500ms, edge: both }`.
    private func debounce(_ document: Document, of name: String) -> Stage? {
        guard document.entries != nil else {
            return span(document, of: name).map { .debounce($0, edge: .trailing) }
        }
        let fields = fields(document, of: name, required: ["for"], optional: ["edge"])
        var edge: Stage.Edge? = .trailing
        if let stated = fields["edge"] {
            edge = word(stated, of: "edge")
        }
        guard let interval = fields["for"].flatMap({ span($0, of: "for") }), let edge else { return nil }
        return .debounce(interval, edge: edge)
    }

    private func scan(_ document: Document) -> Stage? {
        let fields = fields(document, of: "scan", required: ["start", "with"])
        let start = fields["start"].flatMap(datum)
        let names = ["acc", "value", "index", "time"]
        let with = fields["with"].flatMap { expression($0, of: "with", variables: names) }
        guard let start, let with else { return nil }
        return .scan(start: start, with: with)
    }

    private func window(_ document: Document) -> Stage? {
        let fields = fields(document, of: "window", required: ["of"], optional: ["last", "count"])
        let figure: Stage.Window.Figure? = fields["of"].flatMap { word($0, of: "of") }
        var extent: Stage.Window.Extent?
        switch (fields["last"], fields["count"]) {
        case (let last?, nil):
            extent = span(last, of: "last").map { .last($0) }
        case (nil, let number?):
            extent = count(number, of: "count", in: 1...options.windowValues).map { .count($0) }
        default:
            if document.entries != nil {
                add("a window needs either last or count", at: document.position)
            }
        }
        guard let figure, let extent else { return nil }
        return .window(Stage.Window(extent: extent, figure: figure))
    }

    /// The values of a mapping with these keys; complains about missing and unknown ones.
    func fields(
        _ document: Document,
        of what: String,
        required: [String],
        optional: [String] = []
    ) -> [String: Document] {
        guard let members = members(document, of: what) else { return [:] }
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            guard required.contains(key) || optional.contains(key) else {
                add(
                    "unknown key '\(key)' in \(what)",
                    at: entry.key.position,
                    hint: Spelling.hint(for: key, among: required + optional)
                )
                continue
            }
            fields[key] = entry.value
        }
        for key in required where fields[key] == nil {
            add("\(what) needs '\(key)'", at: document.position)
        }
        return fields
    }
}

extension Operator {
    fileprivate var takesJSON: Bool {
        if case .json = form { true } else { false }
    }
}
