import Support
import Testing

@Suite("A token bucket")
struct TokenBucketTests {
    @Test("A second's worth at once, then one by one, and never more than a second's worth again")
    func burst() {
        var bucket = TokenBucket(rate: 4, now: 0)
        #expect((0..<4).allSatisfy { _ in bucket.take(at: 0) == nil })
        #expect(bucket.take(at: 0) == 250)
        #expect(bucket.take(at: 100) == 150)
        #expect(bucket.take(at: 250) == nil)
        #expect(bucket.take(at: 250) == 250)
        #expect((0..<4).allSatisfy { _ in bucket.take(at: 1_000_000) == nil })
        #expect(bucket.take(at: 1_000_000) == 250)
    }

    @Test(
        "What it says about the time is right: a millisecond less is too early",
        arguments: [1, 3, 7, 1_000, 30_000]
    )
    func promise(rate: UInt64) {
        var bucket = TokenBucket(rate: rate, now: 0)
        for _ in 0..<rate { #expect(bucket.take(at: 0) == nil) }
        var now: UInt64 = 0
        for _ in 0..<20 {
            while let after = bucket.take(at: now) {
                #expect(after >= 1)
                var early = bucket
                if after > 1 { #expect(early.take(at: now + after - 1) != nil) }
                now += after
            }
        }
    }

    @Test("Over any minute no more than the rate and one burst get through")
    func bound() {
        var bucket = TokenBucket(rate: 50, now: 0)
        var taken = 0
        for now in 0..<UInt64(60_000) {
            for _ in 0..<3 where bucket.take(at: now) == nil { taken += 1 }
        }
        #expect((50 * 60...50 * 61).contains(taken))
    }

    @Test("A client that stays too fast leaves the next second its share, and no entry")
    func forgotten() {
        var buckets = TokenBuckets<Int>(rate: 2, most: 3)
        for key in 0..<3 { #expect(buckets.take(of: key, at: 0) == nil) }
        // All further ones share one bucket.
        #expect(buckets.take(of: 3, at: 0) == nil && buckets.take(of: 4, at: 0) == nil)
        #expect(buckets.take(of: 5, at: 0) != nil && buckets.take(of: nil, at: 0) != nil)
        #expect(buckets.take(of: 0, at: 999) == nil && buckets.take(of: 0, at: 999) == nil)
        #expect(buckets.take(of: 0, at: 1_000) != nil, "a new second does not forget what was taken")
        #expect(buckets.take(of: 1, at: 3_000) == nil)
        #expect(buckets.count == 1)
    }
}
