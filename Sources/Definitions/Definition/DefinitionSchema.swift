internal import CEL
internal import Support
internal import Values

extension Catalogue {
    /// The JSON Schema of graph definitions, for editors: a fixed frame, filled with the arguments
    /// of the operators.
    public var definitionSchema: String {
        var properties = ""
        for row in all {
            guard case .section(let schema) = row.form else { continue }
            properties += schema().property(row.name, row.summary) + ","
        }
        let text = Self.frame(properties, nodes: nodeSchemas, stages: stageSchema)
        do throws(DefinitionProblem) {
            return try Document.parse(json: text).lines()
        } catch {
            preconditionFailure("the schema is no JSON: \(error)")
        }
    }

    /// What a derived node may be: one form for each source.
    private var nodeSchemas: String {
        all.map { row in
            guard case .source(_, let type, _) = row.form else { return "" }
            let keys =
                [type.schema.property(row.name, row.summary)]
                + type.beside.map { $0.schema.property($0.key, $0.description) }
            let required = ArgumentSchema.list([row.name] + type.beside.filter(\.isRequired).map(\.key))
            return """
                ,{"title":"\(row.name)","type":"object","required":\(required),"additionalProperties":false,\
                "properties":{\(keys.joined(separator: ",")),\(Self.derivedKeys)}}
                """
        }
        .joined()
    }

    /// What a stage may be: a word, or a mapping with one key.
    private var stageSchema: String {
        var words: [String] = []
        var properties: [String] = []
        for row in all {
            guard case .stage(let type, _) = row.form else { continue }
            for word in [row.name] + (row.alias.map { [$0] } ?? []) {
                if type.isOptional { words.append(word) }
                properties.append(type.schema.property(word, row.summary))
            }
        }
        return """
            {"oneOf":[{"description":"Stages that need no argument.","enum":\(ArgumentSchema.list(words))},\
            {"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":false,\
            "properties":{\(properties.joined(separator: ","))}}]}
            """
    }

