// Widgets that draw: time series and gauge.
import { TimeChart } from "/chart/chart.js";
import { Gauge } from "/chart/gauge.js";
import { formatTime } from "/lib/format.js";

/** Every point of one ring, newest first. */
const points = (ring) => Array.from({ length: ring.length }, (_, i) => ring.length - 1 - i)
  .map((i) => [formatTime(ring.time(i)), Number.isNaN(ring.value(i)) ? "" : ring.value(i)]);

export const series = (widget, { feeds, page, cursor, now, title, unit, facts }) => {
  const chart = new TimeChart({
    series: feeds.map((feed) => ({ name: facts(feed.node)?.title ?? feed.node, unit: unit(feed.node), ring: feed.ring })),
    span: (widget.span ?? 300) * 1000, min: widget.min, max: widget.max, cursor, page, now, title,
  });
  return {
    element: chart.element,
    show: () => chart.grow(),
    mark: () => chart.mark(),
    close: () => chart.close(),
    table: () => ({
      head: ["time", ...feeds.map(({ node }) => node)],
      rows: (feeds.length === 1 ? points(feeds[0].ring) : null) ?? [...new Set(feeds.flatMap(({ ring }) => Array.from({ length: ring.length }, (_, i) => ring.time(i))))].sort((a, b) => b - a)
        .map((t) => [formatTime(t), ...feeds.map(({ ring }) => { const v = ring.at(t); return v === v ? v : ""; })]),
    }),
  };
};

export const gauge = (widget, { feeds: [feed], page, title, unit, facts }) => {
  const known = facts(feed.node);
  const gauge = new Gauge({ min: widget.min ?? known?.min, max: widget.max ?? known?.max, warn: widget.warn, bad: widget.bad, unit: unit(feed.node), title });
  const item = page.frame.item(gauge.element, () => gauge.show(feed.entry));
  return { element: gauge.element, show: () => item.mark(), mark: () => item.mark(), close: () => item.close() };
};
