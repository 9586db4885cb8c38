import CAllocations
import CLua

/// The same in Lua 5.4: a compiled function, called with a value that is there already, and stopped
/// when it takes too long.
struct Script {
    let name: String
    let source: String
    private let state: OpaquePointer
    private let function: Int32
    private let argument: Int32

    /// A function of `value`; `argument` is Lua for what it is called with.
    init(_ name: String, _ source: String, argument: String) {
        self.name = name
        self.source = source
        guard let state = luaL_newstate() else { preconditionFailure("there is no memory for Lua") }
        self.state = state
        luaL_openlibs(state)
        function = Script.keep("return function(value) return \(source) end", in: state)
        self.argument = Script.keep("return \(argument)", in: state)
    }

    /// Runs `text` and keeps what it returns.
    private static func keep(_ text: String, in state: OpaquePointer) -> Int32 {
        precondition(luaL_loadstring(state, text) == 0 && sluice_lua_call(state, 0) == 0, "not Lua: \(text)")
        return luaL_ref(state, -1_001_000)
    }

    @inline(never)
    private func run(_ count: Int) -> Int {
        var seen = 0
        for _ in 0..<count {
            // Anew for each call: the steps are counted from here.
            sluice_lua_bound(state, 10_000)
            lua_rawgeti(state, -1_001_000, lua_Integer(function))
            lua_rawgeti(state, -1_001_000, lua_Integer(argument))
            if sluice_lua_call(state, 1) == 0, lua_type(state, -1) != LUA_TNIL { seen += 1 }
            sluice_lua_pop(state)
        }
        return seen
    }

    /// Measures and prints a line.
    func report() {
        let count = 200_000
        precondition(run(count) == count, "\(source) fails")
        let times = (0..<9).map { _ in
            let start = thread_nanoseconds()
            _ = run(count)
            return Double(thread_nanoseconds() - start) / Double(count)
        }.sorted()
        print(
            "Lua 5.4: \(name),\"\(source)\",\((times[4] * 10).rounded() / 10),\((times[0] * 10).rounded() / 10),,"
        )
        lua_close(state)
    }
}
