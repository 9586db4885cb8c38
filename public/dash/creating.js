// A new dashboard: saved under its name from the first minute, and opened to be edited.
import { graphPath, h, style } from "/lib/dom.js";
import { capital } from "/lib/format.js";
import { made } from "/dash/compose.js";
import { most, version } from "/dash/layout.js";
import { list } from "/dash/saved.js";
import { nameOf, save, suggest } from "/dash/saving.js";

style("/dash/forms.css");

/** The layout to begin with: the nodes of the graph, or nothing. */
async function begun(graph, client, isEmpty) {
  if (isEmpty) return { v: version, widgets: [] };
  const answer = await fetch(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json`);
  const { nodes = [], families = [] } = answer.ok ? await answer.json() : {};
  const observed = { nodes: new Map(nodes.map((each) => [each.name ?? each, each])), families };
  return (await made({ graph, observed, page: { client } })).layout;
}

/** Asks for a name, and of several graphs for one; `graph` is the one that is shown. */
export async function create({ client, dialogs, go, signal, store }, graph) {
  const { dashboards, writable, why } = await list(), graphs = store.get("graphs") ?? [];
  const titleOf = (name) => graphs.find((each) => each.graph === name)?.title || name;
  const choice = (value, label) => h("option", { value }, label);
  const which = h("select", { id: "new-graph" }, graphs.map((each) => choice(each.graph, titleOf(each.graph))));
  which.value = graph ?? graphs[0]?.graph;
  const suggested = () => suggest(titleOf(which.value), dashboards);
  const name = h("input", { id: "new-name", maxlength: most.title, value: suggested() });
  const begin = h("select", { id: "new-begin" }, choice("nodes", "The nodes of the graph"), choice("", "An empty board"));
  const problem = h("p", { class: "bad small", role: "alert" }, writable ? "" : `Nothing can be saved here: ${why}.`);
  let isOwn = false;
  name.addEventListener("input", () => (isOwn = true));
  which.addEventListener("change", () => { if (!isOwn) name.value = suggested(); });
  const field = (label, input) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);
  const answer = await dialogs.open({
    title: "New dashboard", sheet: true,
    body: h("div", { class: "in-dash" }, h("div", { class: "form-fields" }, field("Name", name),
      graphs.length > 1 && field("Graph", which), field("Begin with", begin), problem)),
    actions: [{ label: "Cancel", value: null }, ...(writable ? [{ label: "Create", value: "yes", kind: "primary" }] : [])],
  });
  const title = name.value.trim() || suggested(), own = which.value;
  if (answer !== "yes" || signal.aborted) return;
  try {
    const layout = { ...await begun(own, client, !begin.value), title, graph: own }, file = nameOf(title);
    await save(file, layout, null);
    if (!signal.aborted) go(`${graphPath(own, "dash")}?d=${encodeURIComponent(file)}&edit=1`);
  } catch ({ message, isConflict }) {
    await dialogs.open({ title: "Not created", body: h("p", {}, isConflict
      ? `There is a dashboard of the name ${title} already.` : `${capital(message)}.`) });
  }
}
