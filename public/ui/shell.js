// What is around every view.
import { h, icon, load, setText, setAttribute } from "/lib/dom.js";
import { plural } from "/lib/format.js";
import { graphPath, href } from "/lib/page.js";
import { ConnectionState, isSignedOut, resumedWords, words } from "/ui/conn-state.js";

const tabs = [["", "Graph", "graph"], ["dash", "Dashboard", "dash"], ["values", "Values", "values"]];
const icons = {
  graph: "M3 4.5h3v3H3zM10 2.5h3v3h-3zM10 10.5h3v3h-3zM6 6h2v-2h2M8 6v6h2",
  dash: "M2.5 2.5h5v6h-5zM10 2.5h3.5v3H10zM10 8h3.5v5.5H10zM2.5 11h5v2.5h-5z",
  values: "M2.5 3.5h11M2.5 8h11M2.5 12.5h11",
  clients: "M5.5 7.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM2 13c0-2 1.5-3.5 3.5-3.5S9 11 9 13M11 8a1.5 1.5 0 1 0 0-3M11 10c1.8 0 3 1.2 3 3",
  system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
  light: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.2M8 13.3v1.2M1.5 8h1.2M13.3 8h1.2M3.4 3.4l.8.8M11.8 11.8l.8.8M12.6 3.4l-.8.8M4.2 11.8l-.8.8",
  dark: "M13 9.8A5.5 5.5 0 0 1 6.2 3a5.5 5.5 0 1 0 6.8 6.8z",
  leave: "M6.5 3H3v10h3.5M7 8h6.5M10.5 5l3 3-3 3",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6.9v.4M8 11.5v.1",
};

export class Shell {
  /** For the view's own tools. */
  slot = h("div", { class: "slot" });
  #page; #route = { name: "graphs", params: {} }; #graph = null;
  #state = new ConnectionState();
  #heading = h("h1");
  #tabs = h("nav", { class: "tabs", "aria-label": "Views of the graph" });
  #sidebar = document.getElementById("sidebar");
  #banner = document.getElementById("banner");
  #before = { at: 0, messages: 0, updates: 0, bytes: 0 };
  #theme = h("button", { type: "button", class: "quiet only-icon", title: "Theme", "aria-haspopup": "menu", onclick: () => this.#tool("theme", this.#theme, () => this.#showTheme()) });
  figures = {};

