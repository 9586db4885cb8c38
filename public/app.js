// The first page: every value of a graph, live, and a field to set what can be set.
import { Connection } from "/connection.js";
import { NodeView } from "/node-view.js";

const main = document.getElementById("main");
const nav = document.getElementById("graphs");
const state = document.getElementById("state");

const connection = new Connection(
  new URL("/v1/ws", location.href.replace(/^http/, "ws")),
  (name, words) => {
    state.dataset.state = name;
    state.textContent = words;
    main.classList.toggle("stale", name !== "live");
    for (const view of views) view.enable(name === "live");
  },
);

/** The views on screen; they own the subscriptions, so leaving a graph lets go of what only this page held. */
let views = [];
let generation = 0;

const named = () => decodeURIComponent(location.hash.replace(/^#\/g\//, "") || "");

async function fetchJSON(path) {
  const answer = await fetch(path);
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.detail ?? body.msg ?? `${answer.status}`);
  return body;
}

async function showGraphs() {
  const { graphs } = await fetchJSON("/v1/graphs");
  nav.replaceChildren(...graphs.map(({ graph, title }) => {
    const link = document.createElement("a");
    link.href = `#/g/${encodeURIComponent(graph)}`;
    link.textContent = title || graph;
    return link;
  }));
  return graphs;
}

async function show() {
  const mine = ++generation;
  try {
    const graphs = await showGraphs();
    const graph = graphs.find((g) => g.graph === named()) ?? graphs.find((g) => g.graph === "host") ?? graphs[0];
    if (!graph) return say("There is no graph yet. Put a definition into config/graphs and start the server again.");
    const picture = await fetchJSON(`/v1/graphs/${encodeURIComponent(graph.graph)}/graph?format=json`);
    if (mine !== generation) return;
    for (const link of nav.children) {
      const current = link.hash === `#/g/${encodeURIComponent(graph.graph)}`;
      current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    }
    render(graph, picture.nodes.filter((node) => node.name));
  } catch (error) {
    if (mine !== generation) return;
    say(`The list of graphs could not be read (${error.message}). Trying again in a moment.`);
    setTimeout(() => mine === generation && show(), 2000);
  }
}

function say(sentence) {
  clear();
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = sentence;
  main.replaceChildren(note);
}

function clear() {
  for (const view of views) view.close();
  views = [];
}

function render(graph, nodes) {
  clear();
  const heading = document.createElement("h2");
  heading.textContent = graph.title || graph.graph;

  const cards = document.createElement("div");
  cards.className = "cards";
  const derived = nodes.filter((node) => node.kind !== "mutable");
  const order = (node) => (node.title ? 0 : 1);
  for (const node of derived.sort((a, b) => order(a) - order(b))) {
    const view = NodeView.card(connection, graph.graph, node);
    views.push(view);
    cards.append(view.element);
  }

  const inputs = document.createElement("h3");
  inputs.textContent = "Set by clients";
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const label of ["Node", "Value", "Set"]) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = label;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const node of nodes.filter((n) => n.kind === "mutable")) {
    const view = NodeView.row(connection, graph.graph, node);
    views.push(view);
    body.append(view.element);
  }
  scroll.append(table);
  main.replaceChildren(heading, cards, inputs, scroll);
  for (const view of views) view.enable(connection.isLive);
}

addEventListener("hashchange", show);
addEventListener("pagehide", () => connection.close());
addEventListener("pageshow", (event) => event.persisted && connection.open());
connection.open();
show();
