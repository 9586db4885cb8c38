// A value and its last minutes as a line.
import { Figure } from "/dash/tile.js";
import { h, load } from "/lib/dom.js";
import { Track } from "/chart/track.js";
import { hasKept, heldAs } from "/widgets/tone.js";

function drawLine(canvas, { width, height }, track, from, to) {
  const ratio = (devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1), pen = canvas.getContext("2d");
  if (width < 16 || height < 8) return;
  const size = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  track.layOut(from, to, width - 4);
  const { extent } = track;
  if (!extent) return;
  const range = extent[1] - extent[0];
  const y = (v) => (range ? height - 3 - (v - extent[0]) / range * (height - 6) : height / 2);
  pen.strokeStyle = pen.fillStyle = getComputedStyle(canvas).color;
  pen.beginPath();
  track.shade(pen, 0, y);
  pen.globalAlpha = 0.22;
  pen.fill();
  pen.globalAlpha = 1;
  pen.beginPath();
  pen.lineWidth = 1.5;
  track.trace(pen, 0, y);
  pen.stroke();
  const found = track.at(to);
  if (!found) return;
  pen.beginPath();
  pen.arc(width - 3, y(found.v), 2.5, 0, 7);
  pen.fill();
}

export default {
  kind: "sparkline",
  label: "Sparkline",
  size: [3, 2],
  options: ["pipe", "unit", "span", "ok", "warn", "bad"],
  past: 8192,
  async make(widget, { feeds: [feed], graph, page, now, unit, facts, words, signal, mark, tone }) {
    const known = (!widget.pipe && facts(feed.node)) || {}, track = new Track(feed.ring, heldAs(known));
    const { Kept } = hasKept(known, page.client) ? await load("/chart/kept.js") : {};
    const kept = Kept && new Kept(graph, feed.node, track, () => { drawn = 0; mark(); });
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
        const from = to - (widget.span ?? 300) * 1000;
        kept?.want(from, to, size.width, "", !!page.client.now);
        drawLine(canvas, size, track, from, to);
      },
      close: () => kept?.close(),
    };
  },
};
