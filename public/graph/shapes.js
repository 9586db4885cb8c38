// How nodes and edges look.
import { svg, setText, setAttribute } from "/lib/dom.js";
import { formatEntry, formatNumber, plural } from "/lib/format.js";
import { symbol } from "/lib/icons.js";
import { words as upstreamWords } from "./upstreams.js";
import { raisedBy, severityWords, sinkWords, stageWords } from "/lib/words.js";

const marks = {
  mutable: "M3 13l1-3.2L10.5 3.3a1.4 1.4 0 012 2L6 11.8z",
  derived: "M2.5 8h8M7.5 4.5L11 8l-3.5 3.5M13.5 3.5v9",
  chain: "M2.5 8h8M7.5 4.5L11 8l-3.5 3.5",
  listener: "M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3",
  fold: "M3 5h10M3 8h10M3 11h10",
  cluster: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
  family: "M5.5 2.5h8v7M2.5 5.5h8v8h-8z",
  upstream: "M2.5 8a5.5 5.5 0 1011 0a5.5 5.5 0 10-11 0M2.5 8h11M8 2.5c-3 3-3 8 0 11c3-3 3-8 0-11",
  raised: "M8 2.5L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2",
};

const markOf = (kind) => marks[kind] ?? marks.derived;

export function wordOf({ kind, of, op, label }) {
  if (/mutable|listener|family|upstream/.test(kind)) return kind;
  if (of !== undefined && label === op) return "step";
  return op && op !== "from" ? op : kind === "chain" ? "pipeline" : kind;
}

// Characters that would affect the text around them.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Untrusted text as one line of at most `most` characters. */
export function plain(text, most = 200) {
  const short = text.length > 2 * most ? text.slice(0, 2 * most) : text;
  const characters = [...short.replace(unsafe, "\u00b7")];
  return characters.length > most || short !== text ? `${characters.slice(0, most).join("")}…` : characters.join("");
}

/** A node's value on one line. */
export const heldOf = (entry) => (entry.kind === "family" ? plural(entry.members, "member")
  : entry.kind === "upstream" ? upstreamWords(entry, true) : formatEntry(entry, entry.unit, entry.words));

export function titleOf(entry) {
  if (entry.kind === "listener") {
    const name = plain(entry.client ?? entry.transport ?? "client", 60);
    return entry.you ? `You (${entry.id})` : `${name} (${entry.id})`;
  }
  return plain(entry.title ?? entry.name ?? (entry.label && stageWords(entry.label)) ?? entry.op ?? entry.id, 200);
}

let ruler;

/** At 13 px. */
function widthOf(text, isMono) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = isMono ? "13px ui-monospace, monospace" : "600 13px system-ui, sans-serif";
  return ruler.measureText(text).width;
}

/** `text`, or as much of it as fits, with an ellipsis. */
export function fitted(text, room, isMono = false) {
  if (widthOf(text, isMono) <= room) return text;
  const characters = [...text].slice(0, 80);
  while (characters.length && widthOf(`${characters.join("")}…`, isMono) > room) characters.pop();
  return `${characters.join("")}…`;
}

export class Shape {
  /** When its values were drawn last; the edges that leave and enter it. */
  paintedAt = -Infinity; leaving = []; entering = [];
  #part = {}; #kind; #word; #text;
  #flashedAt = -Infinity;

