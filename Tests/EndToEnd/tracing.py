"""What a page's main thread did, as the browser's own trace has it: how long each task took, and
how much of that it really worked.

On a machine with others a task that waits for the processor is long by the clock; `work` is what
the page itself took.
"""

import contextlib
import json
import os
import types

from sluice import eventually

# Time limits hold only on an otherwise idle machine. The caller must set this: the load of the last
# minute would include the build.
QUIET = bool(os.environ.get("SLUICE_QUIET"))


@contextlib.contextmanager
def tasks_of(browser, page, origin):
    """Yields an object that has, at the end, `tasks`: `(milliseconds by the clock, milliseconds of
    work)` for each task of the page."""
    found = types.SimpleNamespace(tasks=[], longest=0, longest_work=0)
    browser.start_tracing(
        page=page, categories=["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"]
    )
    try:
        yield found
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
        # The thread that ran the page's scripts, among those of other pages.
        threads = {
            (each["pid"], each["tid"])
            for each in events
            if each["name"] == "FunctionCall"
            and each.get("args", {}).get("data", {}).get("url", "").startswith(origin)
        }
        # Some versions have each task twice, under two names.
        names = {each["name"] for each in events if each["name"].endswith("RunTask")}
        for each in events:
            if (each["pid"], each["tid"]) in threads and each["name"] == min(names) and "tdur" in each:
                found.tasks.append((each["dur"] / 1000, each["tdur"] / 1000))
        found.longest = max((clock for clock, _ in found.tasks), default=0)
        found.longest_work = max((work for _, work in found.tasks), default=0)


def reaction(page, click, appears):
    """Milliseconds from a click to the frame in which `appears` (a selector) is there, by the
    page's own clock."""
    page.evaluate("""(appears) => {
        globalThis.reaction = null;
        addEventListener("click", ({ timeStamp }) => {
            (function look() {
                if (document.querySelector(appears)) globalThis.reaction = performance.now() - timeStamp;
                else requestAnimationFrame(look);
            })();
        }, { capture: true, once: true });
    }""", appears)
    click()
    eventually(lambda: page.evaluate("globalThis.reaction") is not None, appears)
    return page.evaluate("globalThis.reaction")
