"""A reader of server-sent events, after the rules of the HTML standard."""

import http.client
import json

from sluice import PATIENCE


class Event:
    def __init__(self, name, data, identifier):
        self.name, self.data, self.id = name, data, identifier

    def json(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"<{self.name} {self.id} {self.data}>"


class EventSource:
    """One stream; iterating gives its events until it ends."""

    def __init__(self, server, path, timeout=PATIENCE, **headers):
        self.connection = http.client.HTTPConnection(server.host, server.port, timeout=timeout)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request("GET", path, headers={"Accept": "text/event-stream", **headers})
        self.response = self.connection.getresponse()
        self.status, self.headers = self.response.status, self.response.headers
        self.last_id, self.retry = None, None

    def event(self):
        """The next event; None at the end of the stream."""
        name, data, identifier = "message", [], None
        for raw in iter(self.response.readline, b""):
            line = raw.decode().rstrip("\n").rstrip("\r")
            if not line:
                if data:
                    if identifier is not None:
                        self.last_id = identifier
                    return Event(name, "\n".join(data), identifier)
                name, identifier = "message", None
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif field == "id":
                identifier = value
            elif field == "retry":
                self.retry = int(value)
        return None

    def close(self):
        # The response holds the socket as well.
        self.response.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
