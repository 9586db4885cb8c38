"""Where sinks send values: it takes them, refuses them, answers nonsense, or closes."""

import asyncio
import re

ANSWERS = ["HTTP/1.1 204 No Content"] * 6 + [
    "HTTP/1.1 500 No", "HTTP/1.1 429 Later\r\nRetry-After: 1", "HTTP/1.1 400 Never", "nonsense", "",
]


async def start(dice):
    """Returns the running receiver, and its port."""

    async def take(reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(int(re.search(rb"content-length: (\d+)", head, re.I)[1]))
                answer = dice.choice(ANSWERS)
                if not answer.startswith("HTTP"):
                    writer.write(answer.encode())
                    break
                writer.write(
                    f"{answer}\r\nContent-Length: 0\r\n\r\n".encode()
                    if "204" not in answer
                    else f"{answer}\r\n\r\n".encode()
                )
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]
