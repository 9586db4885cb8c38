// Dialogs of a dashboard: adding and editing widgets.
import { h, style } from "/lib/dom.js";
import { place } from "/dash/compose.js";
import { columns, most, read, version } from "/dash/layout.js";
import { kinds } from "/dash/page.js";
import { globOf } from "/graph/glob.js";

style("/dash/more.css");

/** What is asked for besides title and node, and how large a widget begins. */
const asked = {
  number: { size: [3, 2], options: ["pipe", "unit"] },
  sparkline: { size: [3, 2], options: ["pipe", "unit", "span"] },
  series: { size: [6, 4], options: ["pipe", "span", "min", "max"] },
  gauge: { size: [3, 3], options: ["pipe", "unit", "min", "max", "warn", "bad"] },
  lamp: { size: [3, 2], options: ["pipe", "ok", "bad"] },
  editor: { size: [3, 2], options: ["slider"] },
  text: { size: [3, 2], options: ["pipe", "text"] },
  table: { size: [6, 4], options: [] },
  log: { size: [6, 4], options: ["pipe"] },
  people: { size: [4, 4], options: [] },
  clients: { size: [4, 4], options: [] },
};

const labels = {
  pipe: ["Expression", "Run by the server for this widget, for instance round(value * 9 / 5 + 32, 1)"],
  unit: ["Unit", "As the node says, if left empty"], span: ["Seconds shown", ""], min: ["Least", ""], max: ["Greatest", ""],
  warn: ["Warn from", ""], bad: ["Bad", "A number or state that is bad"], ok: ["Good", "A state that is good"], text: ["Text", "Shown when no node is chosen"],
  slider: ["With a slider", "Where the node has bounds"],
};

let count = 0;
function field(label, hint, input) {
  const id = `field-${++count}`, note = hint && h("span", { class: "small dim", id: `${id}-hint` }, hint);
  input.id = id;
  if (note) input.setAttribute("aria-describedby", note.id);
  return h("div", { class: "field" }, h("label", { for: id }, label), input, note);
}

/** Asks for a widget: a new one, or what is to become of `data`. Resolves with its data, or null. */
export async function askWidget(board, data = null) {
  const { dialogs } = board.page, all = [...(board.observed.nodes?.values() ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  const kind = h("select", {}, Object.entries(kinds).map(([name, { label }]) => h("option", { value: name, selected: name === (data?.kind ?? "number") }, label)));
  const title = h("input", { value: data?.title ?? "", maxlength: most.title, placeholder: "As the node says" });
  const inputs = {}, fields = h("div", { class: "form-fields" }), problem = h("p", { class: "bad small", role: "alert" });
  const nodes = h("select", {}), before = data?.nodes ?? (data?.node ? [data.node] : []);
  for (const { name, kind } of board.observed.families) all.push({ name: globOf(name), kind });
  // Patterns, and names of nodes that are gone, stay what they are.
  all.unshift(...before.filter((name) => !all.some((each) => each.name === name)).map((name) => ({ name, kind: "mutable" })));

  const show = () => {
    const { source } = kinds[kind.value], { options } = asked[kind.value], several = /several|all/.test(source);
    const chosen = nodes.options.length ? [...nodes.selectedOptions].map((each) => each.value) : before;
    nodes.multiple = several;
    nodes.size = several ? Math.min(8, Math.max(3, all.length)) : 0;
    nodes.replaceChildren(...(source === "maybe" ? [h("option", { value: "" }, "none")] : []),
      ...all.filter((each) => source !== "mutable" || each.kind === "mutable").map((each) =>
        h("option", { value: each.name, selected: chosen.includes(each.name) }, each.title ? `${each.name} — ${each.title}` : each.name)));
    fields.replaceChildren(...(source === "none" ? [] : [field(several ? "Nodes" : "Node", several ? `Up to ${source === "all" || kinds[kind.value].most ? most.tableNodes : most.nodes}; with Ctrl or Shift for more than one` : "", nodes)]));
    for (const name of options) {
      const [label, hint] = labels[name], old = data?.[name];
      const input = name === "slider" ? h("input", { type: "checkbox" })
        : name === "text" ? h("textarea", { rows: 3, maxlength: most.text })
        : h("input", ["span", "min", "max", "warn"].includes(name) ? { type: "number", step: "any", inputmode: "decimal" } : { maxlength: 1000 });
      if (name === "slider") input.checked = old ?? false;
      else input.value = name === "pipe" ? expression(old) : old ?? "";
      inputs[name] = input;
      fields.append(field(label, hint, input));
    }
  };
  kind.addEventListener("change", show);
  show();
  const body = h("div", { class: "form-fields" }, field("Kind", "", kind), field("Title", "", title), fields, problem);
  for (;;) {
    const choice = await dialogs.open({ title: data ? "Edit widget" : "Add widget", body, sheet: true, actions: [{ label: "Cancel", value: null }, { label: data ? "Save" : "Add", value: "yes", kind: "primary" }] });
    if (choice !== "yes") return null;
    const { source } = kinds[kind.value], { options, size: [w, height] } = asked[kind.value], chosen = [...nodes.selectedOptions].map((each) => each.value).filter(Boolean);
    const next = { kind: kind.value, w: data?.w ?? w, h: data?.h ?? height };
    Object.assign(next, data ? { x: data.x, y: data.y } : place(board.widgets.map((each) => each.data), Math.min(w, columns), height));
    if (title.value.trim()) next.title = title.value.trim();
    if (/several|all/.test(source)) next.nodes = chosen;
    else if (source !== "none" && chosen[0]) next.node = chosen[0];
    for (const name of options) {
      const value = name === "slider" ? inputs[name].checked || undefined : inputs[name].value.trim();
      if (value === "" || value === undefined) continue;
      if (name === "pipe") next.pipe = value === expression(data?.pipe) ? data.pipe : stages(value) ?? [{ map: value }];
      else next[name] = ["span", "min", "max", "warn"].includes(name) || (name === "bad" && kind.value === "gauge") ? Number(value) : value;
    }
    if (source !== "none" && source !== "maybe" && !chosen.length) {
      problem.textContent = "Choose a node.";
      continue;
    }
    const { layout, problems } = read({ v: version, widgets: [{ ...next, x: 0, y: 0 }] });
    if (layout.widgets.length) return next;
    problem.textContent = problems[0];
  }
}

/** A pipe of one map is shown as its expression; others as JSON. */
function expression(pipe) {
  if (!pipe) return "";
  return pipe.length === 1 && typeof pipe[0]?.map === "string" ? pipe[0].map : JSON.stringify(pipe);
}

/** The stages that a text is the JSON of; others are expressions. */
function stages(text) {
  try {
    const pipe = JSON.parse(text);
    return Array.isArray(pipe) && pipe.length && pipe.every((each) => typeof each === "string" || each?.constructor === Object) ? pipe : null;
  } catch {
    return null;
  }
}
