"""Clients whose pipelines cost much get their own values later; others do not wait, and memory is bounded.

How much work and how many bytes one turn and one principal may take is counted in PipelineLaneTests, TurnShareTests and HeldTests. Here the
attacks run over real sockets while another client sends pings. With SLUICE_NIGHTLY its waits are bounded as well: by 50 ms, twice that
beside other work.
"""

import os
import time

import pytest
from hostile import pipelines
from hostile.bystander import Bystander
from sluice import Server

LONGEST = 100
MOST = 64 << 20


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
        print(f"{attack.__name__}: others waited {waits[-1]:.1f} ms, p99 {waits[len(waits) * 99 // 100]:.1f}; {held >> 20} MiB more")
        assert len(waits) > 10
        server.set("g", "y", 7)
        assert server.value("g", "y") == 7
        if os.environ.get("SLUICE_NIGHTLY"):
            assert bystander.longest < LONGEST
            assert held < MOST
