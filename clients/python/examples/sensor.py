"""A sensor that measures only while a client wants its value.

    sensor.py http://127.0.0.1:8080 fleet/sensor.7.celsius
"""

import asyncio
import random
import sys

from sluice_client import Client, connect


async def measure(client: Client, target: str) -> None:
    celsius = 20.0
    while True:
        celsius += random.uniform(-0.5, 0.5)
        await client.set(target, round(celsius, 1))
        await asyncio.sleep(1)


async def main(address: str, target: str) -> None:
    graph, node = target.split("/")
    work: asyncio.Task[None] | None = None
    async with connect(address, name="sensor") as client:
        async for wanted in client.demand(graph, node):
            if node in (wanted.value or {}) and not work:
                work = asyncio.create_task(measure(client, target))
            elif node not in (wanted.value or {}) and work:
                work.cancel()
                work = None


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
