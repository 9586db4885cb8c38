// How nodes and edges look, and what they are called.
import { svg, setText, setAttribute } from "/lib/dom.js";
import { formatEntry, formatNumber, plural } from "/lib/format.js";
import { symbol } from "/lib/icons.js";
import { asleepWords, raisedBy, severityWords, sinkWords, stageWords, staleWord, wordOf } from "/lib/words.js";

export const marks = {
  mutable: "M3 13l1-3.2L10.5 3.3a1.4 1.4 0 012 2L6 11.8z",
  derived: "M2.5 8h8M7.5 4.5L11 8l-3.5 3.5M13.5 3.5v9",
  chain: "M2.5 8h8M7.5 4.5L11 8l-3.5 3.5",
  listener: "M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3",
  cluster: "M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM9 9h4v4H9z",
  family: "M5.5 2.5h8v7M2.5 5.5h8v8h-8z",
  upstream: "M2.5 8a5.5 5.5 0 1011 0a5.5 5.5 0 10-11 0M2.5 8h11M8 2.5c-3 3-3 8 0 11c3-3 3-8 0-11",
  raised: "M8 2.5L14.5 13.5H1.5zM8 6.5v3.5M8 11.8v.2",
};

const markOf = (kind) => marks[kind] ?? marks.derived;

/** The term of the protocol, for tooltips: "computed (derived, combine)". */
const termOf = (entry) => `${wordOf(entry)} (${[entry.kind, entry.op].filter(Boolean).join(", ")})`;

// Characters that would affect the text around them.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Untrusted text as one line of at most `most` characters. */
export function plain(text, most = 200) {
  const short = text.length > 2 * most ? text.slice(0, 2 * most) : text;
  const characters = [...short.replace(unsafe, "\u00b7")];
  return characters.length > most || short !== text ? `${characters.slice(0, most).join("")}…` : characters.join("");
}

/** A node's value on one line; of a family the spread of its members. */
export const heldOf = (entry) => (entry.kind === "family" ? entry.spread ?? ""
  : entry.kind === "upstream" ? entry.short : formatEntry(entry, entry.unit, entry.words));

/** "300 members: 15 to 34 °C, mean 24.5". */
export const membersOf = ({ members, spread }) => [plural(members, "member"), spread].filter(Boolean).join(": ");

/** What is wrong with a node, a client or an upstream: `{ severity, words }`, or nothing. */
export function troubleOf(entry, isStale) {
  if (entry.exists === false) return null;
  const raised = raisedBy(entry);
  if (raised) return { severity: raised, words: severityWords[raised] };
  if (entry.fail || entry.failure) return { severity: "alarm", words: "failed" };
  if (entry.sink?.failingSince) return { severity: "warning", words: "failing" };
  return isStale ? { severity: "stale", words: staleWord } : null;
}

export function titleOf(entry) {
  if (entry.kind === "listener") {
    const name = plain(entry.client ?? entry.transport ?? "client", 60);
    return entry.you ? `You (${entry.id})` : `${name} (${entry.id})`;
  }
  return plain(entry.title ?? entry.name ?? (entry.label && stageWords(entry.label)) ?? entry.op ?? entry.id, 200);
}

const rulerOf = (font) => Object.assign(document.createElement("canvas").getContext("2d"), { font });
let rulers = null;

/** At 13 px. */
function widthOf(text, isMono) {
  rulers ??= [rulerOf("600 13px system-ui, sans-serif"), rulerOf("13px ui-monospace, monospace")];
  return rulers[Number(isMono)].measureText(text).width;
}

/** `text`, or as much of it as fits, with an ellipsis. */
export function fitted(text, room, isMono = false) {
  if (widthOf(text, isMono) <= room) return text;
  const characters = [...text].slice(0, 80);
  while (characters.length && widthOf(`${characters.join("")}…`, isMono) > room) characters.pop();
  return `${characters.join("")}…`;
}

/** Where letters are larger than this, only names are drawn; see `camera.js`. */
const onlyNames = 1.33;

export class Shape {
  /** When its values were drawn last; the edges that leave and enter it. */
  paintedAt = -Infinity; leaving = []; entering = [];
  #part = {}; #kind; #word = ""; #text = ""; #value = ""; #scale = 1; #wordRoom = 0;
  #flashedAt = -Infinity;

