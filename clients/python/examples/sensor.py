"""A sensor that measures only while a client wants its value.

    sensor.py http://127.0.0.1:8080 fleet/sensor.7.celsius
"""

import asyncio
import random
import sys

from sluice_client import Client, SluiceError, connect


async def measure(client: Client, target: str) -> None:
    celsius = 20.0
    while True:
        celsius += random.uniform(-0.5, 0.5)
        try:
            await client.set(target, round(celsius, 1))
        except SluiceError as error:
            # The connection comes back, and the next measurement counts more than this one.
            print(error, file=sys.stderr)
        await asyncio.sleep(1)


async def main(address: str, target: str) -> None:
    graph, node = target.split("/")
    work: asyncio.Task[None] | None = None
    async with connect(address, name="sensor") as client:
        async for wanted in client.demand(graph, node):
            if wanted.ended:
                raise wanted.ended
            is_wanted = node in (wanted.value or {})
            if is_wanted and not work:
                work = asyncio.create_task(measure(client, target))
            elif work and not is_wanted:
                work.cancel()
                work = None


if __name__ == "__main__":
    try:
        asyncio.run(main(*sys.argv[1:]))
    except KeyboardInterrupt:
        pass
