"""A network between a client and a server, which can break, fall silent, and lead to another server."""

import contextlib
import selectors
import socket
import threading


class Network:
    """Forwards connections to `server` byte by byte, as long as it is not cut or broken."""

    def __init__(self, server):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.selector, self.ends, self.running = selectors.DefaultSelector(), {}, True
        self.silent, self.muted, self.closed = False, False, False
        self.changed = threading.Event()
        self.lead_to(server)
        self.selector.register(self.listener, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def lead_to(self, server):
        """Further connections go to that server."""
        self.target = server.host, server.port

    def cut(self):
        """From here on nothing is read or written; all connections stay as they are."""
        self.silent = True

    def mute(self):
        """What the server sends is lost; what clients send still arrives."""
        self.muted = True

    def break_off(self):
        """Ends all connections, and refuses others until `join()`."""
        self.closed = True
        self.changed.clear()
        self.changed.wait()

    def join(self):
        self.silent = self.muted = self.closed = False

    def run(self):
        while self.running:
            for key, _ in self.selector.select(0.02):
                if self.silent:
                    break
                if key.fileobj is self.listener:
                    self.accept()
                else:
                    self.forward(key.fileobj)
            if self.closed:
                for end in list(self.ends):
                    self.end(end)
                self.changed.set()
            if self.silent:
                threading.Event().wait(0.02)

    def accept(self):
        near = self.listener.accept()[0]
        try:
            if self.closed:
                raise ConnectionRefusedError
            far = socket.create_connection(self.target)
        except OSError:
            return near.close()
        for one, other in ((near, far), (far, near)):
            self.ends[one] = other
            self.selector.register(one, selectors.EVENT_READ)

    def forward(self, end):
        other = self.ends.get(end)
        with contextlib.suppress(OSError):
            if data := end.recv(65536):
                is_answer = other and other.getsockname()[1] == self.listener.getsockname()[1]
                return None if self.muted and is_answer else other.sendall(data)
        self.end(end)

    def end(self, end):
        """Closes a connection, with the one that it is joined to."""
        for each in (end, self.ends.get(end)):
            if each and self.ends.pop(each, None):
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
