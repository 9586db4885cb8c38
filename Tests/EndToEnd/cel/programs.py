"""Writes random expressions with known types, some wrong on purpose."""

import random

RANDOM = random.Random()


def pick(*a):
    return RANDOM.choice(a)


INTS = [
    "0", "1", "2", "3", "-1", "-2", "7", "10", "100", "9223372036854775807", "-9223372036854775808", "64",
    "-64",
]
UINTS = ["0u", "1u", "2u", "3u", "10u", "18446744073709551615u", "9223372036854775808u"]
DOUBLES = [
    "0.0",
    "1.0",
    "1.5",
    "-1.5",
    "2.0",
    "3.7",
    "-0.0",
    "1e300",
    "-2.5",
    "0.1",
    "1e19",
    "9223372036854775808.0",
    "(0.0/0.0)",
    "(1.0/0.0)",
    "1e-7",
    "123456789.125",
    "1e16",
    "1e17",
    "0.5",
]
STRINGS = [
    "''",
    "'a'",
    "'abc'",
    "'b'",
    "'héllo'",
    "'1'",
    "'-5'",
    "'1.5'",
    "'true'",
    "'日本語'",
    "'a,b,c'",
    "' x '",
    "'ABC'",
    "'\\n'",
    "'1h'",
    "'2009-02-13T23:31:30Z'",
    "'1e3'",
    "'9223372036854775808'",
    "'t'",
    "'%s %d'",
    "'%.2f'",
    "'😀x'",
]
BYTES = ["b''", "b'abc'", "b'\\xff'", "b'a'", "b'h\\xc3\\xa9'"]
TIMESTAMPS = [
    "timestamp('2009-02-13T23:31:30Z')",
    "timestamp('1970-01-01T00:00:00Z')",
    "timestamp('9999-12-31T23:59:59.999999Z')",
    "timestamp('0001-01-01T00:00:00Z')",
    "timestamp('2024-02-29T12:00:00.5Z')",
    "timestamp(1234567890)",
    "timestamp('2009-02-13T23:31:30+02:30')",
    # Beside changes of the clocks, and far from them.
    "timestamp('2024-03-31T00:59:59Z')",
    "timestamp('2024-03-31T01:00:00Z')",
    "timestamp('2024-10-27T00:59:59Z')",
    "timestamp('2024-10-27T01:00:00Z')",
    "timestamp('2039-04-03T16:00:00Z')",
    "timestamp('1900-01-01T00:00:00Z')",
    "timestamp('1800-07-04T12:00:00Z')",
]
ZONES = [
    "'Europe/Berlin'",
    "'America/New_York'",
    "'Australia/Lord_Howe'",
    "'Asia/Kathmandu'",
    "'America/Sao_Paulo'",
    "'Pacific/Apia'",
    "'Asia/Nowhere'",
]
DURATIONS = [
    "duration('1h')",
    "duration('-1.5s')",
    "duration('0s')",
    "duration('1h30m')",
    "duration('100ms')",
    "duration('1000000h')",
    "duration('3723.004005s')",
]


def literal(t):
    return RANDOM.choice(
        {
            "int": INTS,
            "uint": UINTS,
            "double": DOUBLES,
            "string": STRINGS,
            "bytes": BYTES,
            "bool": ["true", "false"],
            "ts": TIMESTAMPS,
            "dur": DURATIONS,
            "null": ["null"],
        }[t]
    )


T = ["int", "uint", "double", "string", "bytes", "bool", "ts", "dur", "list", "map"]


def scal():
    return pick("int", "int", "int", "uint", "double", "string", "bool")


names = []


