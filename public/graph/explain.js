// Why a node has its value: its inputs, stage by stage, and the commits that made it.
import { h } from "/lib/dom.js";
import { formatAge, formatEntry, formatNumber, formatTime } from "/lib/format.js";
import { stageWords } from "/lib/words.js";
import { plain } from "./shapes.js";

const deeds = { set: "", define: "the graph began", redefine: "the definition was changed", tick: "its time had come" };
const listed = (parts) => parts.filter(Boolean).join(", ");

/** What the server says of it; `query` names a moment of the past. */
export async function ask(graph, node, query = "") {
  const path = `/v1/graphs/${encodeURIComponent(graph)}/nodes/${encodeURIComponent(node)}/explain`;
  const answer = await fetch(`${path}?${query}`), body = await answer.json();
  if (!answer.ok) throw new Error(body.detail ?? body.msg ?? body.code ?? String(answer.status));
  return body;
}

/** Fills `box`; `link(name)` makes a link to a node. */
export async function explain(box, graph, node, query, link) {
  box.replaceChildren(h("p", { class: "quiet-text" }, "Asking…"));
  try {
    const { nodes, commits = [] } = await ask(graph, node, query), now = Date.now();
    box.replaceChildren(h("ol", { class: "explain-list" }, nodes.map((each) => nodeOf(each, link, now))),
      ...(commits.length ? [h("h3", {}, "Commits that made it"),
        h("ol", { class: "explain-list" }, commits.map(commitOf))] : []));
  } catch (error) {
    box.replaceChildren(h("p", { class: "bad-text" }, `Could not be explained: ${plain(error.message, 200)}`));
  }
}

/**
 * Fills the row of the writer, from a server with sign-in: asked for once, and after changes at
 * most every two seconds.
 */
export async function writerOf(part, { graph, client }, { name, c }, now) {
  const { asked } = part, change = String(c);
  if (asked?.change === change || now - asked?.at < 2000) return;
  part.asked = { change, at: now };
  const by = (await ask(graph, name, client.query)).nodes.find(({ node }) => node === name)?.by;
  part.writer.lastElementChild.textContent = plain(String(by ?? ""), 80);
  part.writer.hidden = by === undefined;
}

const valueOf = (entry, most) => h("code", {}, plain(formatEntry(entry, ""), most));

const ORIGINS = {
  source: "from its source", link: "over a link", tick: "by a timer", expiry: "its time was over",
  initial: "from the definition", restore: "restored",
};

function nodeOf({ node, t, c = 0, by, origin, stages = [], ...held }, link, now) {
  const when = listed([t && formatAge(Math.max(0, now - t)), `revision ${formatNumber(c)}`,
    ORIGINS[origin], by && `written by ${plain(String(by), 80)}`]);
  const made = stages.map(({ label, op, ...result }) =>
    h("li", {}, h("code", {}, plain(label ? stageWords(label) : op, 120)), " made ", valueOf(result, 120)));
  return h("li", {}, h("div", {}, link(node), " ", valueOf(held, 200)), h("div", { class: "quiet-text" }, when),
    made.length > 0 && h("ul", {}, made));
}

/** One commit that made a past value, in words. */
function commitOf({ rev, t, kind, by, ctx, set = [], clear = [] }) {
  const what = listed([deeds[kind], set.length && `set ${set.join(", ")}`,
    clear.length && `cleared ${clear.join(", ")}`]);
  return h("li", {}, h("div", {}, plain(what || "set nodes that are not yours to see", 200)),
    h("div", { class: "quiet-text" }, listed([`revision ${formatNumber(rev)}`, formatTime(t),
      by && `by ${plain(String(by), 80)}`])),
    ctx !== undefined && valueOf({ v: ctx }, 200));
}
