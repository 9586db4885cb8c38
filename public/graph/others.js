// The details of what is not a node: a client, a family, an upstream.
import { h, setText } from "/lib/dom.js";
import { formatDuration, formatNumber, formatTime, plural } from "/lib/format.js";
import { kinds, sinkWords } from "/lib/words.js";
import { Members } from "./members.js";
import { releasedWithout } from "./owners.js";
import { membersOf, plain, titleOf } from "./shapes.js";

/** `{ body, update(entry, now), close() }`; `o` has the options of the inspector, and its tools. */
export const detailsOf = (entry, o) => ({ family, upstream, listener }[entry.kind](entry, o));

const listed = (nodes, link) => nodes.map((node, i) => [i ? ", " : "", link(node.id, titleOf(node))]).flat();

function family(entry, { graph, select, row, link }) {
  const made = [entry.op, entry.label].filter(Boolean).join(": ");
  const value = h("div", { class: "inspector-value small" }, ""), alive = h("span", {}, "");
  const members = new Members({ graph, family: entry, onChoose: (name) => select(`n:${name}`) });
  return {
    body: [
      (entry.description || entry.title) && h("p", { class: "quiet-text" },
        plain([entry.title, entry.description].filter(Boolean).join(". "), 400)), value,
      h("dl", { class: "node-facts" }, row("Each is", kinds[entry.word] ?? entry.word), entry.type && row("Type", entry.type),
        made && row("Computed by", h("code", {}, plain(made, 400))),
        entry.inputs?.length > 0 && row("Computed from", h("span", {},
          listed(entry.inputs.map((name) => ({ id: `n:${name}`, name })), link))),
        entry.expire && row("Ends", `when it was not set for ${formatDuration(entry.expire)}`), row("Running", alive)),
      h("section", { class: "members", "aria-label": "Members" }, members.element),
    ],
    update(entry) {
      setText(value, membersOf(entry));
      setText(alive, entry.alive === entry.members ? "all of them"
        : `${formatNumber(entry.alive)}: the others start when somebody listens`);
    },
    close: () => members.close(),
  };
}

/** How it is, and what it feeds. */
function upstream({ on, nodes }, { model, row, link }) {
  const state = h("span", {}, ""), fed = on.map((n) => model.numbered(n)).filter(Boolean).slice(0, 30);
  return {
    body: [h("dl", { class: "node-facts" }, row("State", state), row("Feeds", h("span", {}, listed(fed, link),
      nodes > fed.length && `${fed.length ? " and " : ""}${plural(nodes - fed.length, fed.length ? "other" : "node")}`)))],
    update(entry) {
      setText(state, entry.state);
      state.classList.toggle("bad-text", Boolean(entry.failure));
    },
  };
}

function listener(entry, { model, row, link, light, href }) {
  const [since, folded, queued, state, sent] = Array.from({ length: 5 }, () => h("span", {}, ""));
  const released = releasedWithout(model, entry.id), lit = { nodes: released, edges: new Set() }, { sink, kept } = entry;
  const names = [...new Set(entry.on)].map((n) => model.numbered(n)).filter(Boolean).slice(0, 30);
  return {
    body: [
      h("section", { class: "kept" }, h("h3", {}, "If it leaves"),
        released.size
          ? h("div", { onpointerenter: () => light("leaving", lit), onpointerleave: () => light() },
            h("p", { class: "warn-text" }, `Leaving stops ${plural(released.size, "node")}:`),
            h("ul", { class: "owner-list" }, [...released].slice(0, 50).map((id) =>
              h("li", {}, link(id, titleOf(model.nodes.get(id)))))))
          : h("p", { class: "quiet-text" }, "Nothing stops: others need what it needs, or a definition keeps it."),
        entry.owners?.length > 0 && h("ul", { class: "owner-list", "aria-label": "Its owners" }, entry.owners.map((name) =>
          h("li", {}, h("code", {}, plain(name, 64)),
            `: releasing it stops ${plural(releasedWithout(model, `${entry.id}/${name}`).size, "node")}`)))),
      h("dl", { class: "node-facts" },
        sink && [row("Sends to", h("code", {}, plain(sink.to, 200))), row("State", state), row("Sent", sent)],
        row(kept ? "Without connection for" : "Connected for", since),
        row("By", kept ? `a ticket of ${kept.of}, until ${formatTime(kept.until)}` : entry.transport ?? "unknown"),
        row("Listens to", h("span", {}, listed(names, link))),
        row("Folded values", folded), !sink && row("Waiting values", queued)),
      !kept && !sink && entry.transport !== "sink" && h("p", {}, h("a", {
        href: href(`/clients/${encodeURIComponent(entry.id.replace(/^c:/, ""))}`) }, "This connection under Clients")),
    ],
    update(entry, now) {
      setText(since, formatDuration(now - entry.since));
      setText(folded, formatNumber(entry.folded ?? 0));
      setText(queued, formatNumber(entry.queued ?? 0));
      if (!entry.sink) return;
      const { failingSince, dropped } = entry.sink;
      setText(state, sinkWords(entry.sink, now));
      state.classList.toggle("bad-text", Boolean(failingSince));
      setText(sent, plural(entry.sink.sent, "value") + (dropped ? `, ${formatNumber(dropped)} given up` : ""));
    },
  };
}

/** How sinks do, which are listeners of the server's own, stands in what it says of the graph. */
export async function lookAtSinks(page) {
  const listeners = [...page.model.listeners.values()].filter(({ transport }) => transport === "sink");
  const answer = await fetch(`/v1/graphs/${encodeURIComponent(page.graph)}`).catch(() => {});
  const { sinks = [] } = answer?.ok ? await answer.json() : {};
  const known = new Map(sinks.map((sink) => [`sink ${sink.name}`, sink]));
  for (const listener of listeners) listener.sink = known.get(listener.client);
  page.view.repaint(listeners.map(({ id }) => id));
  page.warn();
  page.parts.panel?.rebuild();
}
