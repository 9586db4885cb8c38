"""An HTTP service that a graph's sources ask, and that answers as a test says."""

import http.server
import json
import threading
import types


class Upstream:
    def __init__(self):
        self.requests = []
        # Connections that clients have closed while an answer was awaited.
        self.gone = threading.Event()
        self.answer = lambda call: call.reply({"value": len(self.requests)})
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def perform(self):
                length = int(self.headers.get("Content-Length") or 0)
                outer.requests.append(
                    types.SimpleNamespace(
                        method=self.command, path=self.path, headers=self.headers,
                        body=self.rfile.read(length),
                    )
                )
                outer.answer(self)

            do_GET = do_POST = perform

            def reply(self, value=None, status=200, body=None, **headers):
                body = json.dumps(value).encode() if body is None else body
                self.send_response(status)
                for name, text in headers.items():
                    self.send_header(name.replace("_", "-"), text)
                if status != 304:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if status != 304:
                    self.wfile.write(body)

            def hang(self):
                """Answers nothing until the client has closed the connection."""
                if not self.rfile.read(1):
                    outer.gone.set()
                self.close_connection = True

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    @property
    def paths(self):
        return [request.path for request in self.requests]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
