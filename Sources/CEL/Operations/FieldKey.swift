/// A field's name with its short hash.
struct FieldKey {
    let name: String
    let tag: UInt32
}
