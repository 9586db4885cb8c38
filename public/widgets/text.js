// A value as text, or fixed words.
import { h } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { output, setEntry } from "/widgets/parts.js";

const spell = (_, v) => (typeof v === "bigint" ? JSON.rawJSON(v) : v);
const longest = 20_000;

export default {
  kind: "text",
  label: "Text",
  size: [3, 2],
  options: ["pipe", "text"],
  source: "maybe",
  make(widget, { feeds: [feed], unit, words }) {
    if (!feed) return { element: h("div", { class: "text" }, h("p", { class: "words" }, widget.text)) };
    const body = output("words");
    return {
      element: h("div", { class: "text" }, body),
      draw() {
        const { entry } = feed, isDeep = !!entry?.v && typeof entry.v === "object";
        const text = isDeep ? JSON.stringify(entry.v, spell, 1).slice(0, longest)
          : formatEntry(entry, unit(feed.node), words(feed.node));
        setEntry(body, text, entry);
        body.classList.toggle("deep", isDeep);
      },
    };
  },
};
