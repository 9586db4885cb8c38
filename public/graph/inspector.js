// The details of one node or listener: what keeps it alive, what would go with it, its value and
// its past.
import { h, icon, load, setText, severityMark } from "/lib/dom.js";
import { formatDuration, formatNumber, plural } from "/lib/format.js";
import { lastWords, raisedBy, severityWords, sinkWords, stageWords, staleWords } from "/lib/words.js";
import { formatSource } from "/lib/state.js";
import { formatTime } from "/lib/time.js";
import { ask, explain } from "./explain.js";
import { keptAliveBy, keptAnyway, ownerNames, releasedWithout } from "./owners.js";
import { words as upstreamWords } from "./upstreams.js";
import { clientCount, heldOf, plain, titleOf, wordOf } from "./shapes.js";

const row = (term, detail) => h("div", { class: "fact" }, h("dt", {}, term), h("dd", {}, detail));

/** The inspector: `show(id)` fills it, `update()` follows the values, `rebuild()` the structure. */
export class Inspector {
  id = null;
  #o; #parts = {}; #editor = null; #members = null; #signature = ""; #isLighting = false;
  /** Of which change the writer was asked for, and when. */
  #asked = { change: "", at: 0 };

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
    this.#members?.close();
    this.#editor = this.#members = null;
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
    return [this.id, entry.n, entry.exists, owners, entry.ownerCount, Boolean(entry.sink),
      entry.kind !== "listener" && entry.owners].join("|");
  }

  rebuild() {
    const { entry } = this;
    const signature = this.#sign();
    if (this.#signature === signature && entry) return this.update();
    // The editor stays while the node does, because the user may be typing.
    const keepsEditor = this.#editor && this.#parts.editorOf === this.id && entry?.kind === "mutable";
    if (this.#editor && !keepsEditor) { this.#editor.close(); this.#editor = null; }
    this.#members?.close();
    this.#members = null;
    this.#signature = signature;
    if (!entry) {
      const gone = this.id;
      this.#replace(this.#head("Gone"), h("p", {},
        gone ? "It was released, or left. The tray below the picture has what was known of it." : ""));
      return;
    }
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const body = entry.kind === "listener" ? this.#listener(entry) : entry.kind === "family" ? this.#family(entry)
      : entry.kind === "upstream" ? this.#upstream(entry) : this.#node(entry);
    this.#replace(this.#head(titleOf(entry), wordOf(entry)), ...body);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    else if (focused) this.element.querySelector("button")?.focus({ preventScroll: true });
    this.update();
  }

  #head(title, word) {
    return h("header", { class: "inspector-head" },
      h("h3", { title: plain(title) }, plain(title, 120)), word ? h("span", { class: "tag" }, word) : null,
      h("button", { class: "quiet icon-button", type: "button", "aria-label": "Close inspector",
        onclick: () => this.#o.close() }, icon("M4 4l8 8M12 4l-8 8")));
  }

  #writerRow(part) {
    part.writer = h("span", {}, "");
    const line = row("Written by", part.writer);
    line.hidden = true;
    this.#asked.change = "";
    return line;
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
    part.rate = h("span", {}, "");
    part.alive = h("span", {}, "");
    part.type = h("span", {}, "");
    part.count = h("span", {}, "");
    const made = [entry.op && `${entry.op}`, entry.label && stageWords(entry.label)].filter(Boolean).join(": ");
    body.push(h("dl", { class: "node-facts" },
      row("Type", part.type), row("Rate", part.rate),
        this.#writerRow(part),
        row("Emissions", part.count), row("Alive for", part.alive),
      entry.source ? row("Source", h("code", {}, formatSource(entry.source))) : null,
      made ? row("Made by", h("code", { title: plain(entry.label ?? made, 400) }, plain(made, 400))) : null,
      entry.inputs?.length ? row("Made from", this.#inputs(entry)) : null,
      entry.family ? row("Member of", this.#link(`n:${entry.family}`, entry.family)) : null,
      entry.of ? row("A step of", this.#link(`n:${entry.of}`, entry.of)) : null,
      entry.chain ? row("Pipeline", h("code", {}, entry.chain)) : null,
      entry.n !== undefined ? row("Number", h("code", {}, `#${entry.n}`)) : null));
    if (entry.name !== undefined) {
      part.explain = h("div", { class: "explain" });
      body.push(h("button", { class: "quiet", type: "button", onclick: () => this.#explain(entry) }, "Why this value?"),
        part.explain);
    }
    return body;
  }

  /**
   * A family: the properties of its members, and a list that comes from the server page by page.
   */
  #family(entry) {
    const part = this.#parts = {}, made = [entry.op, entry.label].filter(Boolean).join(": ");
    part.value = h("div", { class: "inspector-value", "aria-label": "Members" }, "");
    const slot = h("section", { class: "members", "aria-label": "Members" });
    this.#list(entry, slot);
    return [
      entry.description || entry.title ? h("p", { class: "quiet-text" },
        plain([entry.title, entry.description].filter(Boolean).join(". "), 400)) : null,
      part.value,
      h("dl", { class: "node-facts" }, row("Each is", entry.word), entry.type && row("Type", entry.type),
        made && row("Made by", h("code", {}, plain(made, 400))),
        entry.inputs?.length ? row("Made from", h("span", {},
          entry.inputs.map((name, i) => [i ? ", " : "", this.#link(`n:${name}`, name)]).flat())) : null,
        entry.expire && row("Ends", `when it was not set for ${formatDuration(entry.expire)}`),
          row("Alive", part.alive = h("span", {}, ""))),
      slot,
    ].filter(Boolean);
  }

  /** An upstream: how it is, and what it feeds. */
  #upstream({ on, nodes }) {
    const part = this.#parts = {}, { model } = this.#o;
    const fed = on.map((n) => model.numbered(n)).filter(Boolean).slice(0, 30);
    return [h("dl", { class: "node-facts" }, row("State", part.state = h("span", {}, "")),
      row("Feeds", h("span", {}, fed.map((node, i) => [i ? ", " : "", this.#link(node.id, titleOf(node))]).flat(),
        nodes > fed.length && `${fed.length ? " and " : ""}${plural(nodes - fed.length, fed.length ? "other" : "node")}`)))];
  }

  async #list(entry, slot) {
    try {
      const { Members } = await load("/graph/members.js");
      if (!slot.isConnected || this.id !== entry.id || this.#members) return;
      this.#members = new Members({ graph: this.#o.graph, family: entry,
        onChoose: (name) => this.#o.select(`n:${name}`) });
      slot.append(this.#members.element);
    } catch {
      slot.textContent = "The list did not load: the server does not answer";
      this.#signature = ""; // the next look asks again
    }
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
    const box = h("section", { class: "kept", "aria-label": "Kept alive by" }, h("h4", {}, "Kept alive by"));
    if (entry.exists === false) {
      box.append(h("p", {}, "Nobody: it is declared and asleep. It comes to life when a client needs it."));
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
      const self = /mutable|source/.test(entry.kind) ? "It holds a value, so it stays when all leave."
        : entry.retain === "untilPressure" ? "It stays until memory is short (untilPressure)."
        : entry.retain && entry.retain !== "whileInUse" ? "Its definition keeps it (retain: always)."
          : "A node made from it is kept by its definition.";
      box.append(h("p", { class: "quiet-text" }, self));
    } else if (kept.length === 1 && clientCount(entry) <= 1) {
      box.append(h("p", { class: "warn-text" },
        `Would be released if ${titleOf(model.listeners.get(kept[0].listener))} leaves.`));
    } else if (kept.length) {
      box.append(h("p", { class: "quiet-text" },
        `Would stay if one of them leaves: ${plural(Math.max(clientCount(entry), kept.length), "client")} hold it.`));
    } else {
      box.append(h("p", { class: "bad-text" }, "Nobody that this page can see. If it stays, it leaks."));
    }
    return box;
  }

  #listener(entry) {
    const { model } = this.#o;
    const part = this.#parts = {};
    const released = releasedWithout(model, entry.id);
    part.since = h("span", {}, "");
    part.folded = h("span", {}, "");
    part.queued = h("span", {}, "");
    part.sink = h("span", {}, "");
    part.sent = h("span", {}, "");
    const { sink } = entry;
    const names = [...new Set(entry.on)].map((n) => model.numbered(n)).filter(Boolean);
    const lit = { nodes: released, edges: new Set() };
    const on = () => this.#light("leaving", lit), off = () => this.#light();
    return [
      h("section", { class: "kept" }, h("h4", {}, "If it leaves"),
        released.size
          ? h("div", { onpointerenter: on, onpointerleave: off },
            h("p", { class: "warn-text" }, `Leaving releases ${plural(released.size, "node")}:`),
            h("ul", { class: "owner-list" }, [...released].slice(0, 50).map((id) =>
              h("li", {}, this.#link(id, titleOf(model.nodes.get(id)))))))
          : h("p", { class: "quiet-text" },
            "Nothing is released: others need what it needs, or a definition keeps it."),
        entry.owners?.length > 0 && h("ul", { class: "owner-list", "aria-label": "Its owners" },
          entry.owners.map((name) =>
          h("li", {}, h("code", {}, plain(name, 64)),
            `: releasing it frees ${plural(releasedWithout(model, `${entry.id}/${name}`).size, "node")}`)))),
      h("dl", { class: "node-facts" },
        sink && row("Sends to", h("code", {}, plain(sink.to, 200))), sink && row("State", part.sink),
        sink && row("Sent", part.sent),
        row(entry.kept ? "Without connection for" : "Connected for", part.since),
        row("By", entry.kept ? `a ticket of ${entry.kept.of}, until ${formatTime(entry.kept.until)}` : entry.transport
          ?? "unknown"),
        row("Listens to", h("span", {}, names.slice(0, 30).map((node, i) =>
          [i ? ", " : "", this.#link(node.id, titleOf(node))]).flat())),
        row("Folded values", part.folded), !sink && row("Waiting values", part.queued)),
      ...(entry.kept || entry.transport === "sink" ? []
        : [h("p", {}, h("a", { href: this.#o.href(`/clients/${encodeURIComponent(entry.id.replace(/^c:/, ""))}`) },
          "This connection under Clients"))]),
    ];
  }

  #sink(sink, now) {
    const { sink: state, sent } = this.#parts, { failingSince, dropped } = sink;
    setText(state, sinkWords(sink, now));
    state.classList.toggle("bad-text", Boolean(failingSince));
    setText(sent, plural(sink.sent, "value") + (dropped ? `, ${formatNumber(dropped)} given up` : ""));
  }

  #link(id, text) {
    return h("button", { class: "link", type: "button", onclick: () => this.#o.select(id) }, plain(text, 80));
  }

  /** Values, rates and ages; called at most ten times a second. */
  update() {
    const { entry } = this, part = this.#parts;
    if (!entry) return;
    const now = Date.now();
    if (entry.kind === "listener") {
      setText(part.since, formatDuration(now - entry.since));
      setText(part.folded, formatNumber(entry.folded ?? 0));
      setText(part.queued, formatNumber(entry.queued ?? 0));
      if (entry.sink) this.#sink(entry.sink, now);
      return;
    }
    if (entry.kind === "upstream") {
      setText(part.state, upstreamWords(entry));
      return void part.state.classList.toggle("bad-text", Boolean(entry.failure));
    }
    const text = entry.exists === false ? "asleep" : entry.fail ? "failed" : heldOf(entry);
    setText(part.value, plain(text, 4000));
    if (entry.kind === "family") return setText(part.alive,
      entry.alive === entry.members ? "all of them"
      : `${formatNumber(entry.alive)}: the others come to life when they are needed`);
    part.value.classList.toggle("small", text.length > 24);
    part.error.hidden = !entry.fail;
    if (entry.fail) setText(part.error,
      `${entry.fail.msg ?? entry.fail.code} (${[entry.fail.code, placeOf(entry.fail)].filter(Boolean).join(", ")})`);
    const rate = this.#o.model.rate(this.id, performance.now());
    setText(part.rate, rate ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} updates a second` : "quiet");
    setText(part.alive, entry.exists === false ? "not alive" : entry.born ? formatDuration(now - entry.born)
      : "not known");
    const at = entry.empty ? 0 : entry.t;
    setText(part.changed, `${lastWords(entry, at, now)}${at ? `, rev ${formatNumber(entry.c ?? 0)}` : ""}`);
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
    if (entry.kind === "mutable") this.#findWriter(entry, now);
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
    if (isStale) setText(part.stale, `Out of date: ${staleWords(entry, entry.t, now)}`);
  }

  #inputs({ inputs }) {
    const { nodes } = this.#o.model;
    return h("span", {}, inputs.map((name, i) =>
      [i ? ", " : "", this.#link(`n:${name}`, titleOf(nodes.get(`n:${name}`) ?? { name }))]).flat());
  }

  /**
   * The author of the value, from a server with sign-in: asked for once, and after changes at
   * most every two seconds.
   */
  async #findWriter(entry, now) {
    const { writer } = this.#parts, change = String(entry.c);
    if (!this.#o.isSignedIn() || this.#asked.change === change
      || (this.#asked.change && now - this.#asked.at < 2000)) return;
    this.#asked = { change, at: now };
    try {
      const by = (await ask(this.#o.graph, entry.name, this.#o.client.query)).nodes.find(({ node }) =>
        node === entry.name)?.by;
      setText(writer, plain(String(by ?? ""), 80));
      writer.parentElement.parentElement.hidden = by === undefined;
    } catch { /* "Why this value?" says what is wrong */ }
  }

  async #explain(entry) {
    const { graph, client } = this.#o, link = (node) => this.#link(`n:${node}`, node);
    this.#parts.explained = client.query;
    await explain(this.#parts.explain, graph, entry.name, client.query, link);
  }
}

const placeOf = ({ at }) => at !== undefined && `at ${plain(JSON.stringify(at), 80)}`;

const typeOf = ({ v, fail }) => (fail ? "failed" : v === null ? "null" : Array.isArray(v) ? "array" : typeof v);
