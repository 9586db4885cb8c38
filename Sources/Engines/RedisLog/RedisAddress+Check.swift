public import Commits

extension RedisAddress {
    /// Checks that the Redis can be reached and used; changes nothing.
    ///
    /// - Throws: ``StoreError`` if it cannot.
    public func check(prefix: String) throws(StoreError) {
        do throws(RedisError) {
            _ = try RedisStore(self, prefix: prefix).positions()
        } catch {
            throw StoreError("Redis at \(description) cannot be used: \(error.description)")
        }
    }
}
