"""A real browser for tests: the machine's Chromium, with pages whose every complaint counts."""

import os
import re
import shutil

from playwright.sync_api import expect, sync_playwright
from sluice import PATIENCE, Server

# A slow machine is no fault of the page.
expect.set_options(timeout=PATIENCE * 1000)

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]
# What Chromium says by itself about a server that is down: expected where a test stops it, nowhere
# else.
DOWN = "ERR_CONNECTION|ERR_SOCKET_NOT_CONNECTED|WebSocket connection"


def row(page, node):
    """The row of a node in the table of values."""
    return page.locator(f'[data-row="{node}"]')


def program():
    """Chromium without its windows, where the distribution has it: the same engine, and a page takes
    a third of the processor time. The nightly tests use the whole browser."""
    whole = shutil.which("chromium")
    return whole if os.environ.get("SLUICE_NIGHTLY") else shutil.which("chromium-headless-shell") or whole


def launch():
    """Playwright and a browser with an empty profile; close both."""
    playwright = sync_playwright().start()
    return playwright, playwright.chromium.launch(
        executable_path=program(), headless=True, args=ARGUMENTS
    )


class Pages:
    """Opens pages, each in a context of its own, as a client of its own.

    Their consoles must stay silent, their policy must not be violated, and all they ask for must
    come from the server.
    """

    def __init__(self, browser):
        self.browser = browser
        self.contexts = []
        self.problems = []

    def __call__(self, server, path="/", allow=r"^$", before=None, **options):
        options.setdefault("viewport", {"width": 1280, "height": 800})
        context = self.browser.new_context(**options)
        self.contexts.append(context)
        if isinstance(server, Server):
            server.before_exit.append(context.close)
        page = context.new_page()
        page.add_init_script(
            "addEventListener('securitypolicyviolation', e => console.error('policy', e.violatedDirective, "
            "e.blockedURI))"
        )
        page.on("console", lambda m: m.type in ("error", "warning") and not re.search(allow, m.text)
                and self.problems.append(m.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        own = (server.url, server.url.replace("http", "ws", 1))
        page.on(
            "request", lambda r: r.url.startswith(own) or self.problems.append(f"foreign request {r.url}")
        )
        page.on(
            "websocket", lambda s: s.url.startswith(own) or self.problems.append(f"foreign socket {s.url}")
        )
        if before:
            before(page)
        page.goto(server.url + path)
        return page

    def close(self):
        for context in self.contexts:
            context.close()
        assert not self.problems, self.problems