  constructor({ id, type, w, h, entry, label, members, steps }) {
    Object.assign(this, { id, type, w, entry, label });
    const kind = type === "node" ? entry.kind : type;
    const round = type === "listener" ? h / 2 : 8;
    const part = this.#part;
    this.element = svg("g", { class: `node ${kind}`, tabindex: -1, role: "button", dataset: { id, kind } },
      part.title = svg("title"),
      type === "family" ? svg("rect", { class: "behind", x: 8, y: 8, width: w, height: h, rx: round }) : null,
      /fold|cluster|family/.test(type) ? svg("rect",
        { class: "behind", x: 4, y: 4, width: w, height: h, rx: round }) : null,
      svg("rect", { class: "box", width: w, height: h, rx: round }),
      part.flash = svg("rect", { class: "flash", width: w, height: h, rx: round }),
      kind === "mutable" || entry?.word === "mutable"
        ? svg("path", { class: "bar", d: `M8 0H5A5 5 0 000 5V${h - 5}A5 5 0 005 ${h}H8Z` }) : null,
      part.mark = svg("path", { class: "mark", d: markOf(kind),
        transform: `translate(12,${type === "listener" ? h / 2 - 8 : 7})` }),
      // The icon of the definition, in place of that.
      part.icon = entry?.icon && svg("g", { class: "mark" }, symbol(entry.icon, { x: 12, y: 7, width: 16, height: 16 })),
      part.name = svg("text", { class: "name", x: 34, y: type === "listener" ? h / 2 + 4.5 : 20 }, ""),
      part.value = /node|fold|family/.test(type) ? svg("text", { class: "value", x: 14, y: h - 13 }, "") : null,
      part.word = /listener|upstream/.test(kind) ? null : svg("text",
        { class: "word", x: w - 12, y: h - 13, "text-anchor": "end" }, ""),
      type === "node" ? svg("rect", { class: "track", x: 14, y: h - 6, width: w - 28, height: 3, rx: 1.5 }) : null,
      part.meter = type === "node" ? svg("rect",
        { class: "meter", x: 14, y: h - 6, width: w - 28, height: 3, rx: 1.5 }) : null,
      part.badge = svg("g", { class: "badge" }, part.badgeBox = svg("rect", { y: -9, height: 18, rx: 9 }),
        part.badgeText = svg("text", { y: 4.5, "text-anchor": "middle" }, "")));
    const you = entry?.you;
    if (you) this.element.classList.add("you");
    this.#name(label ?? (type === "listener" ? (you ? "You" : entry.client ?? entry.transport) : titleOf(entry)),
      entry ? whole(entry) : label);
    this.#kind = kind;
    if (type === "cluster") {
      setText(part.word, `${formatNumber(members.length)} nodes`);
    } else if (type === "fold") {
      setText(part.word, `${steps} steps`);
    } else if (part.word) {
      this.#say(wordOf(entry));
    }
  }

  /** The word at the lower right. */
  #say(word) {
    if (!this.#part.word || word === this.#word) return;
    this.#word = word;
    setText(this.#part.word, fitted(word, 84));
    this.#part.wordWidth = widthOf(this.#part.word.textContent, false);
  }

  #name(text, whole) {
    setText(this.#part.title, plain(whole));
    this.#text = plain(text, 80);
    this.fitName(1);
  }

  /**
   * Draws as much of the name as fits where its letters are so many times as large as at zoom 1.
   */
  fitName(scale) {
    // Where only names are drawn they have all of the box.
    const room = scale > 1 ? this.w - 24 : this.w - 34 - (this.type === "listener" ? 14 : 12);
    setText(this.#part.name, fitted(this.#text, room / scale));
  }

  follow({ entry, members }, { x, y }, isSelected) {
    Object.assign(this, { entry, members, leaving: [], entering: [] });
    this.element.style.transform = `translate(${x}px,${y}px)`;
    this.element.classList.toggle("selected", isSelected);
  }

  /** `rate` is in updates a second. */
  paint(entry, rate, isLeak, isStale = false) {
    const { element } = this;
    const part = this.#part, raised = entry.sink?.failingSince ? "warning" : raisedBy(entry);
    setAttribute(element, "data-severity", raised || null);
    element.classList.toggle("stale", isStale);
    if (this.type === "node") {
      setAttribute(part.mark, "d", raised ? marks.raised : part.icon ? null : markOf(this.#kind));
      if (part.icon) setAttribute(part.icon, "visibility", raised ? "hidden" : null);
      this.#say(raised ? severityWords[raised] : isStale ? "out of date" : wordOf(entry));
    }
    const asleep = entry.exists === false;
    element.classList.toggle("asleep", asleep);
    element.classList.toggle("failed", Boolean(entry.fail ?? entry.failure));
    element.classList.toggle("busy", rate > 2);
    element.classList.toggle("leak", isLeak);
    if (part.value) {
      const text = asleep ? "asleep" : entry.fail ? "failed" : plain(heldOf(entry), 60);
      const room = this.w - 28 - (part.wordWidth ? part.wordWidth + 8 : 0);
      setText(part.value, fitted(text, room, true));
    }
    if (part.meter) {
      // Logarithmic, up to a thousand.
      const share = rate > 2 ? Math.min(1, 0.08 + Math.log10(rate) / 3) : 0;
      part.meter.style.transform = `scaleX(${share.toFixed(3)})`;
    }
    const owners = clientCount(entry);
    const badge = isLeak ? "leak" : this.type === "listener"
      ? (entry.sink?.failingSince ? "failing" : entry.queued ? `${formatNumber(entry.queued)} waiting` : "")
      : owners ? `×${formatNumber(owners)}` : "";
    if (part.badgeText.textContent !== badge) {
      setText(part.badgeText, badge);
      const width = badge ? Math.max(26, widthOf(badge, false) + 12) : 0;
      setAttribute(part.badgeBox, "x", this.w - 6 - width);
      setAttribute(part.badgeBox, "width", width);
      setAttribute(part.badgeText, "x", this.w - 6 - width / 2);
      part.badge.classList.toggle("shown", badge !== "");
    }
  }

  /** At most twice a second; faster values have their meter. */
  flash(now) {
    if (now - this.#flashedAt < 500) return;
    this.#flashedAt = now;
    this.#part.flash.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 320, easing: "ease-out" });
  }

  describe(text) {
    this.described = true;
    setAttribute(this.element, "aria-label", text);
  }
}

/** "Indoors (indoor_c)". */
const whole = (entry) => (entry.title && entry.name !== undefined ? `${titleOf(entry)} (${plain(entry.name)})`
  : titleOf(entry));

/** "plant, derived, 12.3, kept alive by 2 clients". */
export function sentenceOf(entry, rate = 0) {
  const { kind, on, queued, sink, exists, fail, unit, words } = entry, clients = clientCount(entry), title = titleOf(entry);
  if (kind === "listener") {
    const state = sink ? `, ${sinkWords(sink, Date.now())}` : queued ? `, ${queued} values waiting` : "";
    return `${title}, listener on ${plural(new Set(on).size, "node")}${state}`;
  }
  if (kind === "upstream") return `${title}, upstream, ${upstreamWords(entry)}`;
  if (kind === "family") return `${title}, family, ${heldOf(entry)}; press Enter to open`;
  if (exists === false) return `${title}, ${wordOf(entry)}, asleep: nobody needs it`;
  const held = fail ? `failed, ${plain(fail.msg ?? fail.code, 80)}` : plain(formatEntry(entry, unit, words), 80);
  const kept = clients ? `kept alive by ${plural(clients, "client")}` : "no client needs it";
  const raised = raisedBy(entry);
  const parts = [title, wordOf(entry), held, kept, rate > 2 && `${Math.round(rate)} updates a second`];
  return (raised ? `${severityWords[raised]}: ` : "") + parts.filter(Boolean).join(", ");
}

const looks = ["flow", "feedback", "lit", "listen", "declared"];

/** Arrowheads: not everywhere does a marker take its line's colour. */
export const markers = () => svg("defs", {}, looks.map((name) =>
  svg("marker", { id: `end-${name}`, class: `end ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
    markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" },
    svg("path", { d: "M0.5 0.8L7.5 4L0.5 7.2z" }))));

export class EdgeLayer {
  element = svg("g", { class: "edges" });
  #model; #edges = new Map(); #picture = null;

  constructor(model) { this.#model = model; }

  values() { return this.#edges.values(); }

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
      const isBack = route.kind !== "forward" || edge.feedback;
      // A client has made a link, as it has made a listener.
      const look = edge.owners ? "listen" : isBack ? "feedback" : /member|feed/.test(edge.kind) ? "flow" : edge.kind;
      let drawn = this.#edges.get(edge.id);
      if (!drawn) {
        drawn = { element: svg("path", { class: isLater ? "edge born" : "edge" }) };
        if (edge.owners) drawn.element.append(svg("title", {}, `Link of ${edge.owners.join(", ")}`));
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

  paint(edge, now) {
    let rate = 0, queued = 0;
    for (const member of edge.members) {
      rate = Math.max(rate, this.#model.rate(member.from, now));
      queued += this.#model.queued(member);
    }
    setAttribute(edge.element, "data-rate", rate < 0.5 ? null : rate < 10 ? 1 : 2);
    if (!queued && !edge.backlog) return;
    if (!edge.backlog) {
      edge.backlog = svg("text", { class: "backlog", "text-anchor": "middle" }, "");
      this.element.append(edge.backlog);
    }
    setText(edge.backlog, queued ? `${queued} waiting` : "");
    this.#placeBacklog(edge);
  }

  #placeBacklog(edge) {
    const [x, y] = this.#picture.edges.get(edge.id)?.middle ?? [0, 0];
    setAttribute(edge.backlog, "x", x);
    setAttribute(edge.backlog, "y", y - 5);
  }
}

/** How many clients hold the node; owners that are not listed count one by one. */
export const clientCount = ({ owners = [], ownerCount = owners.length }) =>
  ownerCount - owners.length + new Set(owners.map((each) => each.split("/")[0])).size;
