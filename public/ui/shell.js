// The frame of every view: the bar, the list of graphs, the views of the shown graph, the title of
// the tab.
import { arrange, graphPath, h, href, icon, load, setAttribute, setText, severityMark } from "/lib/dom.js";
import { alarmWords, healthOf } from "/lib/words.js";
import { Banner, resumedWords, words } from "./connection.js";

const tabs = [["dash", "Dashboard", "dash"], ["values", "Values", "values"], ["", "Graph", "graph"]];
const icons = {
  home: "M2.5 7.5L8 3l5.5 4.5M4 6.5V13h8V6.5",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11v11M8 5h4.5M8 8h5.5M8 11h4.5",
  leave: "M6.5 3H3v10h3.5M7 8h6.5M10.5 5l3 3-3 3",
  past: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3l2 1.5",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6.9v.4M8 11.5v.1",
  graph: "M3 4.5h3v3H3zM10 2.5h3v3h-3zM10 10.5h3v3h-3zM6 6h2v-2h2M8 6v6h2",
  dash: "M2.5 2.5h5v6h-5zM10 2.5h3.5v3H10zM10 8h3.5v5.5H10zM2.5 11h5v2.5h-5z",
  values: "M2.5 3.5h11M2.5 8h11M2.5 12.5h11",
  clients: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 13c0-2 1.5-3.5 3.5-3.5S9 11 9 13M11 8a1.5 1.5 0 1 0 0-3M11 10c1.8 0 3 1.2 3 3",
};

const healthLine = (graph) => {
  const { level, words } = healthOf(graph);
  return level === "well" ? h("small", {}, words) : severityMark(level, words);
};

const button = (name, label, onclick, more) =>
  h("button", { type: "button", class: "quiet only-icon", "aria-label": label, title: label, onclick, ...more },
    icon(icons[name]));

export class Shell {
  /** For the view's own tools. */
  slot = h("div", { class: "slot" });
  #page; #route = { name: "home", params: {} }; #graph = null; #hasMeters = false; #title = "Sluice";
  #state = document.createElement("conn-state");
  #heading = h("h1");
  /** What calls for attention, where there is no room for the list of graphs. */
  #health = h("span", { class: "health" });
  #tabs = h("nav", { class: "tabs", "aria-label": "Views of the graph" });
  #sidebar = document.getElementById("sidebar");