    /// The JSON Schema of a client's pipeline, as `Pipeline`, and the parts that it refers to.
    ///
    /// A pipeline begins with a node, or with one of ``clientSources``; beside it are stages and
    /// the source's own keys.
    public var pipelineSchemas: [(name: String, schema: String)] {
        var forms = [Self.form("node", beside: [:])]
        var properties = [ArgumentSchema.node.property("node", "The node whose values it takes.")]
        var siblings: [String: String] = [:]
        for row in all where clientSources.contains(row.name) {
            guard case .source(_, let type, _) = row.form else { continue }
            properties.append(type.schema.property(row.name, row.summary))
            let fields = type.beside.filter { Source.clientKeys.contains($0.key) }
            for field in fields {
                siblings[field.key] = field.schema.property(field.key, field.description)
            }
            forms.append(
                Self.form(
                    row.name,
                    beside: Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0.isRequired) })
                )
            )
        }
        properties += siblings.keys.sorted().compactMap { siblings[$0] }
        properties.append(#""pipe":{"type":"array","items":{"type":["string","object"]}}"#)
        let schema = """
            {"type":"object","oneOf":[\(forms.joined(separator: ","))],\
            "properties":{\(properties.joined(separator: ","))}}
            """
        return Self.parts + [("Pipeline", schema)]
    }

    /// One way to write a pipeline: which keys it needs, and which of the others it may not have.
    private static func form(_ source: String, beside keys: [String: Bool]) -> String {
        let required = [source] + keys.keys.filter { keys[$0] == true }.sorted()
        let refused = Source.clientKeys.filter { keys[$0] == nil }.map { #"{"required":["\#($0)"]}"# }
        let form = #""required":\#(ArgumentSchema.list(required))"#
        return refused.isEmpty
            ? "{\(form)}" : #"{\#(form),"not":{"anyOf":[\#(refused.joined(separator: ","))]}}"#
    }

    /// What the schemas of definitions and of pipelines refer to.
    private static let parts: [(name: String, schema: String)] = [
        (
            "name",
            #"""
            {"description":"The name of a node, or of a family with placeholders: sensor.{id}.celsius.",\#
            "type":"string","pattern":"^[A-Za-z0-9_{][A-Za-z0-9_.{}-]{0,127}$"}
            """#
        ),
        (
            "names",
            ##"""
            {"type":"array","minItems":1,"maxItems":\##(Source.mostInputs),\##
            "items":{"$ref":"#/$defs/name"}}
            """##
        ),
        (
            "identifier",
            #"""
            {"type":"string","pattern":"^[A-Za-z_][A-Za-z0-9_]*$",\#
            "not":{"enum":\#(ArgumentSchema.list(Identifier.reserved.sorted()))}}
            """#
        ),
        (
            "expression",
            #"""
            {"description":"An expression in CEL, see docs/expressions.md.",\#
            "type":["string","number","boolean"]}
            """#
        ),
    ]

    private static let commonKeys = ##"""
        "title": {"description": "A name for people.", "$ref": "#/$defs/text"},
        "unit": {"description": "The unit of the values, for people.", "$ref": "#/$defs/text"},
        "description": {"description": "What the node is about, for people.", "$ref": "#/$defs/text"},
        "severity": {
          "description": "How urgent it is while the node holds `true`, or not what `ok` says, or has failed.",
          "enum": ["info", "warning", "alarm"]
        },
        "ok": {"description": "Beside `severity`: the value at which all is well."},
        "history": {
          "description": "How many earlier values are kept.",
          "type": "integer", "minimum": 0, "maximum": \##(NodeDefinition.longestHistory)
        }
        """##

    private static let derivedKeys = ##"""
        "pipe": {"description": "Stages that every value goes through, in this order.", "$ref": "#/$defs/pipe"},
        \##(commonKeys),
        "retain": {
          "description": "How long a derived node is held. Nodes that are set are always held.",
          "enum": ["whileInUse", "untilPressure", "always"]
        }
        """##

    private static func frame(_ sections: String, nodes: String, stages: String) -> String {
        ##"""
        {
          "$schema": "https://json-schema.org/draft/2020-12/schema",
          "title": "A graph of a Sluice server",
          "description": "What config/graphs/*.yaml may contain. The server checks more: that the nodes named exist, that none is made from itself except by links, that expressions are right and that initial values pass their own checks. Try `sluice check FILE`.",
          "type": "object",
          "required": ["nodes"],
          "additionalProperties": false,
          "properties": {
            "graph": {"description": "The graph's name; without it, the file's.", "type": "string", "pattern": "\##(Name.pattern)"},
            "title": {"description": "A name for people.", "$ref": "#/$defs/text"},
            "mode": {
              "description": "How changes travel: each node once and with all its inputs settled, or every path at once.",
              "enum": ["settled", "immediate"],
              "default": "settled"
            },
            "nodes": {
              "description": "The nodes by name, in any order.",
              "type": "object",
              "maxProperties": \##(DefinitionOptions().mostNodes),
              "propertyNames": {"$ref": "#/$defs/name"},
              "additionalProperties": {"$ref": "#/$defs/node"}
            },
            \##(sections)
            \##(SinkDefinition.schema.property("sinks", "Where values are sent, by the names of the sinks; see docs/sinks.md.")),
            "access": {
              "description": "Who may do what; without it, a token decides.",
              "type": "array",
              "items": {
                "type": "object",
                "required": ["who", "can"],
                "additionalProperties": false,
                "properties": {
                  "who": {"description": "role:NAME, a principal's name, or *.", "type": "string", "minLength": 1},
                  "nodes": {
                    "description": "Names and globs of nodes; without it, all.",
                    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
                  },
                  "can": {
                    "description": "Rights.",
                    "anyOf": [{"$ref": "#/$defs/right"}, {"type": "array", "items": {"$ref": "#/$defs/right"}}]
                  }
                }
              }
            }
          },
          "$defs": {
            "right": {"enum": \##(ArgumentSchema.list(Rights.words.map(\.word)))},
            "text": {"type": ["string", "number", "boolean"]},
            \##(parts.map { #""\#($0.name)": \#($0.schema)"# }.joined(separator: ",")),
            "duration": {
              "description": "250ms, 5s, 2m, 1h, or whole milliseconds; at most 366 days.",
              "oneOf": [
                {"type": "integer", "minimum": 1, "maximum": \##(Stage.Span.longest)},
                {"type": "string", "pattern": "^0*[1-9][0-9]*(ms|s|m|h)?$"}
              ]
            },
            "enum": {"type": "array", "minItems": 1, "uniqueItems": true},
            "node": {
              "oneOf": [
                {
                  "title": "set",
                  "type": "object",
                  "required": ["set"],
                  "additionalProperties": false,
                  "properties": {
                    "set": {
                      "description": "Which values may be set: a type, or a list of values under `enum`.",
                      \##(Check.schema.members)
                    },
                    "min": {"description": "The smallest number allowed.", "type": "number"},
                    "max": {"description": "The largest number allowed.", "type": "number"},
                    "minLength": {
                      "description": "The least characters of a string, or elements of an array.",
                      "type": "integer",
                      "minimum": 0
                    },
                    "maxLength": {
                      "description": "The most characters of a string, or elements of an array.",
                      "type": "integer",
                      "minimum": 0
                    },
                    "pattern": {
                      "description": "A regular expression (RE2 syntax) that must be found somewhere in a string.",
                      "type": "string"
                    },
                    "enum": {"description": "The values allowed.", "$ref": "#/$defs/enum"},
                    "schema": {
                      "description": "What a value must be besides: a part of JSON Schema, see docs/definitions.md.",
                      "$ref": "#/$defs/schema"
                    },
                    "initial": {
                      "description": "The value of a new graph. Without it the node is empty until it is set."
                    },
                    "ttl": {
                      "description": "The node is empty again when it is not set for so long.",
                      "$ref": "#/$defs/duration"
                    },
                    "expire": {
                      "description": "A member of a family is dropped when it is not set for so long, and nothing needs it.",
                      "$ref": "#/$defs/duration"
                    },
                    "fresh": {
                      "description": "The value is stale when it is not set or confirmed for so long.",
                      "$ref": "#/$defs/duration"
                    },
                    "role": {
                      "description": "Who sets it: devices and programs (shown as a value), or people (shown with a field).",
                      "enum": ["sensor", "setting"]
                    },
                    "requireIfMatch": {
                      "description": "Whether a set must say which value it replaces.",
                      "type": "boolean"
                    },
                    \##(commonKeys),
                    "retain": {
                      "description": "Nodes that are set are always held; members of families also untilPressure.",
                      "enum": ["always", "untilPressure"]
                    }
                  }
                }
                \##(nodes)
              ]
            },
            "schemas": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/schema"}},
            "size": {"type": "integer", "minimum": 0},
            "schemaType": {"enum": ["null", "boolean", "object", "array", "number", "string", "integer"]},
            "schema": {
              "type": ["object", "boolean"],
              "additionalProperties": false,
              "properties": {
                "type": {
                  "anyOf": [
                    {"$ref": "#/$defs/schemaType"},
                    {"type": "array", "items": {"$ref": "#/$defs/schemaType"}}
                  ]
                },
                "enum": {"type": "array", "minItems": 1},
                "const": true,
                "minimum": {"type": "number"},
                "maximum": {"type": "number"},
                "exclusiveMinimum": {"type": "number"},
                "exclusiveMaximum": {"type": "number"},
                "minLength": {"$ref": "#/$defs/size"},
                "maxLength": {"$ref": "#/$defs/size"},
                "pattern": {"$ref": "#/$defs/text"},
                "items": {"$ref": "#/$defs/schema"},
                "prefixItems": {"$ref": "#/$defs/schemas"},
                "minItems": {"$ref": "#/$defs/size"},
                "maxItems": {"$ref": "#/$defs/size"},
                "properties": {"type": "object", "additionalProperties": {"$ref": "#/$defs/schema"}},
                "required": {"type": "array", "items": {"$ref": "#/$defs/text"}},
                "additionalProperties": {"$ref": "#/$defs/schema"},
                "minProperties": {"$ref": "#/$defs/size"},
                "maxProperties": {"$ref": "#/$defs/size"},
                "allOf": {"$ref": "#/$defs/schemas"},
                "anyOf": {"$ref": "#/$defs/schemas"},
                "oneOf": {"$ref": "#/$defs/schemas"},
                "not": {"$ref": "#/$defs/schema"},
                "title": true,
                "description": true,
                "default": true,
                "examples": true,
                "deprecated": true,
                "readOnly": true,
                "writeOnly": true,
                "$comment": true,
                "$schema": true,
                "$id": true
              }
            },
            "pipe": {"type": "array", "maxItems": \##(Stage.longestPipe), "items": {"$ref": "#/$defs/stage"}},
            "stage": \##(stages)
          }
        }
        """##
    }
}

extension Document {
    /// JSON for people: what fits on one line is written on one line.
    fileprivate func lines(indent: String = "") -> String {
        let inner = indent + "  "
        let parts: [String]
        if let entries {
            parts = entries.map { "\($0.key.json()): \($0.value.lines(indent: inner))" }
        } else if let elements {
            parts = elements.map { $0.lines(indent: inner) }
        } else {
            return json()
        }
        let brackets = entries == nil ? ("[", "]") : ("{", "}")
        let line = parts.joined(separator: ", ")
        guard line.utf8.contains(UInt8(ascii: "\n")) || indent.utf8.count + line.utf8.count > 100 else {
            return brackets.0 + line + brackets.1
        }
        let start = "\n" + inner
        return brackets.0 + start + parts.joined(separator: "," + start) + "\n" + indent + brackets.1
    }
}