def expression(t, d):
    if d <= 0 and t in ("list", "map"):
        return "[]" if t == "list" else "{}"
    if d <= 0:
        if names and RANDOM.random() < 0.4:
            return names[-1]
        return literal(t)
    if RANDOM.random() < 0.03:
        t = pick(*T)  # wrong type
    if RANDOM.random() < 0.06:
        return "dyn(" + expression(t, d - 1) + ")"
    if RANDOM.random() < 0.06:
        return expression("bool", d - 1) + " ? " + expression(t, d - 1) + " : " + expression(t, d - 1)
    if names and RANDOM.random() < 0.15:
        return RANDOM.choice(names)
    r = RANDOM.random
    E = lambda x: expression(x, d - 1)
    P = lambda x: "(" + expression(x, d - 1) + ")"
    if t == "int":
        k = RANDOM.randrange(27)
        if k == 24:
            return optional_value("int", d)
        if k == 25:
            return indexed()
        if k == 26:
            return P("list") + ".size()"
        if k < 6:
            return P("int") + pick("+", "-", "*", "/", "%") + P("int")
        if k == 6:
            return "int(" + E(scal()) + ")"
        if k == 7:
            return "size(" + E(pick("string", "bytes", "list", "map")) + ")"
        if k == 8:
            return "-" + P("int")
        if k == 9:
            return P("string") + ".indexOf(" + E("string") + ")"
        if k == 10:
            return P("string") + ".lastIndexOf(" + E("string") + ("," + E("int") if r() < 0.3 else "") + ")"
        if k == 11:
            return (
                P("ts")
                + "."
                + pick(
                    "getFullYear",
                    "getMonth",
                    "getDayOfYear",
                    "getDayOfMonth",
                    "getDate",
                    "getDayOfWeek",
                    "getHours",
                    "getMinutes",
                    "getSeconds",
                    "getMilliseconds",
                )
                + "("
                + pick("", "", "'+05:30'", "'-08:00'", "'UTC'", *ZONES)
                + ")"
            )
        if k == 12:
            return P("dur") + "." + pick("getHours", "getMinutes", "getSeconds", "getMilliseconds") + "()"
        if k == 13:
            return P("list") + "[" + E("int") + "]"
        if k == 14:
            return "math." + pick("abs", "sign", "bitNot") + "(" + E("int") + ")"
        if k == 15:
            return (
                "math."
                + pick("bitAnd", "bitOr", "bitXor", "bitShiftLeft", "bitShiftRight")
                + "("
                + E("int")
                + ","
                + E("int")
                + ")"
            )
        if k == 16:
            return "math." + pick("greatest", "least") + "(" + E("int") + "," + E("int") + ")"
        if k == 17:
            return "int(" + E("ts") + ")"
        if k == 18:
            return P("map") + "[" + E("string") + "]"
        if k == 19:
            return P("map") + ".a"
        if k == 20:
            return P("string") + ".size()"
        if k == 21:
            return "cel.bind(v" + str(d) + ", " + E("int") + ", " + bindbody(d, "int") + ")"
        return literal("int")
    if t == "uint":
        k = RANDOM.randrange(8)
        if k < 3:
            return P("uint") + pick("+", "-", "*", "/", "%") + P("uint")
        if k == 3:
            return "uint(" + E(scal()) + ")"
        if k == 4:
            return "math." + pick("bitAnd", "bitOr", "bitXor") + "(" + E("uint") + "," + E("uint") + ")"
        if k == 5:
            return "math." + pick("bitShiftLeft", "bitShiftRight") + "(" + E("uint") + "," + E("int") + ")"
        return literal("uint")
    if t == "double":
        k = RANDOM.randrange(12)
        if k == 10:
            return "math." + pick("sqrt", "abs", "sign") + "(" + E(pick("int", "uint", "double")) + ")"
        if k == 11:
            several = pick(E("int") + "," + E("uint") + "," + E("double"), lst(d - 1))
            return "math." + pick("greatest", "least") + "(" + several + ")"
        if k < 3:
            return P("double") + pick("+", "-", "*", "/") + P("double")
        if k == 3:
            return "double(" + E(scal()) + ")"
        if k == 4:
            return (
                "math."
                + pick("ceil", "floor", "round", "trunc", "abs", "sign", "sqrt")
                + "("
                + E("double")
                + ")"
            )
        if k == 5:
            return (
                "math."
                + pick("greatest", "least")
                + "("
                + E("double")
                + ","
                + E(pick("double", "int", "uint"))
                + ")"
            )
        if k == 6:
            return "-" + P("double")
        return literal("double")
    if t == "string":
        k = RANDOM.randrange(25)
        if k == 22:
            return optional_value("string", d)
        if k == 23:
            return "(" + lst(d - 1) + ").map(x, string(x)).join(" + E("string") + ")"
        if k == 24:
            return RANDOM.choice(WRITTEN)
        if k < 4:
            return P("string") + "+" + P("string")
        if k == 4:
            return "string(" + E(pick("int", "uint", "double", "string", "bytes", "bool", "ts", "dur")) + ")"
        if k == 5:
            return P("string") + "." + pick("lowerAscii", "upperAscii", "trim", "reverse") + "()"
        if k == 6:
            return (
                P("string")
                + ".replace("
                + E("string")
                + ","
                + E("string")
                + ("," + E("int") if r() < 0.3 else "")
                + ")"
            )
        if k == 7:
            return (
                P("string")
                + ".substring("
                + pick("0", "1", "2", E("int"))
                + ("," + pick("1", "2", "3", E("int")) if r() < 0.5 else "")
                + ")"
            )
        if k == 8:
            return P("string") + ".charAt(" + pick("0", "1", E("int")) + ")"
        if k == 9:
            return (
                "["
                + ",".join(E("string") for _ in range(RANDOM.randrange(4)))
                + "].join("
                + (E("string") if r() < 0.5 else "")
                + ")"
            )
        if k == 10:
            return "strings.quote(" + E("string") + ")"
        if k == 11:
            return (
                pick(
                    "'%s'",
                    "'%s|%s'",
                    "'%d'",
                    "'%.2f'",
                    "'%e'",
                    "'%x'",
                    "'%X'",
                    "'%b'",
                    "'%o'",
                    "'%s %d'",
                    "'%.1e'",
                    "'%.0f'",
                    "'%%%s'",
                )
                + ".format(["
                + ",".join(
                    E(pick("int", "double", "string", "uint", "list", "map", "bool", "bytes", "ts", "dur"))
                    for _ in range(pick(1, 1, 1, 2))
                )
                + "])"
            )
        if k == 12:
            return "base64.encode(" + E("bytes") + ")"
        return literal("string")
    if t == "bytes":
        k = RANDOM.randrange(5)
        if k == 0:
            return P("bytes") + "+" + P("bytes")
        if k == 1:
            return "bytes(" + E("string") + ")"
        if k == 2:
            return "base64.decode(" + pick(E("string"), "'aGVsbG8'", "'aGVsbG8='", "'!!'") + ")"
        return literal("bytes")
    if t == "bool":
        k = RANDOM.randrange(32)
        if k >= 29:
            return "(" + optional(d) + ")" + pick(" == ", " != ") + "(" + optional(d) + ")"
        if k >= 27:
            return pair_condition(d)
        if k == 26:
            return P("string") + ".matches(" + RANDOM.choice(PATTERNS) + ")"
        if k == 25:
            return "has((" + optional_map(d) + ")" + pick(".a", ".b.c", ".a.b") + ")"
        if k == 24:
            return "(" + optional(d) + ").hasValue()"
        if k < 3:
            return P("bool") + pick(" && ", " || ") + P("bool")
        if k == 3:
            return "!" + P("bool")
        if k < 7:
            x = pick(*T)
            y = x if r() < 0.9 else pick(*T)
            return P(x) + pick("==", "!=") + P(y)
        if k < 10:
            x = pick("int", "uint", "double", "string", "bytes", "bool", "ts", "dur")
            y = x if r() < 0.9 else pick(*T)
            return P(x) + pick("<", "<=", ">", ">=") + P(y)
        if k < 12:
            x = scal()
            return (
                "dyn("
                + E(x)
                + ")"
                + pick("==", "!=", "<", "<=", ">", ">=")
                + "dyn("
                + E(pick("int", "uint", "double"))
                + ")"
            )
        if k == 12:
            return P(scal()) + " in " + P(pick("list", "map"))
        if k == 13:
            return P("string") + "." + pick("contains", "startsWith", "endsWith") + "(" + E("string") + ")"
        if k == 14:
            return "has(" + P("map") + "." + pick("a", "b", "c") + ")"
        if k < 18:
            return macro(d)
        if k == 18:
            return "bool(" + E("string") + ")"
        if k == 19:
            return "math." + pick("isNaN", "isInf", "isFinite") + "(" + E("double") + ")"
        if k == 20:
            return (
                "type("
                + E(pick(*T))
                + ") == "
                + pick(
                    "int", "uint", "double", "string", "list", "map", "bool", "bytes",
                    "type(" + E(pick(*T)) + ")",
                )
            )
        if k == 21:
            return P("map") + ".?" + pick("a", "b") + ".hasValue()"
        return literal("bool")
    if t == "ts":
        k = RANDOM.randrange(6)
        if k < 2:
            return P("ts") + pick("+", "-") + P("dur")
        if k == 2:
            return "timestamp(" + E(pick("string", "int")) + ")"
        return literal("ts")
    if t == "dur":
        k = RANDOM.randrange(7)
        if k == 0:
            return P("ts") + "-" + P("ts")
        if k == 1:
            return P("dur") + pick("+", "-") + P("dur")
        if k == 2:
            return "duration(" + E("string") + ")"
        return literal("dur")
    if t == "list":
        return lst(d)
    if t == "map":
        k = RANDOM.randrange(5)
        if k == 4:
            return "(" + optional_map(d) + ").orValue({})"
        if k == 0:
            return (
                "{"
                + ",".join(pick("'a'", "'b'", "'c'") + ":" + E(scal()) for _ in range(RANDOM.randrange(3)))
                + "}"
            )
        if k == 1:
            return (
                "{"
                + ",".join(
                    pick("1", "2", "'a'", "3u", E("int")) + ":" + E("int") for _ in range(RANDOM.randrange(3))
                )
                + "}"
            )
        if k == 2:
            return (
                "{"
                + ",".join(
                    pick("?", "")
                    + pick("'a'", "'b'", "'c'")
                    + ":"
                    + pick("optional.none()", "optional.of(" + E("int") + ")", E("int"))
                    for _ in range(RANDOM.randrange(3))
                )
                + "}"
            )
        return pick("{}", "{'a':1}", "{'a':1,'b':2}", "{'a':{'b':'x'}}", "{1:'a',2:'b'}")


