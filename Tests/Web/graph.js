// Unit tests of the pure modules of the graph view; evaluated in a page of the server, which
// returns what failed.
async () => {
  const { layout, remember } = await import("/graph/layout.js");
  await remember();
  const { GraphModel, reach } = await import("/graph/model.js");
  const { countsOf, sceneOf } = await import("/graph/scene.js");
  const groups = await import("/graph/groups.js"), { prefixOf } = groups;
  const kin = await import("/graph/kin.js");
  const { clientLines } = await import("/graph/clients.js");
  const { rowsOf } = await import("/graph/outline.js");
  const { spreadOf } = await import("/graph/spread.js");
  const { keptAliveBy, ownerNames, releasedWithout } = await import("/graph/owners.js");
  const { rings, leaks } = await import("/graph/leaks.js");
  const { clientCount } = await import("/graph/shapes.js");
  const { GraphView } = await import("/graph/view.js");
  const { Lifetimes } = await import("/graph/lifetimes.js");
  const { mount } = await import("/graph/page.js");
  const failures = [], measured = {};
  let current = "";
  const check = (claim, ...what) => { if (!claim) failures.push(`${current}: ${what.map((w) => JSON.stringify(w)).join(" ")}`); };
  const same = (a, b) => check(JSON.stringify(a) === JSON.stringify(b), a, b);
  const test = (name, body) => {
    current = name;
    try { body(); } catch (error) { failures.push(`${name}: ${error.stack}`); }
  };

  const box = (id) => ({ id, w: 172, h: 50 });
  const random = (seed) => () => { seed = (seed * 1664525 + 1013904223) >>> 0; return seed / 2 ** 32; };
  const graphOf = (n, seed) => {
    const next = random(seed), nodes = [], edges = [];
    for (let i = 0; i < n; i++) {
      nodes.push(box(`n${i}`));
      if (i <= n / 6) continue;
      for (let k = next() < 0.3 ? 2 : 1; k > 0; k--) {
        edges.push({ id: `e${edges.length}`, from: `n${Math.floor(Math.max(0, i - 1 - next() * n / 4))}`, to: `n${i}` });
      }
    }
    for (let i = 0; i < n / 30; i++) {
      edges.push({ id: `f${i}`, from: `n${Math.floor(n / 2 + next() * n / 2)}`, to: `n${Math.floor(next() * n / 2)}`, feedback: true });
    }
    return { nodes, edges };
  };
  const withClient = (graph, next, name = "c") => ({
    nodes: [...graph.nodes, box(`${name}1`), { id: `${name}2`, w: 152, h: 34 }],
    edges: [...graph.edges, { id: `${name}x`, from: graph.nodes[Math.floor(next() * graph.nodes.length)].id, to: `${name}1` },
      { id: `${name}y`, from: `${name}1`, to: `${name}2` }],
  });
  const overlaps = ({ nodes }) => {
    const list = [...nodes.values()];
    let count = 0;
    list.forEach((a, i) => list.slice(i + 1).forEach((b) => {
      if (a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h - 0.01 && b.y < a.y + a.h - 0.01) count++;
    }));
    return count;
  };
  /** How far ways lead out of the picture's bounds, across its layers. */
  const outside = ({ edges, bounds: { x, y, w, h } }, direction) => {
    const [low, high, part] = direction === "down" ? [x, x + w, 0] : [y, y + h, 1];
    const across = [...edges.values()].flatMap(({ d }) => [...d.matchAll(/([-\d.]+),([-\d.]+)/g)].map((pair) => Number(pair[part + 1])));
    return Math.max(0, low - Math.min(...across), Math.max(...across) - high);
  };
  const move = (a, b) => {
    let sum = 0, n = 0;
    for (const [id, p] of a.nodes) {
      const q = b.nodes.get(id);
      if (q) { sum += Math.hypot(p.x - q.x, p.y - q.y); n++; }
    }
    return sum / n;
  };

  for (const [n, limit] of [[30, 10], [100, 30], [300, 60]]) {
    test(`layout of ${n} nodes: in time, nothing overlaps, little moves`, () => {
      const times = [], again = [];
      for (let seed = 1; seed <= 8; seed++) {
        const next = random(seed * 99);
        for (const direction of ["right", "down"]) {
          let graph = graphOf(n, seed);
          let start = performance.now();
          let picture = layout(graph, null, { direction });
          times.push(performance.now() - start);
          check(overlaps(picture) === 0, "overlaps", seed, overlaps(picture));
          same(picture.nodes.size, n);
          check(outside(picture, direction) < 1, "ways out of the picture", seed, direction, outside(picture, direction));
          for (let client = 0; client < 4; client++) {
            const joined = withClient(graph, next, `c${client}-`);
            start = performance.now();
            const after = layout(joined, picture.memory, { direction });
            again.push(performance.now() - start);
            check(overlaps(after) === 0, "overlaps after a client", seed, client);
            check(move(picture, after) <= 8, "moved", n, seed, move(picture, after));
            [graph, picture] = [joined, after];
          }
          const left = layout({ nodes: graph.nodes.slice(0, n), edges: graph.edges }, picture.memory, { direction });
          same(move(picture, left), 0);
        }
      }
      // The fastest of all: what others do on the machine is no matter of the layout.
      measured[n] = { first: Math.min(...times), again: Math.min(...again) };
      check(measured[n].first < limit && measured[n].again < limit, "time", measured[n]);
    });
  }

  test("a newcomer takes a free gap before it pushes", () => {
    const graph = { nodes: ["s", "a", "b", "c"].map(box), edges: ["a", "b", "c"].map((to) => ({ id: to, from: "s", to })) };
    const first = layout(graph);
    const without = layout({ nodes: graph.nodes.filter((n) => n.id !== "b"), edges: graph.edges }, first.memory);
    const later = layout({ nodes: [...graph.nodes.filter((n) => n.id !== "b"), box("d")], edges: [...graph.edges, { id: "d", from: "s", to: "d" }] }, without.memory);
    same(later.nodes.get("d").y, first.nodes.get("b").y);
    same(move(first, later), 0);
  });

  test("nodes that wake up and fall asleep again move nothing", () => {
    const middle = ["m1", "m2", "m3", "m4", "m5"];
    const nodes = ["a", "b", ...middle, "far", "near"].map(box);
    const edges = [...middle.map((m) => ["a", m]), ["b", "m3"], ["m2", "far"], ["a", "far"], ["b", "far"], ["m4", "near"], ["a", "near"]]
      .map(([from, to]) => ({ id: `${from}${to}`, from, to }));
    const asleep = layout({ nodes, edges });
    let picture = asleep;
    for (let round = 0; round < 5; round++) {
      const live = edges.map((e) => ({ ...e, id: `live ${round} ${e.id}` }));
      picture = layout({ nodes: [...nodes, box(`l${round}`)], edges: [...live, { id: "on", from: "far", to: `l${round}` }] }, picture.memory);
      same(move(asleep, picture), 0);
      picture = layout({ nodes, edges }, picture.memory);
      same(move(asleep, picture), 0);
      same([...picture.edges.values()].map((e) => e.d), [...asleep.edges.values()].map((e) => e.d));
    }
  });

  test("every edge leads to the right but those that lead back", () => {
    const graph = graphOf(60, 5);
    const { nodes, edges } = layout(graph);
    for (const e of graph.edges) {
      if (edges.get(e.id).kind !== "forward") continue;
      check(nodes.get(e.from).x < nodes.get(e.to).x, e);
    }
  });

  test("cycles, self-loops and flags", () => {
    const ring = { nodes: ["a", "b", "c"].map(box), edges: [
      { id: "1", from: "a", to: "b" }, { id: "2", from: "b", to: "c" }, { id: "3", from: "c", to: "a" }, { id: "4", from: "b", to: "b" }] };
    const { edges, memory } = layout(ring);
    same([...edges.values()].map((e) => e.kind).sort(), ["feedback", "forward", "forward", "self"]);
    const flagged = layout({ ...ring, edges: ring.edges.map((e) => ({ ...e, feedback: e.id === "1" })) });
    same(flagged.edges.get("1").kind, "feedback");
    same(flagged.edges.get("3").kind, "forward");
    const fed = layout({ nodes: [...ring.nodes, box("in")], edges: [...ring.edges, { id: "5", from: "in", to: "b" }] }, memory);
    for (const id of ["1", "2", "3", "4"]) same(fed.edges.get(id).kind, edges.get(id).kind);
    const pair = layout({ nodes: ["a", "b"].map(box), edges: [{ id: "1", from: "a", to: "b", feedback: true }, { id: "2", from: "b", to: "a", feedback: true }] });
    same([...pair.edges.values()].map((e) => e.kind), ["feedback", "feedback"]);
    for (const edge of [...edges.values(), ...pair.edges.values()]) check(!/NaN|Infinity|undefined/.test(edge.d), edge);
  });

  test("ends of feedback have ports of their own, below the node", () => {
    const { nodes, edges } = layout({ nodes: ["a", "b", "c"].map(box), edges: [
      { id: "1", from: "a", to: "b" }, { id: "2", from: "b", to: "c" }, { id: "3", from: "c", to: "a", feedback: true }] });
    const [x, y] = edges.get("3").d.match(/-?[\d.]+,-?[\d.]+$/)[0].split(",").map(Number);
    const a = nodes.get("a");
    check(Math.abs(y - (a.y + a.h)) < 0.2 && x > a.x && x < a.x + a.w, x, y, a);
  });

  test("nothing, a thousand alone, a chain of ten thousand", () => {
    same(layout({ nodes: [], edges: [] }).bounds, { x: 0, y: 0, w: 0, h: 0 });
    const alone = layout({ nodes: Array.from({ length: 1000 }, (_, i) => box(`n${i}`)), edges: [] });
    check(overlaps(alone) === 0 && alone.bounds.w > 3000, alone.bounds);
    const long = Array.from({ length: 10_000 }, (_, i) => box(`n${i}`));
    const chain = layout({ nodes: long, edges: long.slice(1).map((n, i) => ({ id: n.id, from: `n${i}`, to: n.id })) });
    same(chain.nodes.get("n9999").layer, 9999);
  });

  // The model
  const node = (n, name, more = {}) => ({ n, name, kind: "derived", v: n, count: 1, owners: [], retain: "whileInUse", ...more });
  const topo = () => ({
    op: "topo", epoch: "e", rev: 1, t: 1000,
    nodes: [node(1, "x", { kind: "mutable", retain: "always", owners: ["c:1", "c:2"] }), node(2, "d", { of: undefined, owners: ["c:1", "c:2"] }),
      { n: 3, kind: "chain", op: "map", label: "value + 1", v: 4, count: 1, owners: ["c:2"] },
      { kind: "derived", name: "asleep", exists: false, op: "from", label: "a | b", inputs: ["x"], owners: [] }],
    edges: [{ e: 1, from: 1, to: 2, queued: 0 }, { e: 2, from: 2, to: 3, queued: 0 }],
    listeners: [{ l: "c:1", on: [2], queued: 0, transport: "ws" }, { l: "c:2", on: [3, 3], queued: 0, transport: "ws" }],
  });
  const empty = { add: { nodes: [], edges: [], listeners: [] }, del: { nodes: [], edges: [], listeners: [] }, val: [], own: [] };

  test("topo and topod", () => {
    const model = new GraphModel();
    const first = model.apply(topo(), 0);
    check(first.fresh && first.structure);
    same([...model.edges.keys()].sort(), ["d asleep x", "e1", "e2", "on c:1 n:d", "on c:2 #3"]);
    same(model.edges.get("d asleep x").span, 3);
    same(countsOf(model, null, false), "3 nodes, 1 not running, 1 step, 2 clients");
    const news = model.apply({ op: "topod", rev: 2, t: 2000, ...empty, val: [[1, { fail: { code: "x" } }, 3, 2]] }, 1000);
    same([...news.values, news.structure], ["n:x", false]);
    check(model.nodes.get("n:x").v === undefined && model.nodes.get("n:x").fail.code === "x" && model.nodes.get("n:x").c === 2);
    check(model.rate("n:x", 1000) > 0.3 && model.rate("n:x", 60_000) === 0, model.rate("n:x", 1000));
    const died = model.apply({ op: "topod", rev: 2, t: 2000, ...empty, own: [[1, ["c:1"]]],
      del: { nodes: [{ n: 3, reason: "last_owner", lived: 5, last: { v: 9 } }, { n: 2, reason: "last_owner", lived: 7, last: { v: 1 } }], edges: [2], listeners: [{ l: "c:2", reason: "closed" }] } });
    same(died.died.map((d) => [d.id, d.lived]), [["#3", 5], ["n:d", 7]]);
    same(died.left.map((l) => [l.id, l.reason]), [["c:2", "closed"]]);
    check(!model.nodes.has("#3") && model.nodes.get("n:d").exists === false && model.nodes.get("n:d").v === undefined);
    const born = model.apply({ op: "topod", rev: 2, t: 3000, ...empty, add: { nodes: [node(9, "asleep", { inputs: ["x"] })], edges: [{ e: 8, from: 1, to: 9, queued: 0 }], listeners: [] } });
    same(born.born, ["n:asleep"]);
    check(model.nodes.get("n:asleep").exists && !model.edges.has("d asleep x") && model.edges.has("e8"));
    const gone = model.apply({ op: "topod", rev: 3, t: 3000, ...empty, del: { nodes: [{ n: 9, reason: "removed", lived: 1, last: {} }], edges: [8], listeners: [] } });
    check(gone.structure && !model.nodes.has("n:asleep"));
  });

  test("who came and went between two looks is born and dead", () => {
    const model = new GraphModel();
    model.apply(topo());
    const news = model.apply({ op: "topod", rev: 2, t: 1, ...empty,
      add: { nodes: [{ n: 20, kind: "chain", label: "m", v: 1, count: 1, owners: ["c:9"] }], edges: [], listeners: [{ l: "c:9", on: [20], queued: 0 }] },
      del: { nodes: [{ n: 20, reason: "last_owner", lived: 3, last: { v: 1 } }], edges: [], listeners: [{ l: "c:9", reason: "closed" }] } });
    same([news.born, news.died.map((d) => d.id), news.joined, news.left.map((l) => l.id)], [["#20"], ["#20"], ["c:9"], ["c:9"]]);
    same(model.nodes.size, 4);
  });

  test("owners, what a leaving client releases, ways through the graph", () => {
    const model = new GraphModel();
    model.apply(topo());
    same(keptAliveBy(model, "n:x").map((k) => [k.listener, k.path]), [["c:1", ["n:x", "n:d", "c:1"]], ["c:2", ["n:x", "n:d", "#3", "c:2"]]]);
    same(keptAliveBy(model, "n:x")[0].edges, ["e1", "on c:1 n:d"]);
    same([...releasedWithout(model, "c:2")], ["#3"]);
    same([...releasedWithout(model, "c:1")], []);
    model.apply({ op: "topod", seq: 2, rev: 2, t: 2, add: { nodes: [], edges: [], listeners: [] }, del: { nodes: [], edges: [], listeners: [] }, val: [],
      own: [[3, ["c:2/panel", "c:2/side"]]] });
    same([...releasedWithout(model, "c:2")], ["#3"]);
    same([...releasedWithout(model, "c:2/panel")], []);
    same(ownerNames(model.numbered(3), "c:2"), ["panel", "side"]);
    same(clientCount(model.numbered(3)), 1);
    same([...reach(model, "n:d", "up")].sort(), ["n:d", "n:x"]);
    same([...reach(model, "n:d", "down")].sort(), ["#3", "c:1", "c:2", "n:d"]);
  });

  test("what its definition keeps is not released with a client", () => {
    const model = new GraphModel();
    const message = topo();
    message.nodes[2] = { ...message.nodes[2], owners: ["c:2"] };
    message.nodes.push(node(5, "kept", { retain: "always", owners: ["c:2"] }), { n: 6, kind: "derived", of: "kept", label: "m", owners: ["c:2"], count: 1, v: 1 });
    message.edges.push({ e: 5, from: 6, to: 5, queued: 0 });
    model.apply(message);
    same([...releasedWithout(model, "c:2")], ["#3"]);
  });

  test("rings: declared feedback is none, an unowned ring is a leak", () => {
    const model = new GraphModel();
    model.apply({ ...topo(), nodes: [node(1, "a", { owners: ["c:1"] }), node(2, "b", { owners: ["c:1"] }), node(3, "p"), node(4, "q"), node(5, "self"), node(6, "m", { kind: "mutable" })],
      edges: [[1, 1, 2], [2, 2, 1], [3, 3, 4], [4, 4, 3], [5, 5, 5], [6, 6, 1]].map(([e, from, to]) => ({ e, from, to, queued: 0, feedback: e === 2 })), listeners: [] });
    same(rings(model).map((r) => r.sort().join()).sort(), ["n:a,n:b", "n:p,n:q", "n:self"]);
    same([...leaks(model)].sort(), ["n:p", "n:q", "n:self"]);
  });

  // What is drawn
  const chainModel = (count, length) => {
    const model = new GraphModel();
    const nodes = [node(1, "x", { kind: "mutable" })], edges = [], listeners = [];
    let n = 1, e = 0;
    for (let c = 0; c < count; c++) {
      for (let k = 0; k < length; k++) {
        nodes.push({ n: ++n, kind: "chain", op: "map", label: `step ${k}`, v: 1, count: 1, owners: [`c:${c}`] });
        edges.push({ e: ++e, from: k ? n - 1 : 1, to: n, queued: 0 });
      }
      listeners.push({ l: `c:${c}`, on: [n], queued: 0, client: "load/1" });
    }
    model.apply({ ...topo(), nodes, edges, listeners });
    return model;
  };
  const view = (more = {}) => ({ asleep: true, details: false, open: new Set(), ...more });
  const scene = (model, more, made = groups) => sceneOf(model, view(more), [], made);

  test("steps are drawn as the node that they compute, and those of clients among details only", () => {
    same(scene(chainModel(10, 4)).nodes.length, 11);
    same(scene(chainModel(10, 4), { details: true }).nodes.length, 51);
    const step = scene(chainModel(10, 4), { selected: "#3" }); // a step that is selected
    check(step.isDetailed && step.of.get("#3") === "#3");
    const model = new GraphModel();
    model.apply({ ...topo(), nodes: [node(1, "x", { kind: "mutable" }), { n: 2, kind: "derived", of: "d", v: 1, owners: [] }, node(3, "d")],
      edges: [{ e: 1, from: 1, to: 2, queued: 0 }, { e: 2, from: 2, to: 3, queued: 0 }], listeners: [] });
    const calm = scene(model);
    same([calm.nodes.map(({ id }) => id), calm.of.get("#2"), calm.edges.map(({ from, to }) => [from, to])], [["n:x", "n:d"], "n:d", [["n:x", "n:d"]]]);
    same(scene(model, { details: true }).edges.length, 2);
  });

  test("clients have lines from named nodes, whatever their pipelines; their links name both ends", () => {
    const model = new GraphModel();
    model.linesOf = clientLines;
    model.apply({ ...topo(), nodes: [node(1, "a"), node(2, "b"), node(3, "c"), { n: 4, kind: "chain", owners: ["c:1"] }, { n: 5, kind: "chain", owners: ["c:1"] },
      { n: 6, kind: "chain", owners: ["c:1/p"] }],
      edges: [[1, 1, 4], [2, 4, 5], [3, 5, 2, ["c:1"]], [4, 2, 6], [5, 6, 1, ["c:1/p"]], [6, 3, 1, ["c:2"]]].map(([e, from, to, owners]) => ({ e, from, to, queued: 0, ...(owners && { owners }) })),
      // What a link reads is listed once; the node 3 twice, because its client listens to it, too.
      listeners: [{ l: "c:1", on: [5, 6, 5], transport: "ws" }, { l: "c:2", on: [3, 3], transport: "ws" }, { l: "c:3", on: [2], transport: "ws" }] });
    const { lines, counts, raw } = model.clientLines();
    same(lines.map(({ kind, from, to, by, steps }) => [kind, from, to, by, steps]).sort(), [
      ["link", "n:c", "n:a", "c:2", 0], ["listen", "n:a", "c:1", "c:1", 2], ["listen", "n:b", "c:3", "c:3", 0], ["listen", "n:c", "c:2", "c:2", 0],
      ["sync", "n:a", "n:b", "c:1", 2]]);
    same([counts.get("n:a"), counts.get("n:b"), counts.get("n:c")], [{ listen: 1, link: 2 }, { listen: 1, link: 1 }, { listen: 1, link: 1 }]);
    same(raw.map(({ from, to }) => [from, to]), [["#5", "c:1"], ["n:c", "c:2"], ["n:b", "c:3"]]);
  });

  test("groups above 120 nodes and 24 clients, with the neighbourhood of what is selected", () => {
    const rooms = (count) => {
      const model = new GraphModel();
      model.apply({ ...topo(), nodes: Array.from({ length: count }, (_, i) => node(i + 1, `${["attic", "bath"][i % 2]}.${i % 10 ? "t" : "h"}.${i}`)), edges: [],
        listeners: Array.from({ length: 30 }, (_, i) => ({ l: `c:${i}`, on: [1], client: "load/1" })) });
      return model;
    };
    same(scene(rooms(300), {}, null), null); // asks for the module that makes groups
    const model = rooms(300), whole = scene(model);
    same(whole.nodes.map(({ id, members }) => [id, members.length]), [["g attic", 150], ["g bath", 150], ["g clients: load", 30]]);
    same(countsOf(model, whole, false), "300 nodes, 30 clients, showing 0 of 330 and 2 groups");
    // A group that is opened shows smaller ones while it has many members.
    const open = scene(model, { open: new Set(["g attic"]) });
    same(open.nodes.map(({ id }) => id).filter((id) => id.startsWith("g attic")).sort(), ["g attic.h", "g attic.t"]);
    const all = scene(model, { open: new Set(["g attic", "g attic.t", "g attic.h"]) });
    same(all.shown, 150);
    check(scene(model, { selected: "c:5" }).of.get("c:5") === "c:5");
    same([prefixOf("room.kitchen"), prefixOf("cpu_percent"), prefixOf("n12"), prefixOf("9"), prefixOf("room.kitchen.t", 2)], ["room", "cpu", "n", "9", "room.kitchen"]);
    // The same in the outline: folds that open, and a fold of clients.
    same(rowsOf(model, {}, groups).map(({ id }) => id), ["g attic", "g bath", "g Clients"]);
    same(rowsOf(model, { turned: new Set(["g attic"]) }, groups).map(({ id, level }) => [id, level]), [["g attic", 1], ["g attic.h", 2], ["g attic.t", 2], ["g bath", 1], ["g Clients", 1]]);
  });

  test("the spread of a family: least, greatest and mean of numbers, counts of words", () => {
    same(spreadOf([{ v: 1 }, { v: 4 }, { v: 2.5 }, { empty: true }, { fail: { code: "x" } }], { unit: "°C" }), "1 to 4\u202f°C, mean 2.5, 1 failed");
    same(spreadOf([{ v: 3 }, { v: 3 }], {}), "all 3");
    same(spreadOf([{ v: true }, { v: false }, { v: true }], { words: { true: "open", false: "closed" } }), "2 open, 1 closed");
    same(spreadOf(["a", "b", "b", "c", "d"].map((v) => ({ v }))), "2 b, 1 a, 2 others");
    same(spreadOf([]), "");
  });

  test("focus shows a neighbourhood only", () => {
    const model = new GraphModel();
    model.apply(topo());
    same(scene(model, { focus: { id: "#3", direction: "up" } }).nodes.map((n) => n.id).sort(), ["#3", "n:d", "n:x"]);
    same(scene(model, { focus: { id: "n:d", direction: "down" }, asleep: false, details: true }).nodes.map((n) => n.id).sort(), ["#3", "c:1", "c:2", "n:d"]);
  });

  test("names that are no more, also of those that slept", () => {
    const model = new GraphModel();
    model.apply(topo());
    const gone = (...nodes) => model.apply({ op: "topod", rev: 2, t: 1, ...empty, del: { nodes, edges: [], listeners: [] } });
    const slept = gone({ name: "asleep", reason: "removed" });
    check(slept.structure && !model.nodes.has("n:asleep") && slept.died.length === 0, slept);
    const lived = gone({ n: 2, reason: "last_owner", lived: 1, last: { v: 2 } }, { name: "d", reason: "removed" });
    same([lived.died.map((d) => d.id), model.nodes.has("n:d")], [["n:d"], false]);
    check([...model.edges.values()].every(({ from, to }) => from !== "n:d" && to !== "n:d"), [...model.edges.keys()]);
  });

  test("what is redefined is not born, and what has a successor is dead all the same", () => {
    const model = new GraphModel();
    model.apply(topo());
    const add = (...nodes) => ({ op: "topod", rev: 2, t: 1, ...empty, add: { nodes, edges: [], listeners: [] } });
    const redefined = model.apply(add(node(2, "d", { label: "other" }), { kind: "derived", name: "new", exists: false, owners: [] }));
    same([redefined.born, redefined.structure, model.nodes.get("n:d").label], [[], true, "other"]);
    const replaced = model.apply({ ...add(node(9, "d")), del: { nodes: [{ n: 2, reason: "last_owner", lived: 4, last: { v: 2 } }], edges: [], listeners: [] } });
    same([replaced.born, replaced.died.map((d) => [d.id, d.lived, d.label])], [["n:d"], [["n:d", 4, "other"]]]);
    same([model.nodes.get("n:d").n, model.nodes.get("n:d").exists], [9, true]);
  });

  test("what waits is known behind edges and listeners", () => {
    const model = new GraphModel();
    model.apply(topo());
    const news = model.apply({ op: "topod", rev: 2, t: 1, ...empty,
      add: { nodes: [], edges: [{ e: 1, from: 1, to: 2, queued: 3 }], listeners: [{ l: "c:2", on: [3, 3], queued: 5, transport: "ws" }] } });
    same([[...news.queues], [...news.values], news.structure], [["n:x"], ["c:2"], false]);
    same(["e1", "e2", "on c:2 #3"].map((id) => model.queued(model.edges.get(id))), [3, 0, 5]);
  });

  test("upstreams feed nodes, and families of those that are not shown", () => {
    const model = Object.assign(new GraphModel(), { kin }), one = { u: "u:1", from: "http://a", state: "open", nodes: 3, on: [1, 99], families: ["f.{id}"] };
    const first = model.apply({ ...topo(), families: [{ name: "f.{id}", kind: "source", members: 2, alive: 2 }], upstreams: [one] });
    check(first.structure);
    same([...model.edges.keys()].filter((id) => id.startsWith("u ")), ["u u:1 n:x", "u u:1 n:f.{id}"]);
    check(reach(model, "n:d", "up").has("u:1"));
    same(countsOf(model, null, false), "3 nodes, 1 family with 2 members, 1 upstream, 1 not running, 1 step, 2 clients");
    const told = { op: "topod", rev: 2, t: 1, ...empty };
    const failed = { ...one, state: "failed", failure: "status 503", status: 503, retryAt: 5 };
    let news = model.apply({ ...told, upstreams: [failed] });
    same([[...news.values], news.structure], [["u:1"], false]);
    same(model.nodes.get("u:1").failure, "status 503");
    news = model.apply(told);
    same([news.values.size, news.structure, model.nodes.has("u:1")], [0, false, true]);
    news = model.apply({ ...told, upstreams: [] });
    same([news.structure, model.nodes.has("u:1"), model.edges.has("u u:1 n:x")], [true, false, false]);
  });

  test("a thousand deaths are looked for among the edges once", () => {
    const model = new GraphModel(), many = Array.from({ length: 1000 }, (_, i) => i + 10);
    model.apply({ ...topo(), nodes: [node(1, "x", { kind: "mutable" }), ...many.map((n) => ({ n, kind: "chain", label: "m", v: 1, count: 1, owners: [] }))],
      edges: many.map((n) => ({ e: n, from: 1, to: n, queued: 0 })), listeners: [] });
    let looks = 0;
    const all = model.edges[Symbol.iterator].bind(model.edges);
    model.edges[Symbol.iterator] = () => (looks++, all());
    const news = model.apply({ op: "topod", rev: 2, t: 1, ...empty, del: { nodes: many.map((n) => ({ n, reason: "last_owner", lived: 1, last: { v: 1 } })), edges: many, listeners: [] } });
    same([news.died.length, news.died.every(({ edges }) => edges.length === 1), model.edges.size], [1000, true, 0]);
    check(looks < 5, looks);
  });

  test("what is selected is drawn by itself, also far from what is in focus", () => {
    const model = new GraphModel(), many = Array.from({ length: 400 }, (_, i) => i + 10);
    model.apply({ ...topo(), nodes: [node(1, "x", { kind: "mutable" }), ...many.map((n) => node(n, `y.${n}`))], edges: many.map((n) => ({ e: n, from: 1, to: n, queued: 0 })), listeners: [] });
    const drawn = scene(model, { focus: { id: "n:x", direction: "down" }, selected: "n:y.409" });
    same([drawn.clusters, drawn.of.get("n:y.409"), drawn.of.get("n:x")], [true, "n:y.409", "n:x"]);
    check(drawn.shown <= 60, drawn.shown);
    // A node that sleeps is in focus though others that sleep are hidden.
    const asleep = new GraphModel();
    asleep.apply(topo());
    same(scene(asleep, { asleep: false, focus: { id: "n:asleep", direction: "down" } }).nodes.map((n) => n.id), ["n:asleep"]);
  });

  // What a view keeps
  const still = { item: () => ({ mark() {}, close() {} }), tick() {} };

  test("what has gone is forgotten also where nothing is drawn", () => {
    const model = new GraphModel(), drawn = new GraphView({ frame: still, model, narrow: false, signal: new AbortController().signal, on: {} });
    drawn.apply(model.apply(topo(), 0), 0);
    for (let i = 1; i <= 50; i++) {
      const chain = { n: 100 + i, kind: "chain", label: "m", v: 1, count: 1, owners: [] };
      drawn.apply(model.apply({ op: "topod", rev: i, t: 1, ...empty, add: { nodes: [chain], edges: [], listeners: [] } }, i * 2000), i * 2000);
      drawn.apply(model.apply({ op: "topod", rev: i, t: 1, ...empty, del: { nodes: [{ n: chain.n, reason: "last_owner", lived: 1, last: {} }], edges: [], listeners: [] } }, i * 2000 + 100), i * 2000 + 100);
    }
    same(drawn.dying.size, 1);
  });

  test("a change in which nobody comes or goes is not announced", () => {
    const said = [], lifetimes = new Lifetimes({ frame: still, signal: new AbortController().signal, announce: (text) => said.push(text) });
    for (const born of [[], ["n:x"]]) lifetimes.take({ joined: [], left: [], born, died: [] }, 1000);
    same(said, ["1 node created"]);
  });

  await (async () => {
    current = "a view that somebody has left before it could be shown is not made";
    const asked = [], left = new AbortController();
    left.abort();
    same(await mount(document.createElement("div"), { style: async () => {}, signal: left.signal, client: { observe: () => asked.push(1) } }), null);
    same(asked, []);
  })().catch((error) => failures.push(`${current}: ${error.stack}`));

  return { failures, measured };
}
