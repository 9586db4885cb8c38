"""Does what the common table of scenarios asks for: Tests/EndToEnd/clients/README.md has the
requests that come on standard input, and the answers and events that go to standard output."""

import asyncio
import dataclasses
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "src"))
from sluice_client import Deliveries, SluiceError, UnknownOutcome, Values, connect  # noqa: E402

# What a delivery is called where its name differs.
NAMES = {"lost_revs": "lostRevs"}


def write(message):
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def error_of(error):
    code = error.code if isinstance(error, SluiceError) else "bug"
    path, key = getattr(error, "path", None), getattr(error, "key", None)
    message = getattr(error, "message", repr(error))
    return {"code": code, "message": message, "path": path, "key": key}


def meta_of(delivery):
    meta = {}
    for field in dataclasses.fields(delivery):
        held = getattr(delivery, field.name)
        if field.name != "value" and held not in (None, False, [], {}):
            meta[NAMES.get(field.name, field.name)] = held
    if ended := delivery.ended:
        meta["ended"] = {"code": ended.code, "msg": ended.message}
    return meta


class Driver:
    def __init__(self):
        self.client, self.handles, self.unknown = None, {}, {}

    # What is asked for, and the options that are left

    @staticmethod
    def target(given):
        if "target" in given:
            return given.pop("target")
        return {key: given.pop(key) for key in ("graph", "nodes", "combine", "map") if key in given}

    def keep(self, handle, deliveries):
        self.handles[handle] = deliveries
        asyncio.create_task(self.tell(handle, deliveries))

    async def tell(self, handle, deliveries: Deliveries):
        code = None
        try:
            async for each in deliveries:
                if isinstance(deliveries, Values):
                    write({"on": handle, "value": each})
                else:
                    value = {} if each.ended else {"value": each.value}
                    write({"on": handle, **value, "meta": meta_of(each)})
        except SluiceError as error:
            code = error.code
        if isinstance(deliveries, Values):
            write({"on": handle, "end": code})

    # Commands

    async def connect(self, url, token=None, client=None):
        self.client = connect(
            url, token=token, name=client, on_state=lambda state: write({"state": state.name}),
            on_gap=lambda gap: write({"gap": gap}),
        )
        self.client.start()

    async def close(self):
        await self.client.close()

    async def set(self, target=None, value=None, graph=None, values=None, **options):
        options = {{"if": "if_", "with": "with_"}.get(key, key): each for key, each in options.items()}
        if target:
            return await self.client.set(target, value, **options)
        return await self.client.set_many(graph, values, **options)

    async def update(self, target=None, expression=None, graph=None, expressions=None, **options):
        options = {{"if": "if_", "with": "with_"}.get(key, key): each for key, each in options.items()}
        if target:
            return await self.client.update(target, expression, **options)
        return await self.client.update_many(graph, expressions, **options)

    async def wipe(self, graph, match):
        return await self.client.wipe(graph, match)

    async def get(self, target=None, graph=None, nodes=None, after=None):
        if target:
            return await self.client.get(target, after=after)
        return await self.client.get_many(graph, nodes, after=after)

    async def list(self, changes=False):
        return await self.client.list((lambda graphs: write({"changes": graphs})) if changes else None)

    async def load(self, target, **report):
        return await self.client.load(target, **report)

    async def presence(self, target, value=None):
        return await self.client.presence(target, value)

    async def auth(self, token):
        return await self.client.auth(token)

    async def ping(self):
        return await self.client.ping()

    async def retry(self):
        self.client.start()

    async def repeat(self, of):
        return await self.unknown.pop(of).repeat()

    async def watch(self, handle, **given):
        self.keep(handle, self.client.watch(self.target(given), **given))

    async def stream(self, handle, **given):
        self.keep(handle, self.client.values(self.target(given), **given))

    async def link(self, handle, graph, to, **given):
        self.keep(handle, self.client.link(graph, given.pop("from"), to, **given))

    async def sync(self, handle, graph, a, b, **given):
        self.keep(handle, self.client.sync(graph, a, b, **given))

    async def demand(self, handle, graph, nodes):
        self.keep(handle, self.client.demand(graph, nodes))

    async def observe(self, handle, graph, **given):
        self.keep(handle, self.client.observe(graph, **given))

    async def unwatch(self, handle):
        self.handles.pop(handle).close()

    async def release(self, owner):
        self.client.owner(owner).release()

    async def answer(self, line):
        command = json.loads(line)
        number, do = command.pop("id"), command.pop("do")
        try:
            write({"id": number, "ok": await getattr(self, do)(**command)})
        except UnknownOutcome as error:
            self.unknown[number] = error
            write({"id": number, "error": error_of(error)})
        except Exception as error:
            write({"id": number, "error": error_of(error)})

    async def run(self):
        reader = asyncio.StreamReader(limit=1 << 24)
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        tasks = set()
        while line := await reader.readline():
            task = asyncio.create_task(self.answer(line))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
        if self.client:
            await self.client.close()


asyncio.run(Driver().run())