  constructor(page) {
    this.#page = page;
    const { store, frame } = page;
    document.getElementById("connection").append(this.#state);
    document.getElementById("context").append(this.#heading, this.#tabs, this.slot);
    const leave = h("button", { type: "button", class: "quiet only-icon", "aria-label": "Sign out", title: "Sign out", onclick: () => this.#tool("signOut") }, icon(icons.leave));
    store.listen("session", (session) => (leave.hidden = !session));
    const paused = h("button", { type: "button", class: "paused", title: "Resume the display (P)", onclick: () => store.set("paused", false) }, "Paused");
    store.listen("paused", (isPaused) => (paused.hidden = !isPaused));
    document.getElementById("tools").append(paused, leave, this.#theme, h("button", {
      type: "button", class: "quiet only-icon", "aria-label": "Keys", title: "Keys (?)", onclick: () => this.help(),
    }, icon(icons.help)));
    this.#showTheme();
    document.getElementById("skip").addEventListener("click", () => document.getElementById("main").focus());
    this.#state.onRetry(() => page.client.retry());
    this.#state.onChip(() => this.#tool("aboutConnection", this));
    store.listen("state", (state) => this.#show(state));
    store.listen("graphs", () => this.#list());
    frame.tick(() => this.#tick());
    this.#refresh();
    frame.tick(() => { if (Date.now() % 5000 < 1000) this.#refresh(); });
  }

  route(route) {
    this.#route = route;
    if (route.params.graph) this.#graph = route.params.graph;
    const inGraph = route.params.graph !== undefined;
    const kiosk = route.query.get("kiosk") === "1";
    document.documentElement.toggleAttribute("data-kiosk", kiosk);
    for (const link of document.querySelectorAll(".views a")) {
      setAttribute(link, "aria-current", link.dataset.view === route.name || (inGraph && link.dataset.view === "graphs") ? "page" : null);
    }
    setAttribute(document.getElementById("context"), "hidden", !inGraph || kiosk);
    setAttribute(this.#sidebar, "hidden", !inGraph || kiosk);
    if (inGraph) {
      this.#tabs.replaceChildren(...tabs.map(([view, label, name]) => h("a", {
        href: href(graphPath(route.params.graph, view)), "aria-current": name === route.name && "page",
      }, label)));
    }
    this.#bottom();
    this.#list();
  }

  /** Goes to a view of the graph shown last, or of the first one. */
  visit(view) {
    const graph = this.#graph ?? this.#page.store.get("graphs")?.[0]?.graph;
    this.#page.go(graph ? graphPath(graph, view) : "/");
  }

  #bottom() {
    const graph = this.#graph, bottom = document.getElementById("bottom");
    const entry = (name, to, label) => h("a", {
      href: href(to), "aria-current": (this.#route.name === name || (name === "graph" && this.#route.name === "graphs")) && "page",
    }, icon(icons[name], 20), label);
    bottom.hidden = document.documentElement.hasAttribute("data-kiosk");
    bottom.replaceChildren(...tabs.map(([view, label, name]) => entry(name, graph ? graphPath(graph, view) : "/", label)), entry("clients", "/clients", "Clients"));
  }

  async #refresh() {
    const { client, store } = this.#page;
    if (client.state.name !== "live") return;
    try { store.set("graphs", await client.list()); } catch { /* the connection's state says it */ }
  }

  #list() {
    const graphs = this.#page.store.get("graphs") ?? [], { graph } = this.#route.params;
    const known = graphs.find((each) => each.graph === graph);
    setText(this.#heading, known?.title || graph || "");
    if (this.#sidebar.hidden) return;
    this.#sidebar.replaceChildren(h("h2", {}, "Graphs"), ...graphs.map((each) => h("a", {
      href: href(graphPath(each.graph, this.#route.name === "graph" ? "" : this.#route.name)), "aria-current": each.graph === graph && "page",
    }, each.title || each.graph, h("small", {}, `${plural(each.nodes, "node")}, ${plural(each.listeners, "listener")}`))));
  }

  #show(state) {
    const { announce, frame } = this.#page, before = this.#state.dataset.state;
    this.#state.show(state);
    if (before && before !== state.name) announce(resumedWords(state) || words(state));
    if (state.name === "live" && before !== "live") {
      this.#refresh();
      this.#version();
    }
    this.#warn(state);
  }

  #warn(state) {
    if (state.name === "offline") {
      this.#banner.replaceChildren(h("span", {}, "The server cannot be reached. What you see is the last that came; nothing can be set until it is back."));
    } else if (state.name === "closed" && !isSignedOut(state) && state.code !== 1000) {
      this.#banner.replaceChildren(h("span", {}, `The server has closed the connection${state.reason ? `: ${state.reason}` : ""}. Nothing is updated any more.`));
    } else if (this.#newer) {
      this.#banner.replaceChildren(h("span", {}, "The server has been updated. This page still works; reload it when it suits you."),
        h("button", { type: "button", onclick: () => location.reload() }, "Reload to update"));
    } else {
      return void (this.#banner.hidden = true);
    }
    this.#banner.hidden = false;
  }

  #first; #newer = false;

  /** A newer page is never loaded without being asked for. */
  async #version() {
    try {
      const { version, protocol } = await (await fetch("/version")).json();
      const now = `${version} ${protocol}`;
      this.#newer = (this.#first ??= now) !== now;
      if (this.#newer) this.#warn(this.#page.store.get("state"));
    } catch { /* asked again after the next reconnect */ }
  }

  #tick() {
    this.#state.tick();
    const { meters } = this.#page, before = this.#before, at = performance.now();
    const rate = (what) => Math.max(0, (meters[what] - before[what]) * 1000 / (at - before.at));
    const round = (value) => (value >= 10 ? value.toFixed(0) : value.toFixed(1)).replace(/\.0$/, "");
    this.figures = {
      trip: meters.rtt === null ? "" : `${meters.rtt < 10 ? meters.rtt.toFixed(1) : meters.rtt.toFixed(0)} ms`,
      messages: round(rate("messages")), updates: round(rate("updates")), bytes: rate("bytes"),
    };
    this.#before = { at, ...meters };
    this.#state.meters([this.figures.trip, `${this.figures.updates} updates/s`].filter(Boolean).join(" · "));
  }

  #showTheme() {
    const theme = document.documentElement.dataset.theme ?? "system";
    this.#theme.replaceChildren(icon(icons[theme]));
    this.#theme.setAttribute("aria-label", `Theme: ${theme}`);
    this.#page.store.set("theme", theme);
  }

  help() { this.#tool("help"); }

  async #tool(name, ...given) {
    let tools;
    try { tools = await load("/ui/tools.js"); } catch { return this.#page.announce("Not there: the server does not answer", { assertive: true }); }
    tools[name](this.#page, ...given);
  }
}
