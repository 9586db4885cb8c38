// The edges of a picture: how they run, how much runs along them, what waits on them.
import { svg, setAttribute } from "/lib/dom.js";

const looks = ["flow", "feedback", "lit", "listen", "declared"];

/** Arrowheads, one for each look: a marker takes no colour from its line everywhere. */
export const markers = () => svg("defs", {}, looks.map((name) =>
  svg("marker", { id: `end-${name}`, class: `end ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0.5 0.8L7.5 4L0.5 7.2z" }))));

export class EdgeLayer {
  element = svg("g", { class: "edges" });
  #model; #edges = new Map(); #picture = null;

  constructor(model) { this.#model = model; }

  values() { return this.#edges.values(); }

  /** Draws the edges of a scene; new ones fade in where `isLater`. */
  place(scene, picture, isLater) {
    this.#picture = picture;
    const present = new Set(scene.edges.map((edge) => edge.id));
    for (const [id, edge] of this.#edges) {
      if (present.has(id)) continue;
      edge.element.remove();
      edge.backlog?.remove();
      this.#edges.delete(id);
    }
    for (const edge of scene.edges) {
      const route = picture.edges.get(edge.id);
      if (!route) continue;
      const look = route.kind !== "forward" || edge.feedback ? "feedback" : edge.kind;
      let drawn = this.#edges.get(edge.id);
      if (!drawn) {
        drawn = { element: svg("path", { class: isLater ? "edge born" : "edge" }) };
        this.element.append(drawn.element);
        this.#edges.set(edge.id, drawn);
      }
      Object.assign(drawn, { id: edge.id, from: edge.from, to: edge.to, members: edge.members, look });
      setAttribute(drawn.element, "d", route.d);
      setAttribute(drawn.element, "data-look", look);
      setAttribute(drawn.element, "data-inner", edge.inner ? "" : null);
      setAttribute(drawn.element, "marker-end", `url(#end-${look})`);
      drawn.element.classList.toggle("gone", edge.members.every((m) => !this.#model.edges.has(m.id)));
      if (drawn.backlog) this.#placeBacklog(drawn);
    }
  }

  /** Lights up the edges that stand for one of `ids`, or none. */
  light(ids) {
    for (const edge of this.#edges.values()) {
      const lit = Boolean(ids) && edge.members.some((m) => ids.has(m.id));
      edge.element.classList.toggle("lit", lit);
      setAttribute(edge.element, "marker-end", `url(#end-${lit ? "lit" : edge.look})`);
    }
  }

  /** Thickness by rate, in three steps, and the number of values that wait. */
  paint(edge, now) {
    let rate = 0, queued = 0;
    for (const member of edge.members) {
      rate = Math.max(rate, this.#model.rate(member.from, now));
      queued += (this.#model.edges.get(member.id) ?? member).queued ?? 0;
    }
    setAttribute(edge.element, "data-rate", rate < 0.5 ? null : rate < 10 ? 1 : 2);
    if (!queued && !edge.backlog) return;
    if (!edge.backlog) {
      edge.backlog = svg("text", { class: "backlog", "text-anchor": "middle" }, "");
      this.element.append(edge.backlog);
    }
    edge.backlog.textContent = queued ? `${queued} waiting` : "";
    this.#placeBacklog(edge);
  }

  #placeBacklog(edge) {
    const [x, y] = this.#picture.edges.get(edge.id)?.middle ?? [0, 0];
    setAttribute(edge.backlog, "x", x);
    setAttribute(edge.backlog, "y", y - 5);
  }
}
