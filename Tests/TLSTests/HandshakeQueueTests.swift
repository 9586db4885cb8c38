import Testing

@testable import TLS

@Suite("TLS handshakes are shared out over turns")
struct HandshakeQueueTests {
    @Test("a turn takes four steps, the others wait in order and come before new ones")
    func order() {
        var noticed = 0
        let queue = HandshakeQueue { noticed += 1 }
        var done: [Int] = []
        func come(_ number: Int) {
            if queue.takesStep() { done.append(number) } else { queue.add { done.append(number) } }
        }
        for number in 0..<10 { come(number) }
        #expect(done == [0, 1, 2, 3])
        #expect(queue.isWaiting)
        queue.endTurn()
        queue.beginTurn()
        #expect(done == Array(0..<8))
        come(10)
        queue.endTurn()
        queue.beginTurn()
        #expect(done == Array(0...10))
        #expect(!queue.isWaiting)
        come(11)
        #expect(done.last == 11, "a share is left in this turn")
        come(12)
        #expect(queue.isWaiting)
        #expect(noticed >= 13, "each is noticed by the server")
    }

    @Test("a turn of its own is enough for a lone client")
    func lone() {
        let queue = HandshakeQueue {}
        for _ in 0..<100 {
            #expect(queue.takesStep())
            queue.endTurn()
        }
    }
}
