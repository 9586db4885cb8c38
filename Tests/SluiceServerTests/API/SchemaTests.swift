import Support
import Testing
import Values

@testable import Definitions
@testable import SluiceServer

@Suite("Schemas of graph files and of the API")
struct SchemaTests {
    /// The texts of all schemas that have names.
    private struct Names {
        var texts: [String: Set<String>] = [:]
        var references: Set<String> = []

        mutating func add(_ member: Schema.Member) {
            switch member {
            case .text, .number, .flag: break
            case .list(let elements): for element in elements { add(element) }
            case .object(let members): for member in members { add(member.value) }
            case .reference(let name, let schema):
                references.insert(name)
                guard let schema else { return }
                var text = ByteBuffer()
                schema.append(to: &text, references: "#/")
                let isNew = texts[name, default: []]
                    .insert(String(decoding: text.bytes, as: UTF8.self)).inserted
                if isNew { add(.schema(schema)) }
            }
        }
    }

    @Test(
        "every reference leads to a schema, and no name means two",
        arguments: [
            Catalogue.standard.definitionSchemas,
            SluiceServer.Operation.all.flatMap(\.schemas) + [.problem],
        ]
    )
    func references(_ schemas: [Schema]) {
        var names = Names()
        for schema in schemas { names.add(.schema(schema)) }
        #expect(names.references.count > 10)
        #expect(names.references.subtracting(names.texts.keys) == [])
        #expect(names.texts.filter { $0.value.count > 1 }.keys.sorted() == [])
    }
}
