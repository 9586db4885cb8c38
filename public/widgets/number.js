// A value with its unit and its trend.
import { Figure, trendOf } from "/dash/tile.js";

export default {
  kind: "number",
  label: "Number",
  size: [3, 2],
  options: ["pipe", "unit", "ok", "warn", "bad"],
  make(widget, { feeds: [feed], tile, now, unit, words, tone }) {
    const figure = new Figure();
    return {
      element: figure.element,
      draw() {
        figure.show(feed.entry, unit(feed.node), words(feed.node));
        tile.more(trendOf(feed, now()));
        tone();
      },
    };
  },
};
