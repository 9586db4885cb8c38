#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

// Function-like macros of Lua that Swift does not see.
static inline double sluice_lua_number(lua_State *state, int index) { return lua_tonumberx(state, index, NULL); }
static inline int sluice_lua_call(lua_State *state, int arguments) {
    return lua_pcallk(state, arguments, 1, 0, 0, NULL);
}
static inline void sluice_lua_pop(lua_State *state) { lua_settop(state, -2); }

// Stops a script that runs away, as a server that takes scripts from clients has to.
static void sluice_lua_stop(lua_State *state, lua_Debug *record) {
    (void)record;
    luaL_error(state, "too long");
}
static inline void sluice_lua_bound(lua_State *state, int count) { lua_sethook(state, sluice_lua_stop, LUA_MASKCOUNT, count); }
