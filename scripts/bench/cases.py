"""The loads that servers are compared under."""


class Case:
    """One load. `figure` is what of the report counts; `at_most`, `at_least` bound the ratio to C,
    `bound` the figure."""

    def __init__(
        self, name, number, arguments, figure, unit, at_most=None, at_least=None, bound=None, tls=False,
        seconds=1.5, digits=2, warm=None, warming=0.2,
    ):
        self.name, self.number, self.arguments, self.figure, self.unit = name, number, arguments, figure, unit
        self.at_most, self.at_least, self.bound = at_most, at_least, bound
        self.tls, self.seconds, self.digits = tls, seconds, digits
        # A load beforehand, and its seconds, so that what is made once for all is not counted.
        self.warm, self.warming = warm, warming


def fanout(subscribers, size, *more):
    """In mode `latest`, which is the protocol's default, unless something else is said."""
    return ["fanout", "--subscribers", subscribers, "--size", size, *(more or ["--latest"])]


POST, DELIVERY = "server_cpu_us_per_post", "server_cpu_us_per_delivery"
CHURN = Case(
    "connect, subscribe, vanish", "P7", ["churn"], "cycles_per_s", "cycles/s", at_least=0.9, digits=0,
    tls=True,
)
CASES = [
    Case("POST 64 B, 50 connections", "P1", ["post", "--size", 64], POST, "µs", at_most=1.35, tls=True),
    Case(
        "the same, 16 pipelined", "P2", ["post", "--size", 64, "--pipeline", 16], POST, "µs", at_most=2.0,
        tls=True,
    ),
    Case(
        "the same, no head like the one before", "", ["post", "--size", 64, "--pipeline", 16, "--varied"],
        POST, "µs",
    ),
    Case("fan-out to 1, 64 B", "P3", fanout(1, 64), DELIVERY, "µs", at_most=1.25, tls=True),
    Case("fan-out to 100, 64 B", "P3", fanout(100, 64), DELIVERY, "µs", at_most=1.2),
    Case("fan-out to 1,000, 64 B", "P3", fanout(1000, 64), DELIVERY, "µs", at_most=1.2, tls=True),
    Case("fan-out to 5,000, 64 B", "P3", fanout(5000, 64), DELIVERY, "µs", at_most=1.2),
    Case("fan-out to 1,000, 64 B, mode all", "", fanout(1000, 64, "--connections", 1), DELIVERY, "µs"),
    Case("fan-out to 100, 1 KiB", "P3", fanout(100, 1024), DELIVERY, "µs", at_most=1.2),
    Case("fan-out to 1,000, 1 KiB", "P3", fanout(1000, 1024), DELIVERY, "µs", at_most=1.2, tls=True),
    Case("fan-out to 5,000, 1 KiB", "P3", fanout(5000, 1024), DELIVERY, "µs", at_most=1.2),
    Case(
        "8 posts in flight, 1,000 subscribers, mode all", "P4", fanout(1000, 64, "--connections", 8),
        "deliveries_per_s", "deliveries/s", at_least=3, digits=0,
    ),
    Case(
        "20 posts/s to 1,000 subscribers, p99 of post to receipt", "P5",
        fanout(1000, 64, "--latest", "--rate", 20), "p99_us", "µs", at_most=1.1, seconds=4, digits=0,
        tls=True,
    ),
    Case(
        "10,000 idle WebSockets with a subscription, memory each", "P6", ["idle", "--subscribers", 10000],
        "server_bytes_per_connection", "B", bound=1500, seconds=0.5, digits=0, tls=True,
        warm=["idle", "--subscribers", 100],
    ),
    CHURN,
    Case("the same", "P7", ["churn"], "server_cpu_us_per_cycle", "µs", at_most=1.6, tls=True),
    Case(
        "connect (with TLS: full handshake) and vanish", "", ["churn", "--connect-only"], "cycles_per_s",
        "/s", digits=0, tls=True,
    ),
    Case("the same", "", ["churn", "--connect-only"], "server_cpu_us_per_cycle", "µs", tls=True),
]


def warmed(name, arguments, figure):
    """A case after a second of the same load: Node compiles what runs often."""
    return Case(name, "", arguments, figure, "µs", seconds=0.7, warm=arguments, warming=1.2)


# Those that every peer does.
PEER_CASES = [
    warmed("POST 64 B, 50 connections", ["post", "--size", 64], POST),
    warmed("POST 64 B, 16 pipelined on each", ["post", "--size", 64, "--pipeline", 16], POST),
    warmed("fan-out to 1, 64 B", fanout(1, 64), DELIVERY),
    warmed("fan-out to 100, 64 B", fanout(100, 64), DELIVERY),
    warmed("fan-out to 1,000, 64 B", fanout(1000, 64), DELIVERY),
    warmed("connect, subscribe, vanish", ["churn"], "server_cpu_us_per_cycle"),
    Case("10,000 idle WebSockets with a subscription, memory each", "", ["idle", "--subscribers", 10000],
         "server_bytes_per_connection", "B", seconds=0.2, digits=0, warm=["idle", "--subscribers", 100]),
]
