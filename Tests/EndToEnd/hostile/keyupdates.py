"""A TLS client that Python's own module cannot be: it asks for new keys all the time, and reads no answer."""

import ctypes
import ctypes.util
import socket

TCP_MAXSEG = 2
REQUESTED = 1
"""SSL_KEY_UPDATE_REQUESTED: the peer is to change its keys as well, and has to say so."""


def library():
    ssl = ctypes.CDLL(ctypes.util.find_library("ssl"))
    for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
        getattr(ssl, name).restype = ctypes.c_void_p
    ssl.SSL_CTX_new.argtypes = ssl.SSL_new.argtypes = [ctypes.c_void_p]
    ssl.SSL_set_fd.argtypes = ssl.SSL_key_update.argtypes = [ctypes.c_void_p, ctypes.c_int]
    for name in ("SSL_connect", "SSL_do_handshake", "SSL_free", "SSL_CTX_free"):
        getattr(ssl, name).argtypes = [ctypes.c_void_p]
    ssl.SSL_write.argtypes = ssl.SSL_read.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    return ssl


class Rekeying:
    """A connection whose receive buffer is small, so that what is not read stays with the server."""

    def __init__(self, host, port):
        self.ssl = library()
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.setsockopt(socket.IPPROTO_TCP, TCP_MAXSEG, 536)
        self.socket.connect((host, port))
        self.context = self.ssl.SSL_CTX_new(self.ssl.TLS_client_method())
        self.connection = self.ssl.SSL_new(self.context)
        self.ssl.SSL_set_fd(self.connection, self.socket.fileno())
        assert self.ssl.SSL_connect(self.connection) == 1

    def ask(self, path):
        """One request; returns the bytes of the answer that came at once. What TLS has answered
        meanwhile is read by that, too."""
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        assert self.ssl.SSL_write(self.connection, request, len(request)) == len(request)
        room = ctypes.create_string_buffer(4096)
        count = self.ssl.SSL_read(self.connection, room, len(room))
        return room.raw[:max(0, count)]

    def update(self, count):
        """Asks so many times, reading nothing; returns how often until the server had enough."""
        for done in range(count):
            if (
                self.ssl.SSL_key_update(self.connection, REQUESTED) != 1
                or self.ssl.SSL_do_handshake(self.connection) != 1
            ):
                return done
        return count

    def close(self):
        self.ssl.SSL_free(self.connection)
        self.ssl.SSL_CTX_free(self.context)
        self.socket.close()
