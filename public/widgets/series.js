// Up to six numbers over time.
import { TimeChart } from "/chart/chart.js";

export default {
  kind: "series",
  label: "Time series",
  size: [6, 4],
  options: ["pipe", "unit", "span", "min", "max"],
  source: "several",
  past: 8192,
  make(widget, { feeds, page, cursor, now, title, unit, facts, isKiosk }) {
    const chart = new TimeChart({
      series: feeds.map(({ node, ring }) => ({ name: facts(node)?.title ?? node, unit: unit(node), ring })),
      span: (widget.span ?? 300) * 1000, min: widget.min, max: widget.max, cursor, page, now, title, isKiosk,
    });
    return {
      element: chart.element, show: () => chart.grow(), mark: () => chart.mark(), close: () => chart.close(),
    };
  },
};
