// Lays large graphs out beside the page.
import { layout } from "./layout.js";

addEventListener("message", ({ data: { id, graph, memory, options } }) => {
  postMessage({ id, picture: layout(graph, memory, options) });
});
