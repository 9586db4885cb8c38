"""Prints what each node of a graph holds, and the last hour of one of them.

    report.py http://127.0.0.1:8080 house indoor_c
"""

import asyncio
import sys
import time

from sluice_client.service import Service


async def main(address: str, graph: str, node: str) -> None:
    async with Service(address) as service:
        async for name, value in service.values(graph):
            print(f"{name:20} {value}")
        begin = int((time.time() - 3600) * 1000)
        async for step in service.history(f"{graph}/{node}", begin=begin, points=12):
            print(time.strftime("%H:%M", time.localtime(step["t"] / 1000)), step.get("mean", "–"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
