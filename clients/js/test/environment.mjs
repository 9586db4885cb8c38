// What the tests of the entry points find before their first import: the document of a page, which
// frameworks look for when they are loaded, and what Node 20 lacks: a WebSocket is that of `ws`.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { JSDOM } = require("jsdom");
const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });

globalThis.window = window;
for (const name of ["document", "Element", "SVGElement", "MathMLElement", "Node"]) {
  globalThis[name] = window[name];
}
globalThis.navigator ??= window.navigator;
globalThis.WebSocket ??= require("ws");
