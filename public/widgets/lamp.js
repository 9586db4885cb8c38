// A state as a word and a coloured sign, and since when it holds. An alarm takes the whole widget.
import { Figure } from "/dash/tile.js";
import { h } from "/lib/dom.js";
import { formatAge } from "/lib/format.js";

/** Since when it holds, where the change was seen; else when it was reported, unless just now. */
function ageOf({ since, changed }, now) {
  const age = now - (since || changed);
  if (since) return `for ${formatAge(Math.max(1000, age)).replace(" ago", "")}`;
  return changed && age >= 60_000 ? formatAge(age) : "";
}

export default {
  kind: "lamp",
  label: "State lamp",
  size: [3, 2],
  options: ["pipe", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], tile, now, words, tone }) {
    const figure = new Figure(), element = h("div", { class: "lamp" }, figure.element);
    return {
      element,
      ages: true,
      draw() {
        element.dataset.tone = tone(true);
        figure.show(feed.entry, "", words(feed.node));
        tile.more(ageOf(feed, now()));
      },
    };
  },
};