  constructor(page, lookBack) {
    this.#page = page;
    const { client, store, frame } = page;
    document.getElementById("connection").append(this.#state);
    this.pastButton = h("button", { type: "button", class: "quiet past-button", "aria-pressed": "false",
      "aria-label": "History", title: "Look at the past (H)", onclick: () => lookBack() }, icon(icons.past),
      h("span", {}, "History"));
    document.getElementById("context").append(this.#heading, this.#health, this.#tabs, this.slot, this.pastButton);
    const leave = button("leave", "Sign out", () => this.#tool("signOut"));
    const theme = button("theme", `Theme: ${document.documentElement.dataset.theme ?? "system"}`,
      () => this.#tool("theme", theme), { "aria-haspopup": "menu" });
    const keys = button("help", "Keys (?)", () => this.help());
    this.banner = new Banner(document.getElementById("banner"), page);
    const paused = h("button", { type: "button", class: "paused", title: "Resume the display (P)",
      onclick: () => { store.set("paused", false); keys.focus(); } }, "Paused");
    document.getElementById("tools").append(paused, leave, theme, keys);
    store.listen("session", (session) => (leave.hidden = !session));
    store.listen("paused", (isPaused) => (paused.hidden = !isPaused));
    document.getElementById("skip").onclick = () => document.getElementById("main").focus();
    this.#state.retry.onclick = () => client.retry();
    this.#state.chip.onclick = () => this.#tool("aboutConnection");
    store.listen("state", (state) => this.#show(state));
    store.listen("present", (isPresent) => isPresent && this.#measure());
    store.listen("graphs", () => { this.#list(); this.#bottom(); });
    store.listen("narrow", () => this.#bottom());
    frame.tick(() => this.#tick());
  }

  route(route) {
    const { name, params: { graph }, query } = this.#route = route, inGraph = graph !== undefined,
      kiosk = /^(1|touch)$/.exec(query.get("kiosk"))?.[0];
    this.#graph = graph ?? this.#graph;
    setAttribute(document.documentElement, "data-kiosk", kiosk);
    for (const link of document.querySelectorAll(".views a")) {
      setAttribute(link, "aria-current", (inGraph ? "home" : name) === link.dataset.view && "page");
    }
    document.getElementById("context").hidden = !inGraph || !!kiosk;
    if (inGraph) arrange(this.#tabs, tabs.map(([view, label, own]) =>
      h("a", { href: href(graphPath(graph, view)), "aria-current": own === name && "page" }, label)));
    this.#bottom();
    this.#list();
  }

  /** Small screens have the views at their lower edge. */
  #bottom() {
    const { store } = this.#page, graphs = store.get("graphs") ?? [], isOnly = graphs.length === 1;
    if (!store.get("narrow")) return;
    // The views of a graph are there once one has been opened, or if there is no other.
    const { name } = this.#route, graph = this.#graph ?? (isOnly ? graphs[0].graph : null);
    const element = document.getElementById("bottom");
    const entry = (view, to, label) => h("a", { href: href(to), "aria-current": view === name && "page" },
      icon(icons[view], 20), label);
    element.hidden = document.documentElement.hasAttribute("data-kiosk");
    const ofGraph = graph ? tabs.map(([view, label, own]) => entry(own, graphPath(graph, view), label)) : [];
    arrange(element, [...(isOnly ? [] : [entry("home", "/", "Home")]), ...ofGraph,
      entry("clients", "/clients", "Clients")]);
  }

  /** The title of the tab, with alarms first: those of the shown graph, or of any. */
  title(text = this.#title) {
    this.#title = text;
    const graphs = this.#page.store.get("graphs") ?? [], { params: { graph } } = this.#route;
    const alarms = graphs.filter((each) => !graph || each.graph === graph).flatMap((each) => each.alarms ?? [])
      .filter(({ severity }) => severity === "alarm");
    const said = alarms.length > 1 ? `${alarms.length} alarms` : alarms.length ? alarmWords(alarms[0]) : "";
    document.title = [said && `(!) ${said}`, text, text !== "Sluice" && "Sluice"].filter(Boolean).join(" · ");
  }

  visit(view) {
    const graph = this.#graph ?? this.#page.store.get("graphs")?.[0]?.graph;
    this.#page.go(graph ? graphPath(graph, view) : "/");
  }

  async #refresh() {
    const { client, store } = this.#page;
    if (client.state.name !== "live") return;
    // Alarms come at once, the rest of the list with the next look.
    try { store.set("graphs", await client.list(() => this.#refresh())); } catch { /* the connection's state says it */ }
  }

  #list() {
    const graphs = this.#page.store.get("graphs") ?? [], { name, params: { graph } } = this.#route;
    const shown = graphs.find((each) => each.graph === graph), { level, words } = healthOf(shown ?? {});
    setText(this.#heading, shown?.title || graph || "");
    arrange(this.#health, level === "well" ? [] : [severityMark(level, words)]);
    this.title();
    this.#sidebar.hidden = document.getElementById("context").hidden || graphs.length < 2;
    if (this.#sidebar.hidden) return;
    arrange(this.#sidebar, [h("h2", {}, "Graphs"), ...graphs.map((each) => h("a", {
      href: href(graphPath(each.graph, name === "graph" ? "" : name)), "aria-current": each.graph === graph && "page",
    }, each.title || each.graph, healthLine(each)))]);
  }

  #show(state) {
    const before = this.#state.dataset.state, { name } = state;
    this.#state.show(state);
    if (before && before !== name) this.#page.announce(resumedWords(state) || words(state));
    if (name === "live" && before !== "live") this.#refresh();
  }

  async #measure() {
    if (this.#hasMeters) return;
    this.#hasMeters = true;
    try { (await load("/ui/tools.js")).measure(this.#page, this.#state.meters); } catch { this.#hasMeters = false; }
  }

  #tick() {
    this.#state.tick();
    if (Date.now() % 5000 < 1000) this.#refresh();
  }

  help() { this.#tool("help"); }

  async #tool(name, ...given) {
    let tools;
    try { tools = await load("/ui/tools.js");
    } catch { return this.#page.announce("Not there: the server does not answer", { assertive: true }); }
    tools[name](this.#page, ...given);
  }
}
