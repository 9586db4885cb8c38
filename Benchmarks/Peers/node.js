// A minimal server on Node and ws (Debian: node-ws), with the work of minimal.c: what is posted,
// unchecked, goes to every WebSocket that has sent a text.
"use strict";

const http = require("node:http");
const { WebSocketServer } = require("ws");

let rev = 0;
const subscribers = new Set();

function publish(value) {
    if (subscribers.size === 0) return;
    const text = `{"op":"upd","graph":"house","rev":${rev},"t":${Date.now()},"d":[{"id":1,"v":${value}}]}`;
    // One buffer for all: a text would be encoded again for each of them.
    const bytes = Buffer.from(text);
    for (const socket of subscribers) socket.send(bytes, { binary: false });
}

const server = http.createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
        rev += 1;
        publish(Buffer.concat(parts).toString());
        const answer = `{"epoch":"minimal000","rev":${rev}}\n`;
        response.writeHead(200, {
            ETag: `"minimal000:${rev}"`,
            "Content-Type": "application/json",
            "Content-Length": answer.length,
        });
        response.end(answer);
    });
});

const sockets = new WebSocketServer({
    server,
    path: "/v1/ws",
    perMessageDeflate: false,
    handleProtocols: () => "sluice.v1.json",
});
sockets.on("connection", (socket) => {
    socket.on("message", () => {
        subscribers.add(socket);
        socket.send(`{"op":"snap","id":1,"epoch":"minimal000","rev":${rev},"t":${Date.now()}}`);
    });
    socket.on("close", () => subscribers.delete(socket));
    // A client that vanishes with a reset.
    socket.on("error", () => {});
});

server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
