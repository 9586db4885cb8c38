"""permessage-deflate, as data: families 12 and 13 of the Autobahn test suite."""

import json
import random

P = "permessage-deflate"

# (what is offered, the fields, what is agreed on in mode full)
OFFERS = [
    ("nothing", [], None),
    ("no parameters", [P], P),
    ("server forgets", [P + "; server_no_context_takeover"], P + "; server_no_context_takeover"),
    ("client forgets", [P + "; client_no_context_takeover"], P + "; client_no_context_takeover"),
    ("client window is bounded as wanted", [P + "; client_max_window_bits"], P),
    *(
        (f"client window {n}", [f"{P}; client_max_window_bits={n}"], f"{P}; client_max_window_bits={n}")
        for n in range(8, 16)
    ),
    *(
        (f"server window {n}", [f"{P}; server_max_window_bits={n}"], f"{P}; server_max_window_bits={n}")
        for n in range(8, 16)
    ),
    (
        "all four",
        [
            f"{P}; client_max_window_bits=9; server_no_context_takeover; server_max_window_bits=10; "
            "client_no_context_takeover"
        ],
        f"{P}; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
        "client_max_window_bits=9",
    ),
    ("quoted", [f'{P}; server_max_window_bits="12"'], f"{P}; server_max_window_bits=12"),
    ("blanks", [f"  {P} ;  server_max_window_bits = 12 "], f"{P}; server_max_window_bits=12"),
    ("another extension first", [f"x-unknown; a=1, {P}"], P),
    ("only another extension", ["x-webkit-deflate-frame"], None),
    (
        "two offers, the first is kept", [f"{P}; server_max_window_bits=9, {P}"],
        f"{P}; server_max_window_bits=9",
    ),
    ("two offers, the first cannot be", [f"{P}; server_max_window_bits=7, {P}"], P),
    ("two fields", [f"{P}; what=1", f"{P}; client_no_context_takeover"], f"{P}; client_no_context_takeover"),
    (
        "three offers, the last is kept",
        [f"{P}; a, {P}; server_max_window_bits, {P}; server_max_window_bits=15"],
        f"{P}; server_max_window_bits=15",
    ),
    *(
        (f"declined: {bad}", [f"{P}; {bad}"], None)
        for bad in (
            "unknown", "server_max_window_bits", "server_max_window_bits=7", "server_max_window_bits=16",
            "server_max_window_bits=09", "server_max_window_bits=x", "client_max_window_bits=7",
            "client_max_window_bits=16", "client_max_window_bits=09", "server_no_context_takeover=1",
            "client_no_context_takeover=0", "server_no_context_takeover; server_no_context_takeover",
            "client_max_window_bits; client_max_window_bits",
            "server_max_window_bits=9; server_max_window_bits=10",
        )
    ),
]

MALFORMED = [
    f"{P};", f"{P}; a=", f"{P} a", f'{P}; a="', f'{P}; a="b c"', f"{P}; =1", ";", f"{P}, a=b=c", f'"{P}"',
]

PARAMETERS = [
    "", "; client_max_window_bits", "; server_no_context_takeover", "; client_no_context_takeover",
    "; server_no_context_takeover; client_no_context_takeover",
    *(f"; server_max_window_bits={n}" for n in (8, 9, 12, 15)),
    *(f"; client_max_window_bits={n}" for n in (8, 9, 12, 15)),
    *(f"; server_max_window_bits={n}; client_max_window_bits={n}" for n in (8, 9, 15)),
    *(f"; server_no_context_takeover; server_max_window_bits={n}" for n in (9, 15)),
]

KINDS = ["text", "noise", "zeros"]

SIZES = [0, 1, 16, 64, 256, 1024, 4096, 8192, 16384, 32768, 65536, 131072]


def messages(kind, size, count):
    """Reproducible messages of about `size` bytes."""
    randomness = random.Random(f"{kind} {size}")
    if kind == "zeros":
        return [bytes(size)] * count
    if kind == "noise":
        return [randomness.randbytes(size)] * count
    made = []
    for _ in range(count):
        text = ""
        while len(text) < size:
            text += json.dumps(
                {
                    "id": randomness.randrange(10_000), "room": randomness.choice(["Küche", "hall", "attic"]),
                    "v": round(randomness.uniform(-10, 30), 2),
                },
                ensure_ascii=False,
            )
        data = text.encode()[:size]
        made.append(data.decode("utf-8", "ignore").encode())
    return made
