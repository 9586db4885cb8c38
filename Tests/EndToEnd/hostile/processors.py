"""Gives a server's loop a processor of its own, so that what its clients wait for is the server and
not the machine."""

import contextlib
import os
import threading

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


def move(thread, processor, priority):
    with contextlib.suppress(ProcessLookupError):
        os.sched_setaffinity(thread, {processor})
        os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(priority))


def move_helpers(pid, ends):
    """Threads that read pipelines and files inherit the processor of the loop, which would wait for
    them there."""
    moved = {pid}
    while not ends.wait(0.02):
        for thread in set(map(int, os.listdir(f"/proc/{pid}/task"))) - moved:
            move(thread, LOAD, 30)
            moved.add(thread)


@contextlib.contextmanager
def apart(server):
    """Processor 0 is for the server's loop; its other threads come first on the other one, behind a victim.

    This thread, and what it starts, has the other processor too.
    """
    pid, ends = server.process.pid, threading.Event()
    helpers = threading.Thread(target=move_helpers, args=[pid, ends])
    before = os.sched_getaffinity(0)
    move(pid, SERVER, 40)
    helpers.start()
    os.sched_setaffinity(0, {LOAD})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
        ends.set()
        helpers.join()
