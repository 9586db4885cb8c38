// The whole picture in small, above forty nodes; a click or a drag moves the camera.
import { h } from "/lib/dom.js";

const width = 168, height = 104;

export class Minimap {
  #view; #item; #rows = [];

  constructor({ view, frame, signal }) {
    this.#view = view;
    this.element = h("canvas", { class: "minimap", width: width * 2, height: height * 2, "aria-hidden": "true",
      hidden: true });
    this.#item = frame.item(this.element, () => this.#draw());
    const move = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const box = this.element.getBoundingClientRect();
      const { scale, x, y } = this.#fit();
      const { camera } = view, { w, h } = camera.size;
      camera.move(w / 2 - (event.clientX - box.left - x) / scale * camera.zoom,
        h / 2 - (event.clientY - box.top - y) / scale * camera.zoom);
      if (event.type === "pointerdown") this.element.setPointerCapture(event.pointerId);
      event.preventDefault();
    };
    for (const name of ["pointerdown", "pointermove"]) this.element.addEventListener(name, move, { signal });
    signal.addEventListener("abort", () => this.#item.close(), { once: true });
  }

  mark() {
    const hidden = (this.#view.scene?.nodes.length ?? 0) <= 40;
    if (this.element.hidden !== hidden) this.element.hidden = hidden;
    if (!hidden) this.#item.mark();
  }

  #fit() {
    const b = this.#view.picture.bounds;
    const scale = Math.min((width - 12) / Math.max(b.w, 1), (height - 12) / Math.max(b.h, 1));
    return { scale, x: (width - b.w * scale) / 2 - b.x * scale, y: (height - b.h * scale) / 2 - b.y * scale };
  }

  #draw() {
    if (!this.#view.picture || this.element.hidden) return;
    const context = this.element.getContext("2d");
    const style = getComputedStyle(this.element);
    const color = (name) => style.getPropertyValue(name);
    const { scale, x, y } = this.#fit();
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, width, height);
    const colors = { mutable: color("--accent"), listener: color("--listener"), derived: color("--edge"),
      chain: color("--edge"), fold: color("--edge"), cluster: color("--text-2") };
    for (const node of this.#view.scene.nodes) {
      const box = this.#view.picture.nodes.get(node.id);
      if (!box) continue;
      context.fillStyle = colors[node.type === "node" ? node.entry.kind : node.type] ?? colors.derived;
      context.globalAlpha = node.entry?.exists === false ? 0.35 : 0.9;
      context.fillRect(x + box.x * scale, y + box.y * scale, Math.max(2, box.w * scale), Math.max(1.5, box.h * scale));
    }
    context.globalAlpha = 1;
    const seen = this.#view.camera.visible();
    context.strokeStyle = color("--text");
    context.lineWidth = 1;
    context.strokeRect(x + seen.x * scale, y + seen.y * scale, seen.w * scale, seen.h * scale);
  }
}

export function attach(page) {
  const { frame, signal } = page.context, minimap = new Minimap({ view: page.view, frame, signal });
  page.stage.append(minimap.element);
  minimap.mark();
  return minimap;
}
