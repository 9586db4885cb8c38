"""Gives a server a processor of its own, so that what its clients wait for is the server and not the machine."""

import contextlib
import os

SERVER, LOAD = 0, 1
# A victim runs before the load that shares its processor.
VICTIM = ("chrt", "-f", "50")


def refusal():
    """Why this machine cannot do that; None: it can."""
    if not {SERVER, LOAD} <= os.sched_getaffinity(0):
        return "takes two processors"
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    except PermissionError:
        return "takes the right to real-time priorities"
    return None


@contextlib.contextmanager
def apart(server):
    """Processor 0 is the server's, before all others; this thread, and what it starts, has the other one."""
    for thread in map(int, os.listdir(f"/proc/{server.process.pid}/task")):
        os.sched_setaffinity(thread, {SERVER})
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(40))
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {LOAD})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
