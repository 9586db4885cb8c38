"""A network between a client and the server that can fall silent: no end, no reset, nothing comes
through any more."""

import contextlib
import selectors
import socket
import threading


class Network:
    """Forwards connections to `server` byte by byte until `cut()`."""

    def __init__(self, server):
        self.target = server.host, server.port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.selector, self.ends, self.silent, self.running = selectors.DefaultSelector(), {}, False, True
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def cut(self):
        """From here on nothing is read or written; all connections stay as they are."""
        self.silent = True

    def run(self):
        while self.running:
            for key, _ in self.selector.select(0.02):
                if self.silent:
                    break
                if key.fileobj is self.listener:
                    pair = self.listener.accept()[0], socket.create_connection(self.target)
                    for one, other in (pair, pair[::-1]):
                        self.ends[one] = other
                        self.selector.register(one, selectors.EVENT_READ)
                else:
                    self.forward(key.fileobj)
            if self.silent:
                threading.Event().wait(0.02)

    def forward(self, end):
        other = self.ends.get(end)
        with contextlib.suppress(OSError):
            if data := end.recv(65536):
                return other.sendall(data)
        for each in (end, other):
            if self.ends.pop(each, None):
                self.selector.unregister(each)
                each.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.running = False
        self.thread.join()
        for end in (self.listener, *self.ends):
            end.close()
        self.selector.close()
