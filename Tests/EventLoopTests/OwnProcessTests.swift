import EventLoop
import Testing

@Suite("This process")
struct OwnProcessTests {
    @Test("knows its memory, processor time, descriptors and machine")
    func figures() throws {
        #expect(OwnProcess.residentBytes > 1 << 20)
        #expect(OwnProcess.processorTime.user >= .zero)
        #expect(try #require(OwnProcess.openDescriptors) > 2)
        #expect(OwnProcess.descriptorLimit > 2)
        #expect(!OwnProcess.hostName.isEmpty)
        let start = OwnProcess.nanoseconds
        #expect(OwnProcess.nanoseconds >= start)
    }

    @Test("errors have libuv's names and sentences")
    func errors() {
        let error = UVError(errno: 98, call: "bind")
        #expect(error.code == -98)
        #expect(error.name == "EADDRINUSE")
        #expect(error.message == "address already in use")
        #expect(UVError(code: -12345, call: "x").name.contains("12345"))
    }
}