def bindbody(d, t):
    names.append("v" + str(d))
    s = expression(t, d - 1)
    names.pop()
    return s


def body(t, d):
    names.append("x")
    s = expression(t, d - 1)
    names.pop()
    return s


def macro(d):
    return (
        "("
        + expression(pick("list", "list", "list", "map"), d - 1)
        + ")."
        + pick("all", "exists", "exists_one")
        + "(x, "
        + pick(body("bool", d), "x " + pick("<", ">", "==", "!=") + " " + body("int", d), "10 / x > 2")
        + ")"
    )


PATTERNS = ["'a'", "'^a.*c$'", "'[0-9]+'", "'(a|b)+$'", "'é'", "'^$'", "'('", r"r'\d'", r"'\\.'", "'a{2,3}'"]

# Escapes, raw literals, three quotes.
WRITTEN = [
    r"'\u00e9'",
    r"'\U0001F600'",
    r"'\x41'",
    r"'\101'",
    r"'\a\b\f\n\r\t\v'",
    r"r'\n'",
    '"""a\'b"""',
    "'''a\"b'''",
    r"'\`\?\''",
    r"'e\u0301'",
]


def optional(d):
    k = RANDOM.randrange(8)
    if k == 0 or d <= 0:
        return pick("optional.none()", "optional.of(1)", "optional.of('a')")
    if k == 1:
        return "optional.of(" + expression(scal(), d - 1) + ")"
    if k == 2:
        return (
            "optional.ofNonZeroValue("
            + expression(pick("int", "string", "list", "map", "bool", "dur"), d - 1)
            + ")"
        )
    if k == 3:
        return "(" + expression("map", d - 1) + ")" + pick(".?a", ".?b.c", "[?'a']", "[?1]", ".?a.?b")
    if k == 4:
        return "(" + lst(d - 1) + ")[?" + expression("int", d - 1) + "]"
    if k == 5:
        return "(" + optional(d - 1) + ").or(" + optional(d - 1) + ")"
    if k == 6:
        return "(" + optional(d - 1) + ").optMap(x, " + body(scal(), d) + ")"
    return "(" + optional(d - 1) + ").optFlatMap(x, optional.of(" + body(scal(), d) + "))"


