// The field of a node, or what sets it by touch; its value where it cannot be set, or not by this
// client or on this screen.
import { load } from "/lib/dom.js";

export default {
  kind: "editor",
  label: "Editor",
  size: [3, 2],
  options: ["slider"],
  source: "mutable",
  async make(widget, context) {
    const { feeds: [feed], page, graph, facts, isKiosk, isTouch, observed, signal, tile } = context;
    const node = facts(feed.node) ?? { name: feed.node, kind: "mutable", type: "any" };
    if ((isKiosk && !isTouch) || node.readOnly || node.kind !== "mutable") {
      const kind = /number|integer/.test(node.type) ? "number" : node.type === "boolean" ? "lamp" : "text";
      return (await load(`/widgets/${kind}.js`)).default.make({}, context);
    }
    const given = {
      client: page.client, graph, node: { ...node, slider: widget.slider }, announce: page.announce, compact: true, tile,
    };
    const { touchKind, TouchControl } = isTouch ? await load("/dash/controls.js") : {};
    const editor = touchKind?.(node) ? new TouchControl(given) : (await load("/ui/value-editor.js")).valueEditor(given);
    const redefine = () => editor.redefine({ ...(facts(feed.node) ?? node), slider: widget.slider });
    observed.addEventListener("change", redefine, { signal });
    return { element: editor.element, show: () => feed.entry && editor.show(feed.entry), close: () => editor.close() };
  },
};