  constructor({ id, type, w, h, entry, label, members, isClient }) {
    Object.assign(this, { id, type, w, entry, label, isClient });
    const kind = type === "node" ? entry.kind : type, part = this.#part;
    const middle = h < 40 ? h / 2 : null, round = middle ? h / 2 : 8;
    this.element = svg("g", { class: `node ${kind}${isClient ? " client" : ""}`, tabindex: -1, role: "button",
      dataset: { id, kind } },
      part.title = svg("title"),
      type === "family" ? svg("rect", { class: "behind", x: 8, y: 8, width: w, height: h, rx: round }) : null,
      /cluster|family/.test(type) ? svg("rect", { class: "behind", x: 4, y: 4, width: w, height: h, rx: round }) : null,
      svg("rect", { class: "box", width: w, height: h, rx: round }),
      part.flash = svg("rect", { class: "flash", width: w, height: h, rx: round }),
      kind === "mutable" || entry?.word === "mutable"
        ? svg("path", { class: "bar", d: `M8 0H5A5 5 0 000 5V${h - 5}A5 5 0 005 ${h}H8Z` }) : null,
      part.mark = svg("path", { class: "mark", d: entry?.icon ? null : markOf(isClient ? "listener" : kind),
        transform: `translate(12,${middle ? middle - 8 : 7})` }),
      // The icon of the definition, in place of that.
      part.icon = entry?.icon && svg("g", { class: "mark" }, symbol(entry.icon, { x: 12, y: 7, width: 16, height: 16 })),
      part.name = svg("text", { class: "name", x: 34, y: middle ? middle + 4.5 : 20 }, ""),
      part.value = /node|family/.test(type) ? svg("text", { class: "value", x: 14, y: 37 }, "") : null,
      part.word = svg("text", { class: "word", x: middle || type === "node" ? w - 12 : 14, y: middle ? middle + 4.5 : h - 13,
        "text-anchor": middle || type === "node" ? "end" : "start" }, ""),
      type === "node" ? svg("rect", { class: "track", x: 14, y: h - 6, width: w - 28, height: 3, rx: 1.5 }) : null,
      part.meter = type === "node" ? svg("rect",
        { class: "meter", x: 14, y: h - 6, width: w - 28, height: 3, rx: 1.5 }) : null,
      part.badge = svg("g", { class: "badge" }, part.badgeBox = svg("rect", { y: h - 9, height: 18, rx: 9 }),
        part.badgeText = svg("text", { y: h + 4.5, "text-anchor": "middle" }, "")));
    const you = entry?.you;
    if (you) this.element.classList.add("you");
    this.#name(label ?? (type === "listener" ? (you ? "You" : entry.client ?? entry.transport) : titleOf(entry)),
      entry ? `${whole(entry)}: ${termOf(entry)}` : label);
    this.#kind = kind;
    if (type === "cluster") this.count(members.length);
  }

  /** The word at the lower right. */
  #say(word) {
    if (word === this.#word) return;
    this.#word = word;
    this.#fit();
  }

  /** What a group has: its members, and those of them that call for attention. */
  count(members, troubles = []) {
    const worst = ["alarm", "warning", "stale", "info"].find((each) => troubles.some(({ severity }) => severity === each));
    setAttribute(this.element, "data-severity", worst);
    this.#say(troubles.length ? `${troubles.length} of ${formatNumber(members)}: ${troubles[0].words.toLowerCase()}`
      : this.isClient ? `×${formatNumber(members)}` : `${formatNumber(members)} nodes`);
  }

  #name(text, whole) {
    setText(this.#part.title, plain(whole));
    this.#text = plain(text, 80);
    this.#fit();
  }

  /** Draws its texts where letters are so many times as large as at zoom 1. */
  scaleText(scale) {
    if (scale === this.#scale) return;
    this.#scale = scale;
    this.#fit();
    this.#fitBadge();
  }

  /** Draws as much of the texts as fits. */
  #fit() {
    const { w, type, isClient } = this, part = this.#part, scale = this.#scale, isBeside = isClient || type === "node";
    // The value comes first. Of families and groups the word has a line of its own.
    const rest = w - 32 - widthOf(this.#value, true) * scale;
    const word = fitted(this.#word, (isBeside ? Math.min(100, Math.max(60, rest)) : w - 28) / scale);
    this.#wordRoom = word && isBeside ? widthOf(word, false) * scale + 6 : 0;
    setText(part.word, word);
    // Where only names are drawn they have all of the box.
    const room = scale > onlyNames ? w - 24 : w - 46 - (isClient ? this.#wordRoom : 0);
    setText(part.name, fitted(this.#text, room / scale));
    if (part.value) this.#fitValue();
  }

  #fitValue() {
    setText(this.#part.value, fitted(this.#value, (this.w - 26 - this.#wordRoom) / this.#scale, true));
  }

  follow({ entry, members }, { x, y }, isSelected) {
    Object.assign(this, { entry, members, leaving: [], entering: [] });
    this.element.style.transform = `translate(${x}px,${y}px)`;
    this.element.classList.toggle("selected", isSelected);
  }

  /** `rate` is in updates a second; `clients` says who listens. */
  paint(entry, { rate, isLeak, isStale, clients }) {
    const { element } = this, part = this.#part, trouble = troubleOf(entry, isStale);
    const isRaised = trouble && trouble.words !== "failed" && trouble.severity !== "stale";
    setAttribute(element, "data-severity", isRaised && trouble.severity);
    element.classList.toggle("stale", isStale);
    const asleep = entry.exists === false;
    if (this.type === "node") {
      const isMarked = isRaised || Boolean(entry.fail);
      setAttribute(part.mark, "d", isMarked ? marks.raised : part.icon ? null : markOf(this.#kind));
      if (part.icon) setAttribute(part.icon, "visibility", isMarked ? "hidden" : null);
      this.#say(trouble?.words ?? "");
    } else if (this.type === "family") {
      this.#say(plural(entry.members, "member"));
    }
    element.classList.toggle("asleep", asleep);
    element.classList.toggle("failed", trouble?.words === "failed");
    element.classList.toggle("busy", rate > 2);
    element.classList.toggle("leak", isLeak);
    if (part.value) {
      const value = asleep ? "not running" : entry.fail ? plain(entry.fail.msg ?? "", 60) : plain(heldOf(entry), 60);
      if (value !== this.#value) {
        this.#value = value;
        if (this.#word) this.#fit(); else this.#fitValue();
      }
    }
    if (part.meter) {
      // Logarithmic, up to a thousand.
      const share = rate > 2 ? Math.min(1, 0.08 + Math.log10(rate) / 3) : 0;
      part.meter.style.transform = `scaleX(${share.toFixed(3)})`;
    }
    const badge = isLeak ? "leak" : this.type === "listener"
      ? (entry.sink?.failingSince ? "failing" : entry.queued ? `${formatNumber(entry.queued)} waiting` : "") : clients;
    if (part.badgeText.textContent === badge) return;
    setText(part.badgeText, badge);
    part.badge.classList.toggle("shown", badge !== "");
    this.#fitBadge();
  }

  #fitBadge() {
    const part = this.#part, { textContent: badge } = part.badgeText;
    const width = badge ? Math.max(26, widthOf(badge, false) * this.#scale + 12) : 0;
    setAttribute(part.badgeBox, "x", this.w - 6 - width);
    setAttribute(part.badgeBox, "width", width);
    setAttribute(part.badgeText, "x", this.w - 6 - width / 2);
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

/** "plant, computed, 12.3, 2 listen"; `clients` says who listens. */
export function sentenceOf(entry, { rate = 0, clients = "", isStale = false } = {}) {
  const { kind, on, queued, sink, exists, fail, unit, words } = entry, title = titleOf(entry);
  if (kind === "listener") {
    const state = sink ? `, ${sinkWords(sink, Date.now())}` : queued ? `, ${queued} values waiting` : "";
    return `${title}, ${wordOf(entry)}, listens to ${plural(new Set(on).size, "node")}${state}`;
  }
  if (kind === "upstream") return `${title}, ${wordOf(entry)}, ${entry.state}`;
  if (kind === "family") return [title, "family", membersOf(entry), clients].filter(Boolean).join(", ");
  if (exists === false) return `${title}, ${wordOf(entry)}, ${asleepWords}`;
  const trouble = troubleOf(entry, isStale);
  const held = fail ? plain(fail.msg ?? fail.code, 80) : plain(formatEntry(entry, unit, words), 80);
  return (trouble ? `${trouble.words}: ` : "") + [title, wordOf(entry), held, clients || "nobody listens",
    rate > 2 && `${Math.round(rate)} updates a second`].filter(Boolean).join(", ");
}

const looks = ["flow", "feedback", "lit", "listen", "declared"];

/** Arrowheads: not everywhere does a marker take its line's colour. */
export const markers = () => svg("defs", {}, looks.map((name) =>
  svg("marker", { id: `end-${name}`, class: `end ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8,
    markerHeight: 8, orient: "auto-start-reverse", markerUnits: "userSpaceOnUse" },
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
      // A client has made a link, as it listens.
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

/** "3 listen, 1 link": what clients do at a node. */
export function countWords(model, id, separator = ", ") {
  const { listen = 0, link = 0 } = model.clientLines().counts.get(id) ?? {};
  return [listen && `${listen} ${listen === 1 ? "listens" : "listen"}`, link && `${link} ${link === 1 ? "link" : "links"}`]
    .filter(Boolean).join(separator);
}