def optional_map(d):
    return "optional." + pick("of", "of", "ofNonZeroValue") + "(" + expression("map", d - 1) + ")"


def optional_value(t, d):
    return "(" + optional(d - 1) + ")" + pick(".orValue(" + expression(t, d - 1) + ")", ".value()")


def indexed():
    """Look-ups with keys and indices of another number type."""
    return pick("[1, 2, 3]", "{1: 10, 2u: 20}", "{1u: 5}", "[[1], [2]]") + pick(
        "[1]", "[dyn(1.0)]", "[dyn(1u)]", "[dyn(1.5)]", "[dyn(-1)]", "[?1]", "[dyn(9223372036854775808u)]"
    )


def pair_body(t, d):
    """A body in which both variables of a macro stand."""
    names.append("k")
    source = body(t, d)
    names.pop()
    return source


def pair_condition(d):
    over = pick(lst(d - 1), expression("map", d - 1))
    condition = pick(pair_body("bool", d), "k == x", "x != k", "k in [0, 1, 'a']", "10 / x > 1")
    return "(" + over + ")." + pick("all", "exists", "existsOne") + "(k, x, " + condition + ")"


def listed(d):
    """The lists extension, and macros that make lists."""
    k = RANDOM.randrange(11)
    inner = "(" + lst(d - 1) + ")"
    if k == 0:
        return "lists.range(" + pick("0", "3", "-1", expression("int", 0)) + ")"
    if k == 1:
        return inner + ".slice(" + pick("0", "1") + "," + pick("1", "2", "3", "-1") + ")"
    if k == 2:
        return inner + ".flatten(" + pick("", "", "1", "2", "0", "-1") + ")"
    if k == 3:
        return "[[1, [2]], " + inner + "].flatten(" + pick("", "2", "3") + ")"
    if k == 4:
        return inner + ".distinct()"
    if k == 5:
        return inner + ".sort()"
    if k == 6:
        return inner + ".reverse()"
    if k == 7:
        return inner + ".sortBy(x, " + body(scal(), d) + ")"
    if k == 8:
        return inner + ".map(x, " + body("bool", d) + ", " + body(scal(), d) + ")"
    over = pick(lst(d - 1), expression("map", d - 1))
    condition = pair_body("bool", d) + ", " if RANDOM.random() < 0.4 else ""
    return "(" + over + ").transformList(k, x, " + condition + pair_body(scal(), d) + ")"


