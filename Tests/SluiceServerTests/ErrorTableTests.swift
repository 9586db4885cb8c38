import GraphHost
import HTTP
import Testing

@Suite("The error table")
struct ErrorTableTests {
    @Test("every code of the host has a row", arguments: HostError.Code.all)
    func coverage(code: HostError.Code) {
        #expect(ErrorTable.knows(ErrorCode(rawValue: code.rawValue)), "\(code.rawValue)")
    }

    @Test("host and table agree on what may be tried again", arguments: HostError.Code.all)
    func retry(code: HostError.Code) {
        let error = HostError(code, "")
        #expect(error.retry == ErrorTable.row(ErrorCode(rawValue: code.rawValue)).retry, "\(code.rawValue)")
    }
}
