// A value as text, or fixed words.
import { Figure } from "/dash/tile.js";
import { h } from "/lib/dom.js";
import { formatEntry } from "/lib/format.js";
import { output, setEntry } from "/widgets/parts.js";

const spell = (_, v) => (typeof v === "bigint" ? JSON.rawJSON(v) : v);
/** The longest text in large letters, and the longest at all. */
const large = 24, longest = 20_000;

export default {
  kind: "text",
  label: "Text",
  size: [3, 2],
  options: ["pipe", "text"],
  source: "maybe",
  make(widget, { feeds: [feed], unit, words }) {
    if (!feed) return { element: h("div", { class: "text" }, h("p", { class: "words" }, widget.text)) };
    const body = output("words"), figure = new Figure(), element = h("div", { class: "text" });
    return {
      element,
      draw() {
        const { entry } = feed, isDeep = !!entry?.v && typeof entry.v === "object";
        const text = isDeep ? JSON.stringify(entry.v, spell, 1).slice(0, longest)
          : formatEntry(entry, unit(feed.node), words(feed.node));
        const isLarge = !isDeep && text.length <= large && !/\n/.test(text);
        const shown = isLarge ? figure.element : body;
        if (element.firstChild !== shown) element.replaceChildren(shown);
        if (isLarge) return figure.show(entry, unit(feed.node), words(feed.node));
        setEntry(body, text, entry);
        body.classList.toggle("deep", isDeep);
      },
    };
  },
};
