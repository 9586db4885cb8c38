import Support
import Testing

@Suite("Names of graphs and nodes")
struct NameTests {
    @Test("every byte that is no name byte makes the name invalid, and '.' and '-' do so at its beginning")
    func bytes() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(Name.isValid([UInt8(ascii: "a"), byte]) == allowed.contains(byte), "byte \(byte)")
            let mayBegin = allowed.contains(byte) && byte != 0x2E && byte != 0x2D
            #expect(Name.isValid([byte]) == mayBegin, "byte \(byte) first")
        }
    }

    @Test("a name has 1 to 128 bytes")
    func length() {
        #expect(!Name.isValid(""))
        #expect(Name.isValid(String(repeating: "a", count: 128)))
        #expect(!Name.isValid(String(repeating: "a", count: 129)))
    }
}
