// The field of a node; its value where it cannot be set, or not by this client or on this screen.
import { load } from "/lib/dom.js";

export default {
  kind: "editor",
  label: "Editor",
  size: [3, 2],
  options: ["slider"],
  source: "mutable",
  async make(widget, context) {
    const { feeds: [feed], page, graph, facts, isKiosk } = context;
    const node = facts(feed.node) ?? { name: feed.node, kind: "mutable", type: "any" };
    if (isKiosk || node.readOnly || node.kind !== "mutable") {
      const kind = /number|integer/.test(node.type) ? "number" : node.type === "boolean" ? "lamp" : "text";
      return (await load(`/widgets/${kind}.js`)).default.make({}, context);
    }
    const { valueEditor } = await load("/ui/value-editor.js");
    const { element, show, close } = valueEditor({
      client: page.client, graph, node: { ...node, slider: widget.slider }, announce: page.announce, compact: true,
    });
    return { element, show: () => feed.entry && show(feed.entry), close };
  },
};
