"""Clients whose pipelines cost much get their own values later; others do not wait, and memory is bounded.

How much work and how many bytes one turn and one principal may take is counted in
HeadFairnessTests, TurnShareTests and HeldTests. Here the attacks run over real sockets while
another client sends pings. With SLUICE_QUIET, on a machine that does nothing else, its waits are
bounded as well: by 20 ms.
"""

import threading
import time

import pytest
from hostile import pipelines, processors, victim
from hostile.bystander import Bystander
from sluice import Server
from tracing import QUIET

pytestmark = pytest.mark.long

# The longest that another client may wait, in milliseconds.
LONGEST = 20
MOST = 64 << 20
# By so much the p99 of sets among attackers may be later than that alone, in milliseconds: a long
# run cannot be divided.
LATER = 5


@pytest.mark.parametrize("attack", pipelines.ALL, ids=lambda attack: attack.__name__)
def test_others_do_not_wait(attack):
    with Server({"g": pipelines.GRAPH}) as server:
        before = server.resident()
        with Bystander(server) as bystander:
            close = attack(server)
            deadline = time.monotonic() + 3
            while time.monotonic() < deadline:
                time.sleep(0.1)
                held = server.resident() - before
            close()
        waits = sorted(bystander.waits)
        print(
            f"{attack.__name__}: others waited {waits[-1]:.1f} ms, p99 "
            f"{waits[len(waits) * 99 // 100]:.1f}; {held >> 20} MiB more"
        )
        assert len(waits) > 10
        server.set("g", "y", 7)
        assert server.value("g", "y") == 7
        if QUIET:
            assert bystander.longest < LONGEST
            assert held < MOST


@pytest.mark.skipif(not QUIET, reason="says something on a quiet machine only")
def test_a_victim_among_three_attackers():
    if reason := processors.refusal():
        pytest.skip(reason)
    ends = threading.Event()

    def repeat(attack):
        while not ends.is_set():
            close = attack(server)
            for value in range(30):
                if not ends.is_set():
                    server.set("g", "x", value)
                    time.sleep(0.02)
            close()

    with Server({"g": pipelines.GRAPH, "v": victim.GRAPH}) as server, processors.apart(server):
        alone = victim.waits(server, 8, processors.VICTIM)
        attacks = (pipelines.one_set_before_a_thousand, pipelines.timers, pipelines.scans)
        attackers = [threading.Thread(target=repeat, args=[attack]) for attack in attacks]
        for attacker in attackers:
            attacker.start()
        try:
            time.sleep(1)
            attacked = victim.waits(server, 8, processors.VICTIM)
        finally:
            ends.set()
            for attacker in attackers:
                attacker.join()
    print(f"alone: {alone}\namong attackers: {attacked}")
    if len(attacked.fair) < 0.8 * len(attacked.all):
        pytest.skip("other work on this machine held up more than a fifth of the sets")
    assert attacked.late(attacked.fair) < alone.late(alone.fair) + LATER
