// A state as a lamp and a word. An alarm takes the whole widget.
import { h, setText, svg } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { output } from "/widgets/parts.js";

function word(entry, words) {
  if (!entry || entry.empty) return "empty";
  return formatEntry(entry, "", { true: "on", false: "off", ...words });
}

export default {
  kind: "lamp",
  label: "State lamp",
  size: [3, 2],
  options: ["pipe", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], words, tone }) {
    const text = output(""), element = h("div", { class: "lamp" },
      svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
        svg("circle", { class: "lamp-round", cx: 16, cy: 16, r: 12 }),
        svg("path", { class: "lamp-sharp", d: "M16 3 30 28H2Z" }),
        svg("path", { class: "lamp-mark", d: "M16 12v7M16 23.5v.1" })), text);
    return {
      element,
      draw() {
        element.dataset.tone = tone();
        setText(text, word(feed.entry, words(feed.node)));
      },
    };
  },
};
