// A value and its last minutes as a line.
import { Figure } from "/dash/tile.js";
import { h } from "/lib/dom.js";

/** Ends with the last report where the value is out of date. */
function drawLine(canvas, { width, height }, ring, from, to) {
  const ratio = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1), pen = canvas.getContext("2d");
  if (width < 16 || height < 8) return;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  const extent = ring.extent(from, to);
  if (!extent) return;
  const range = extent[1] - extent[0];
  const y = (v) => (range ? height - 3 - (v - extent[0]) / range * (height - 6) : height / 2);
  pen.beginPath();
  pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
  pen.lineWidth = 1.5;
  const { staleSince } = ring, end = Math.min(to, staleSince ?? to);
  const held = end > from ? ring.trace(pen, from, end, 0, (width - 4) * (end - from) / (to - from), y) : NaN;
  pen.stroke();
  if (held !== held || staleSince !== undefined) return;
  pen.beginPath();
  pen.arc(width - 3, y(held), 2.5, 0, 7);
  pen.fill();
}

export default {
  kind: "sparkline",
  label: "Sparkline",
  size: [3, 2],
  options: ["pipe", "unit", "span", "ok", "warn", "bad"],
  past: 8192,
  make(widget, { feeds: [feed], page, now, unit, words, signal, mark, tone }) {
    const figure = new Figure(), canvas = h("canvas", { "aria-hidden": "true" });
    const box = h("div", { class: "spark" }, canvas);
    let size = { width: 0, height: 0 }, drawn = 0;
    // Asked for while drawing, it would force a layout.
    new ResizeObserver(([{ contentRect }], observer) => {
      if (signal.aborted) return observer.disconnect();
      size = { width: Math.floor(contentRect.width), height: Math.floor(contentRect.height) };
      drawn = 0;
      mark();
    }).observe(box);
    page.store.listen("theme", () => { drawn = 0; mark(); }, signal);
    return {
      element: h("div", { class: "sparkline" }, figure.element, box),
      ages: true,
      draw() {
        figure.show(feed.entry, unit(feed.node), words(feed.node));
        tone();
        // With reduced motion the line steps once a second.
        const to = now(), time = performance.now();
        if (page.store.get("reduced") && drawn && time - drawn < 900) return;
        drawn = time;
        drawLine(canvas, size, feed.ring, to - (widget.span ?? 300) * 1000, to);
      },
    };
  },
};
