// The connected clients, what they listen to, and what would go with them. Refreshed every two
// seconds while shown.
import { arrange, graphPath, h, href, setAttribute, setText } from "/lib/dom.js";
import { formatAge, formatBytes, formatDuration, formatTime, plural } from "/lib/format.js";
import { GraphModel } from "/graph/model.js";
import { releasedWithout } from "/graph/owners.js";

const words = { ws: "WebSocket", http: "HTTP", sse: "events", bare: "plain stream" };
const columns = [["Client"], ["Address"], ["Connected", "num"], ["Round trip", "num"], ["Unsent", "num"],
  ["Folded", "num"], [""]];

async function json(path, signal) {
  const answer = await fetch(path, { signal });
  const body = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(body.detail ?? body.title), { code: body.code });
  return body;
}

export async function mount(element, context) {
  const { client, store, frame, signal, style, dialogs, announce, title } = context;
  title("Clients");
  element.classList.add("in-views");
  await style("/views/views.css");
  if (signal.aborted) return {};
  let { id } = context.route.params, busy = false, known = null;
  const count = h("span", { class: "dim" }), body = h("tbody"),
    detail = h("section", { class: "card", hidden: true, "aria-label": "One client" });
  const page = h("div", { class: "page" }, h("div", { class: "title-row" }, h("h1", {}, "Clients"), count),
    h("section", { class: "card" }, h("div", { class: "scroll" }, h("table", { class: "clients" },
      h("thead", {}, h("tr", {}, columns.map(([label, kind]) =>
        h("th", { scope: "col", class: kind }, label || h("span", { class: "unseen" }, "Actions"))))), body))),
    detail);
  element.append(page);
  const rows = new Map();

  const end = async ({ c, client: name }) => {
    if (!await dialogs.confirm(`Disconnect ${name ?? c}?`,
      "Its connection is closed, and what only it kept alive is released. It may connect again.", "Disconnect")) return;
    const { ok } = await fetch(`/v1/connections/${encodeURIComponent(c)}`, { method: "DELETE" }).catch(() => ({}));
    announce(ok ? `${name ?? c} disconnected` : `${name ?? c} was not disconnected`, { assertive: !ok });
    refresh();
  };

  function row(connection) {
    const { c, transport, peer } = connection;
    const cells = { age: h("td", { class: "num" }), trip: h("td", { class: "num" }), queued: h("td", { class: "num" }),
      folded: h("td", { class: "num" }) };
    const name = h("a", { href: href(`/clients/${encodeURIComponent(c)}`) }), mine = h("span", { class: "tag" });
    const button = h("button", { type: "button", class: "quiet", "aria-label": `Disconnect ${connection.client ?? c}`,
      onclick: () => end(connection) }, "Disconnect");
    const line = h("tr", {}, h("th", { scope: "row" }, h("span", { class: "client-name" }, name, mine),
      h("span", { class: "client-kind small dim" }, h("code", {}, c), ` ${words[transport] ?? transport}`)),
      h("td", { class: "mono small peer" }, peer), cells.age, cells.trip, cells.queued, cells.folded,
        h("td", { class: "num" }, button));
    return { line, show: (now) => {
      setText(name, now.client || words[transport] || transport);
      setText(mine, c === client.session ? "you" : "");
      mine.hidden = c !== client.session;
      setText(cells.age, formatDuration(Date.now() - now.since));
      setAttribute(cells.age, "title", formatTime(now.since));
      setText(cells.trip, now.rtt === undefined ? "–" : `${now.rtt} ms`);
      setAttribute(cells.trip, "title", now.rtt === undefined ? "Measured with the next heartbeat" : null);
      setText(cells.queued, formatBytes(now.queued ?? 0));
      setText(cells.folded, now.folded === undefined ? "" : String(now.folded));
      setAttribute(line, "aria-current", c === id ? "true" : null);
    } };
  }

  /** What one client listens to, in every graph that may be looked at. */
  async function show(connection) {
    if (!connection) {
      arrange(detail, [h("h2", {}, `${id} is not connected any more`),
        h("p", { class: "dim" }, "What only it kept alive has been released.")]);
      return void (detail.hidden = false);
    }
    const graphs = store.get("graphs") ?? [];
    const found = (await Promise.all(graphs.map(async ({ graph, title: name }) => {
      try {
        const picture = await json(`/v1/graphs/${encodeURIComponent(graph)}/graph?format=json&live=1`, signal);
        const { listeners, nodes } = picture, model = new GraphModel();
        model.apply({ ...picture, op: "topo" });
        const listener = listeners.find(({ l }) => l === connection.c);
        if (!listener) return null;
        const named = new Map(nodes.filter(({ n }) => n !== undefined).map((node) => [node.n, node]));
        const label = (n) => named.get(n)?.name ?? named.get(n)?.label ?? `node ${n}`;
        const own = releasedWithout(model, connection.c).size;
        const owners = (listener.owners ?? []).map((owner) =>
          [owner, releasedWithout(model, `${connection.c}/${owner}`).size]);
        return { graph, name, listener, owners, nodes: listener.on.map((n) =>
          ({ label: label(n), node: named.get(n)?.name })), own };
      } catch { return null; }
    }))).filter(Boolean);
    if (signal.aborted) return;
    const held = found.map(({ graph, name, listener, owners, nodes, own }) => h("li", {},
      h("a", { href: href(graphPath(graph)) }, name || graph),
        `: listens to ${plural(nodes.length, "node")}; leaving would release ${plural(own, "node")}`,
      listener.folded ? `; ${listener.folded} values folded for it` : "",
      h("p", { class: "held" }, nodes.slice(0, 40).map(({ label, node }) => (node
        ? h("a", { class: "tag mono", href: href(`${graphPath(graph)}?node=${encodeURIComponent(node)}`) }, label)
        : h("span", { class: "tag mono" }, label))), nodes.length > 40 && ` and ${nodes.length - 40} more`),
      owners.length > 0 && h("ul", { class: "plain", "aria-label": "Its owners" }, owners.map(([owner, count]) =>
        h("li", {}, h("code", {}, owner), `: releasing it would free ${plural(count, "node")}`)))));
    arrange(detail, [h("h2", {}, connection.client || connection.c),
      h("p", { class: "dim" },
        `${words[connection.transport] ?? connection.transport} from ${connection.peer}, since ${formatTime(connection.since)} (${formatAge(Date.now() - connection.since)}).`),
      held.length ? h("ul", { class: "plain" }, held) : h("p", {}, "It listens to nothing: no node depends on it.")]);
    detail.hidden = false;
  }

  async function refresh() {
    if (busy || signal.aborted) return;
    busy = true;
    try {
      const { connections } = await json("/v1/connections", signal);
      // Requests of pages and programs come and go, this one's among them; only lasting connections
      // are listed.
      known = connections.filter(({ transport }) => transport !== "http");
      const others = connections.length - known.length;
      setText(count,
        `${plural(known.length, "connection")}${others ? `, and ${plural(others, "open HTTP connection")}` : ""}`);
      const present = new Set(known.map(({ c }) => c));
      for (const [c] of rows) if (!present.has(c)) rows.delete(c);
      for (const each of known) {
        if (!rows.has(each.c)) rows.set(each.c, row(each));
        rows.get(each.c).show(each);
      }
      arrange(body, known.map(({ c }) => rows.get(c).line));
      if (id) await show(known.find(({ c }) => c === id));
      else detail.hidden = true;
    } catch (error) {
      if (signal.aborted) return;
      if (error.code) {
        const isElsewhere = error.code === "not_found";
        element.replaceChildren(h("div", { class: "notice" },
          h("h1", {}, isElsewhere ? "Clients are listed at another address" : "Clients are not shown to you"),
          h("p", {}, isElsewhere ? ["The operations of this server have an address of their own (",
            h("code", {}, "admin.listen"), " in the configuration). The list is there, at ",
            h("code", {}, "/v1/connections"), "."] : ["Who is connected is shown to tokens with the right ", h("code", {}, "admin"), "."])));
      }
      // Without an answer the connection's state says so; the list stays as it was.
    } finally {
      busy = false;
    }
  }

  await refresh();
  frame.tick(() => { if (client.state.name === "live" && Math.floor(Date.now() / 1000) % 2) refresh(); }, signal);
  return {
    update(route) {
      id = route.params.id;
      refresh();
    },
  };
}
