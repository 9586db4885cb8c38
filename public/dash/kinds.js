// The kinds of widgets: what they are called, how large they begin, what they show. Each is loaded when a dashboard has one.

const figures = () => import("/dash/figures.js");
const lists = () => import("/dash/lists.js");
const charts = () => import("/dash/charts.js");

/** `source`: how many nodes it takes: "one", "several", "maybe" (a node or fixed text) or "none"; `options`: what its form asks for. */
export const kinds = {
  number: { label: "Number", size: [3, 2], source: "one", options: ["pipe", "unit"], load: figures },
  sparkline: { label: "Sparkline", size: [3, 2], source: "one", options: ["pipe", "unit", "span"], load: figures },
  series: { label: "Time series", size: [6, 4], source: "several", options: ["pipe", "span", "min", "max"], load: charts },
  gauge: { label: "Gauge", size: [3, 3], source: "one", options: ["pipe", "unit", "min", "max", "warn", "bad"], load: charts },
  lamp: { label: "State lamp", size: [3, 2], source: "one", options: ["pipe", "ok", "bad"], load: figures },
  editor: { label: "Editor", size: [3, 2], source: "mutable", options: ["slider"], load: figures },
  text: { label: "Text", size: [3, 2], source: "maybe", options: ["pipe", "text"], load: figures },
  table: { label: "Table", size: [6, 4], source: "several", options: [], load: lists },
  log: { label: "Log", size: [6, 4], source: "one", options: ["pipe"], load: lists },
  people: { label: "Who is here", size: [4, 4], source: "several", options: [], load: () => import("/dash/people.js") },
  clients: { label: "Client list", size: [4, 4], source: "none", options: [], load: lists },
};