def lst(d):
    if d > 0 and RANDOM.random() < 0.25:
        return listed(d)
    k = RANDOM.randrange(9)
    e = scal()
    if k < 3:
        return "[" + ", ".join(expression(e, d - 1) for _ in range(RANDOM.randrange(4))) + "]"
    if k == 3:
        return "(" + lst(d - 1) + ") + (" + lst(d - 1) + ")" if d > 0 else "[]"
    if k == 4:
        return "(" + expression(pick("list", "map"), d - 1) + ").map(x, " + body(pick(*T), d) + ")"
    if k == 5:
        return "(" + expression(pick("list", "map"), d - 1) + ").filter(x, " + body("bool", d) + ")"
    if k == 6:
        return (
            "("
            + expression("string", d - 1)
            + ").split("
            + expression("string", d - 1)
            + ("," + pick("0", "1", "2", "-1") if RANDOM.random() < 0.3 else "")
            + ")"
        )
    if k == 7:
        return (
            "["
            + ", ".join(
                pick("", "", "?") + pick("optional.of(" + expression(e, d - 1) + ")", expression(e, d - 1))
                for _ in range(RANDOM.randrange(4))
            )
            + "]"
        )
    return pick("[1,2,3]", "[1,2.0,3u]", "['a','b']", "[[1],[2]]", "[true,false]")


def write(seed: int, count: int):
    """`count` expressions, always the same ones for a seed."""
    RANDOM.seed(seed)
    names.clear()
    for _ in range(count):
        source = expression(pick(*T), RANDOM.randrange(1, 5))
        if len(source) < 400:
            yield source
