// The details of one node: what keeps it running, its value and how it came about. Those of
// clients, families and upstreams are in `others.js`.
import { h, icon, load, setText, severityMark, style } from "/lib/dom.js";
import { capital, formatDuration, formatNumber, plural } from "/lib/format.js";
import { asleepWords, lastWords, raisedBy, severityWords, stageWords, staleWords, wordOf } from "/lib/words.js";
import { keptAliveBy, keptAnyway, ownerNames, releasedWithout } from "./owners.js";
import { clientCount, heldOf, plain, titleOf } from "./shapes.js";

const row = (term, detail) => h("div", { class: "fact" }, h("dt", {}, term), h("dd", {}, detail));
const later = (name) => Promise.all([load(`/graph/${name}.js`), style("/graph/more.css")]).then(([module]) => module);

/** The module of what is not a node. */
let others = null;

/** The inspector: `show(id)` fills it, `update()` follows the values, `rebuild()` the structure. */
export class Inspector {
  id = null;
  #o; #parts = {}; #editor = null; #other = null; #signature = ""; #isLighting = false;

  /**
   * `o`: `{model, graph, client, announce, href, isSignedIn(), select(id), light(kind, set),
   * close()}`.
   */
  constructor(o) {
    this.#o = o;
    this.element = h("div", { class: "inspector" });
  }

  get entry() { return this.#o.model.nodes.get(this.id) ?? this.#o.model.listeners.get(this.id); }

  show(id) {
    if (id === this.id && this.#signature === this.#sign()) return this.update();
    this.id = id;
    this.rebuild();
  }

  /** Lights something up in the picture, or nothing more. */
  #light(kind, set) {
    this.#isLighting = Boolean(set);
    this.#o.light(kind, set);
  }

  /** An element that is replaced under the pointer gets no event: its highlight must end here. */
  #replace(...children) {
    if (this.#isLighting) this.#light();
    this.element.replaceChildren(...children);
  }

  close() {
    this.#editor?.close();
    this.#other?.close?.();
    this.#editor = this.#other = null;
    this.id = null;
    this.#signature = "";
    this.#replace();
  }

  /** What decides which rows there are; values alone do not. */
  #sign() {
    const { entry } = this;
    if (!entry) return "";
    const { model } = this.#o;
    const owners = entry.kind === "listener"
      ? [...releasedWithout(model, entry.id)].join() + String(entry.on)
        + (entry.owners ?? []).map((name) => [name, ...releasedWithout(model, `${entry.id}/${name}`)])
      : keptAliveBy(model, entry.id).map((k) => k.path.join()).join();
    return [this.id, entry.n, entry.exists, owners, entry.ownerCount, Boolean(entry.sink), this.#lines().map(({ id }) => id),
      entry.kind !== "listener" && entry.owners].join("|");
  }

  rebuild() {
    const { entry } = this;
    const signature = this.#sign();
    if (this.#signature === signature && entry) return this.update();
    // The editor stays while the node does, because the user may be typing.
    const keepsEditor = this.#editor && this.#parts.editorOf === this.id && entry?.kind === "mutable";
    if (this.#editor && !keepsEditor) { this.#editor.close(); this.#editor = null; }
    this.#other?.close?.();
    this.#other = null;
    this.#signature = signature;
    if (!entry) {
      const gone = this.id;
      this.#replace(this.#head("Gone"), h("p", {},
        gone ? "It was released, or left. The tray below the picture has what was known of it." : ""));
      return;
    }
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const body = /listener|family|upstream/.test(entry.kind) ? this.#others(entry) : this.#node(entry);
    this.#replace(this.#head(titleOf(entry), wordOf(entry)), ...body.filter(Boolean));
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (focused) this.element.querySelector("button")?.focus({ preventScroll: true });
    this.update();
  }

  #head(title, word) {
    return h("header", { class: "inspector-head" },
      h("h2", { title: plain(title) }, plain(title, 120)), word ? h("span", { class: "tag" }, word) : null,
      h("button", { class: "quiet icon-button", type: "button", "aria-label": "Close inspector",
        onclick: () => this.#o.close() }, icon("M4 4l8 8M12 4l-8 8")));
  }

  #others(entry) {
    if (!others) {
      const note = h("p", { class: "quiet-text" }, "");
      later("others").then((module) => { others = module; }, () => {
        setText(note, "The details did not load: the server does not answer");
      }).then(() => {
        this.#signature = ""; // the next look asks again
        if (others && this.id === entry.id) this.rebuild();
      });
      return [note];
    }
    this.#other = others.detailsOf(entry, { ...this.#o, row, link: (...given) => this.#link(...given),
      light: (...given) => this.#light(...given) });
    return [...this.#other.body, this.#links()].filter(Boolean);
  }

  /** The links that begin or end at what is shown, or that belong to it. */
  #lines() {
    return this.#o.model.clientLines().lines.filter(({ kind, from, to, by }) =>
      kind !== "listen" && [from, to, by].includes(this.id));
  }

