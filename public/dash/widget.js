// A widget: the sources of its values and their state, on a tile; its kind draws the picture.
import { graphPath, h, href, load } from "/lib/dom.js";
import { formatAge } from "/lib/format.js";
import { standing } from "/lib/state.js";
import { Tile } from "/dash/tile.js";
import { isKnown, loadKind } from "/widgets/index.js";
import { toneOf, toneOfNode } from "/widgets/tone.js";

export class Widget {
  sources = []; picture = null; kind = null;
  #board; #source; #item; #ending = new AbortController(); #left = 0; #note = null; #told; #tone = "off";
  #tile;

  constructor(data, board) {
    this.data = data;
    this.#board = board;
    this.#source = board.source(data.graph);
    const { signal } = this.#ending;
    this.#tile = new Tile(data, () => board.edit((editing) => editing.menu(this)));
    this.#name();
    if (!isKnown(data.kind)) return this.#say(`A widget of the kind “${data.kind}”, which this page does not know.`);
    this.body.append(h("span", { class: "skeleton" }));
    board.page.frame.tick(() => this.#age(), signal);
    board.page.store.listen("state", () => this.#age(), signal);
    this.#start(signal).catch((error) => this.#say(`This widget could not be loaded (${error.message}).`, "bad"));
  }

  get element() { return this.#tile.element; }
  get body() { return this.#tile.body; }
  get menuButton() { return this.#tile.menuButton; }
  get nodes() { return this.data.nodes ?? (this.data.node ? [this.data.node] : []); }
  get graph() { return this.#source.graph; }
  get observed() { return this.#source.observed; }
  get #what() { return this.kind?.label ?? this.data.kind; }

  get title() {
    return this.data.title ?? (this.nodes.map((each) => this.#titleOf(each)).join(", ") || this.#what);
  }

  #titleOf(node) { return this.#source.facts(node)?.title ?? node; }

  #name() {
    const [node] = this.nodes, path = graphPath(this.graph), isOne = node && !/[*?]/.test(node);
    const link = { href: href(`${path}?node=${encodeURIComponent(node)}`), title: `${node} in the graph` };
    const known = isOne && this.nodes.length === 1 ? this.#source.facts(node) : undefined;
    // What a pipeline makes of a setting, or a chart of it, is no setting.
    const { pipe, nodes, title = known?.title } = this.data, kind = pipe || nodes ? "derived" : known?.kind;
    this.#tile.name(this.title, this.#what, known && { ...known, title, kind }, isOne && !this.#board.isKiosk && link);
  }

  #say(words, tone = "dim") { this.body.replaceChildren(h("p", { class: tone }, words)); }

  async #start(signal) {
    const board = this.#board, { data } = this;
    [this.kind] = await Promise.all([loadKind(data.kind), this.observed.known]);
    if (signal.aborted) return;
    this.#name();
    const { source, past } = this.kind, heard = (feed) => this.#heard(feed);
    const isAll = source === "all" && this.nodes.length > 0;
    const isMany = isAll || this.nodes.some((name) => /[*?]/.test(name));
    const group = isMany && await load("/dash/group.js"), names = isAll ? [] : await this.#names(group);
    if (signal.aborted) return;
    if (!names.length && !isAll && source !== "maybe" && source !== "none") {
      return this.#say(this.nodes.length ? "No node has such a name."
        : "No node is chosen. Edit this widget to choose one.");
    }
    const { client } = board.page, { graph, observed, feeds } = this.#source;
    this.sources = isAll ? [group.open({ client, graph, nodes: this.nodes, observed }, heard)]
      : names.map((name) => feeds.open(name, data.pipe, past ?? 1024, heard, !!past));
    const picture = await this.kind.make(data, this.#context(signal));
    if (signal.aborted) return picture.close?.();
    this.picture = { show: () => this.mark(), ...picture };
    this.body.replaceChildren(picture.element);
    if (picture.draw) this.#item = board.page.frame.item(picture.element, picture.draw);
    this.picture.show();
    this.#rate();
    this.#age();
  }

  /** What a kind's `make` gets besides the widget's data. */
  #context(signal) {
    const board = this.#board, { data } = this, { graph, observed, feeds, facts } = this.#source;
    return {
      feeds: this.sources.map(({ feed }) => feed), page: board.page, graph, observed, facts, signal, title: this.title,
      now: feeds.now, cursor: board.cursor, isKiosk: board.isKiosk, isTouch: board.isTouch,
      unit: (name) => data.unit ?? (data.pipe ? "" : facts(name)?.unit ?? ""),
      words: (name) => (data.pipe ? undefined : facts(name)?.words),
      mark: () => this.mark(), tone: (isLamp) => this.#toned(isLamp), tile: this.#tile,
    };
  }

  /** Whether its value is known, and has a tone. */
  get rates() {
    const { kind, sources: [first] } = this;
    return !!kind && !kind.source && kind.options.includes("ok") && !!first?.feed.meta;
  }

  /** What is not on screen is not drawn, but it calls for attention all the same. */
  #rate() { if (this.rates) this.#toned(this.kind.kind === "lamp"); }

  /** How good its value is. */
  get tone() {
    const { data } = this, [{ feed }] = this.sources;
    const node = (!data.pipe && this.#source.facts(feed.node)) || {};
    const isOwn = data.ok !== undefined || data.bad !== undefined || data.warn !== undefined;
    return node.severity && !isOwn ? toneOfNode(node, feed.entry) : toneOf(feed.entry, data, node.severity);
  }

  /** Shows on the whole widget how good the value is, and returns it. */
  #toned(isLamp) {
    const { tone } = this;
    this.#tile.tone(tone, isLamp);
    if (tone === this.#tone) return tone;
    this.#tone = tone;
    this.#board.sort();
    if (tone === "alarm") this.#board.page.announce(`Alarm: ${this.title}`, { assertive: true });
    return tone;
  }

  async #names(group) {
    const { observed, graph } = this, { most = 6 } = this.kind;
    const names = group ? await group.namesOf(this.nodes, { observed, graph, most }) : [...new Set(this.nodes)];
    this.#left = Math.max(0, names.length - most);
    return names.slice(0, most);
  }

  #heard(feed) {
    const { ended, state } = feed.meta;
    this.picture?.show();
    this.#rate();
    if (ended || this.#note || state !== this.#told) this.#age();
    this.#told = state;
  }

  /**
   * The state of the values in the header: left out, folded, old, loading; and whether they are
   * current.
   */
  #age() {
    const { name, late, lost } = this.#board.connection, feeds = this.sources.map(({ feed }) => feed);
    const now = this.#source.feeds.now(), known = feeds.map((feed) => ({ feed, ...standing(feed, now) }));
    const ended = feeds.find(({ meta }) => meta?.ended), told = known.find(({ words }) => words);
    const isTrue = name === "live" && !late && !feeds.some(({ meta, watch }) => meta && watch.stale);
    const shown = feeds[0]?.rows?.size ?? feeds.length, left = feeds[0]?.more ?? this.#left;
    let text = left ? `${shown} of ${shown + left} nodes` : "", isStale = false;
    if (ended || isTrue) {
      const folds = Math.max(...feeds.map(({ folds }) => folds));
      if (folds >= 1.5 && !ended) text = `1 of ${Math.round(folds)} updates`;
    } else if (feeds.some(({ at }) => at)) {
      // Without a connection all widgets are as old as its loss; otherwise each has its own age.
      const newest = Math.max(...feeds.map(({ at }) => at)), age = Date.now() - (lost ?? newest);
      isStale = age > 5000;
      if (isStale) text = formatAge(age).replace(" ago", " old");
    }
    if (told) text = known.length > 1 ? `${this.#titleOf(told.feed.node)}: ${told.words}` : told.words;
    // One of several that is out of date does not make the others old.
    const [{ name: state } = {}] = known, isOne = known.every((each) => each.name === state);
    this.#tile.state(ended ? "ended" : isStale ? "stale" : isOne && state, text);
    if (ended || this.#note) this.#tell(ended);
    if (this.picture?.ages) this.mark();
  }

  async #tell(ended) {
    const { EndedNote } = await load("/dash/ended.js");
    if (!this.#note) {
      this.#note = new EndedNote(this.sources, () => this.#age());
      this.body.after(this.#note.element);
    }
    this.#note.show(ended);
  }

  mark() {
    this.#item?.mark();
    this.picture?.mark?.();
  }

  close() {
    this.#ending.abort();
    this.#item?.close();
    this.picture?.close?.();
    for (const source of this.sources) source.close();
    this.element.remove();
  }
}
