// A state as a word and a coloured sign, and since when it holds. An alarm takes the whole widget.
import { Figure } from "/dash/tile.js";
import { h } from "/lib/dom.js";
import { formatAge } from "/lib/format.js";

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
        figure.show(feed.entry, "", { true: "on", false: "off", ...words(feed.node) });
        tile.more(feed.changed ? formatAge(Math.max(0, now() - feed.changed)) : "");
      },
    };
  },
};