  #links() {
    const lines = this.#lines(), box = h("section", { class: "kept", "aria-label": "Links by clients" });
    if (!lines.length) return null;
    load("/graph/clients.js").then(({ linkList }) => box.append(h("h3", {}, "Links by clients"),
      linkList(this.#o.model, lines, (...given) => this.#link(...given))), () => { /* the next look */ });
    return box;
  }

  #node(entry) {
    const part = this.#parts = { editorOf: this.id };
    const body = [];
    if (entry.title && entry.name !== undefined) body.push(h("p", {},
      h("code", { class: "quiet-text" }, plain(entry.name))));
    if (entry.description) body.push(h("p", { class: "quiet-text" }, plain(entry.description, 400)));
    part.raised = h("p", { hidden: true });
    part.changed = h("p", { class: "quiet-text" }, "");
    part.stale = h("p", { class: "warn-text", hidden: true }, "");
    body.push(part.raised);
    part.value = h("div", { class: "inspector-value value", tabindex: 0, "aria-label": "Value" }, "");
    part.error = h("p", { class: "bad-text", hidden: true }, "");
    body.push(part.value, part.changed, part.stale, part.error);
    if (entry.kind === "mutable") {
      const slot = h("div", { class: "editor-slot" }, this.#editor?.element);
      if (!this.#editor) this.#edit(entry, slot);
      body.push(slot);
    }
    body.push(this.#owners(entry));
    body.push(this.#links());
    part.rate = h("span", {}, "");
    part.alive = h("span", {}, "");
    part.type = h("span", {}, "");
    part.count = h("span", {}, "");
    const made = [entry.op, entry.label && stageWords(entry.label)].filter(Boolean).join(": ");
    body.push(h("dl", { class: "node-facts" },
      row("Type", part.type), row("Rate", part.rate),
      part.writer = row("Written by", ""),
        row("Values so far", part.count), row("Running for", part.alive),
      entry.source ? row("Source", sourceOf(entry.source)) : null,
      made ? row("Computed by", h("code", { title: plain(entry.label ?? made, 400) }, plain(made, 400))) : null,
      entry.inputs?.length ? row("Computed from", this.#inputs(entry)) : null,
      entry.family ? row("Member of", this.#link(`n:${entry.family}`, entry.family)) : null,
      entry.of ? row("A step of", this.#link(`n:${entry.of}`, entry.of)) : null,
      entry.chain ? row("Pipeline", h("code", {}, entry.chain)) : null,
      entry.n !== undefined ? row("Number", h("code", {}, `#${entry.n}`)) : null));
    part.writer.hidden = true;
    if (entry.name !== undefined) {
      part.explain = h("div", { class: "explain" });
      body.push(h("button", { class: "quiet", type: "button", onclick: () => this.#explain(entry) }, "Why this value?"),
        part.explain);
    }
    return body;
  }

  /** The editor is loaded with the first node that can be set. */
  async #edit(entry, slot) {
    let inputFor;
    try { ({ inputFor } = await load("/ui/sensor.js")); } catch {
      slot.textContent = "The field did not load: the server does not answer";
      this.#signature = ""; // the next look asks again
      return;
    }
    if (!slot.isConnected || this.id !== entry.id || this.#editor) return;
    this.#editor = inputFor({ client: this.#o.client, graph: this.#o.graph, node: entry, announce: this.#o.announce });
    slot.append(this.#editor.element);
    this.update();
  }

  #owners(entry) {
    const { model } = this.#o;
    const box = h("section", { class: "kept", "aria-label": "Kept running by" }, h("h3", {}, "Kept running by"));
    if (entry.exists === false) {
      box.append(h("p", {}, "Not running: nobody listens. It starts when a client listens to it, or to what is computed from it."));
      return box;
    }
    const kept = keptAliveBy(model, entry.id);
    const anyway = keptAnyway(model).has(entry.id);
    if (kept.length) {
      box.append(h("ul", { class: "owner-list" }, kept.slice(0, 50).map(({ listener, path, edges }) => {
        const client = model.listeners.get(listener);
        const lit = { nodes: new Set(path), edges: new Set(edges) };
        const on = () => this.#light("owners", lit), off = () => this.#light();
        const names = ownerNames(entry, listener);
        const way = path.slice(1, -1).map((id) => titleOf(model.nodes.get(id) ?? { id }));
        return h("li", {}, h("button", { class: "link", type: "button", onclick: () => this.#o.select(listener),
          onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off }, titleOf(client)),
          names.length > 0 && h("span", { class: "quiet-text" },
            ` for ${names.map((name) => plain(name, 40)).join(", ")}`),
          h("span", { class: "quiet-text" }, way.length ? ` by way of ${way.map((w) => plain(w, 40)).join(" → ")}`
            : " directly"));
      })));
      const total = Math.max(clientCount(entry), kept.length);
      if (total > Math.min(50, kept.length)) box.append(h("p", { class: "quiet-text" },
        `and ${formatNumber(total - Math.min(50, kept.length))} more`));
    }
    if (anyway) {
      const self = /mutable|source/.test(entry.kind) ? "Its definition: it stays when all leave."
        : entry.retain === "untilPressure" ? "It stays until memory is short (untilPressure)."
        : entry.retain && entry.retain !== "whileInUse" ? "Its definition keeps it (retain: always)."
          : "A node computed from it is kept by its definition.";
      box.append(h("p", { class: "quiet-text" }, self));
    } else if (kept.length === 1 && clientCount(entry) <= 1) {
      box.append(h("p", { class: "warn-text" },
        `Stops if ${titleOf(model.listeners.get(kept[0].listener))} leaves.`));
    } else if (kept.length) {
      box.append(h("p", { class: "quiet-text" },
        `Goes on if one of them leaves: ${plural(Math.max(clientCount(entry), kept.length), "client")} need it.`));
    } else {
      box.append(h("p", { class: "bad-text" }, "Nobody that this page can see. If it stays, it leaks."));
    }
    return box;
  }

  #link(id, text) {
    return h("button", { class: "link", type: "button", onclick: () => this.#o.select(id) }, plain(text, 80));
  }

  /** Values, rates and ages; called at most ten times a second. */
  update() {
    const { entry } = this, part = this.#parts;
    if (!entry) return;
    const now = Date.now();
    if (/listener|family|upstream/.test(entry.kind)) return this.#other?.update(entry, now);
    const text = entry.exists === false ? asleepWords : entry.fail ? "failed" : heldOf(entry);
    setText(part.value, plain(text, 4000));
    part.value.classList.toggle("small", text.length > 24 || !!entry.empty);
    part.error.hidden = !entry.fail;
    if (entry.fail) setText(part.error,
      `${entry.fail.msg ?? entry.fail.code} (${[entry.fail.code, placeOf(entry.fail)].filter(Boolean).join(", ")})`);
    const rate = this.#o.model.rate(this.id, performance.now());
    setText(part.rate, rate ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} updates a second` : "quiet");
    setText(part.alive, entry.exists === false ? "not running" : entry.born ? formatDuration(now - entry.born)
      : "not known");
    const at = entry.empty ? 0 : entry.t;
    setText(part.changed, `${lastWords(entry, at, now)}${at ? `, revision ${formatNumber(entry.c ?? 0)}` : ""}`);
    setText(part.type, entry.type ?? (entry.exists === false || entry.empty ? "unknown until it has a value"
      : typeOf(entry)));
    setText(part.count, entry.exists && !entry.born ? "not known" : formatNumber(entry.count ?? 0));
    // An explanation of another revision is outdated.
    if (part.explained !== undefined && part.explained !== this.#o.client.query) {
      part.explained = undefined;
      part.explain.replaceChildren();
    }
    if (this.#editor && this.#parts.defined !== entry) this.#editor.redefine(this.#parts.defined = entry);
    this.#editor?.show(entry, entry.c);
    this.#warn(entry, now);
    if (entry.kind === "mutable" && this.#o.isSignedIn()) later("explain").then(({ writerOf }) =>
      writerOf(part, this.#o, entry, now), () => { /* "Why this value?" says what is wrong */ });
  }

  /** Says that the node calls for attention, or that its value is out of date. */
  #warn(entry, now) {
    const part = this.#parts, raised = raisedBy(entry), isStale = this.#o.model.stale.has(entry.name);
    if (part.raised.dataset.raised !== raised) {
      part.raised.dataset.raised = raised;
      part.raised.hidden = !raised;
      part.raised.replaceChildren(raised ? severityMark(raised, severityWords[raised]) : "");
    }
    part.stale.hidden = !isStale;
    if (isStale) setText(part.stale, capital(staleWords(entry, entry.t, now)));
  }

  #inputs({ inputs }) {
    const { nodes } = this.#o.model;
    return h("span", {}, inputs.map((name, i) =>
      [i ? ", " : "", this.#link(`n:${name}`, titleOf(nodes.get(`n:${name}`) ?? { name }))]).flat());
  }

  async #explain(entry) {
    const { graph, client } = this.#o, link = (node) => this.#link(`n:${node}`, node);
    this.#parts.explained = client.query;
    try {
      const { explain } = await later("explain");
      await explain(this.#parts.explain, graph, entry.name, client.query, link);
    } catch {
      setText(this.#parts.explain, "The server does not answer");
    }
  }
}

function sourceOf(source) {
  const text = h("code", {}, "");
  load("/lib/state.js").then(({ formatSource }) => setText(text, formatSource(source)), () => { /* it has gone */ });
  return text;
}

const placeOf = ({ at }) => at !== undefined && `at ${plain(JSON.stringify(at), 80)}`;

const typeOf = ({ v, fail }) => (fail ? "failed" : v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
