// Up to six numbers over time.
import { load } from "/lib/dom.js";
import { TimeChart } from "/chart/chart.js";
import { bandsOf, hasKept, heldAs } from "/widgets/tone.js";

export default {
  kind: "series",
  label: "Time series",
  size: [6, 4],
  options: ["pipe", "unit", "span", "min", "max", "ok", "warn", "bad"],
  source: "several",
  past: 8192,
  async make(widget, { feeds, graph, page, cursor, now, title, unit, facts, isKiosk }) {
    const known = feeds.map(({ node }) => (widget.pipe ? {} : facts(node) ?? {}));
    const asks = known.map((each) => hasKept(each, page.client));
    const { Kept } = asks.includes(true) ? await load("/chart/kept.js") : {};
    const bound = (of, none, pick) => pick(...known.map((each) => each[of] ?? none));
    const chart = new TimeChart({
      series: feeds.map(({ node, ring }, i) => ({
        name: facts(node)?.title ?? node, unit: unit(node), ring, entry: () => feeds[i].entry, ...heldAs(known[i]),
        kept: asks[i] ? (track, changed) => new Kept(graph, node, track, changed) : undefined,
      })),
      span: (widget.span ?? 300) * 1000, min: widget.min, max: widget.max, bounds: { least: bound("min", -Infinity, Math.min), most: bound("max", Infinity, Math.max) },
      levels: bandsOf(widget), cursor, page, now, title, isKiosk,
    });
    return {
      element: chart.element, tracks: chart.tracks, show: () => chart.grow(), mark: () => chart.mark(),
      close: () => chart.close(),
    };
  },
};
