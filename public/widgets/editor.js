// The field of a node that can be set; on a screen that only shows, its value.
import { h, load } from "/lib/dom.js";
import number from "/widgets/number.js";
import text from "/widgets/text.js";

export default {
  kind: "editor",
  label: "Editor",
  size: [3, 2],
  options: ["slider"],
  source: "mutable",
  async make(widget, context) {
    const { feeds: [feed], page, graph, facts, isKiosk } = context;
    const node = facts(feed.node) ?? { name: feed.node, kind: "mutable", type: "any" };
    if (isKiosk) return (/number|integer/.test(node.type) ? number : text).make({}, context);
    if (node.kind !== "mutable") {
      return { element: h("p", { class: "dim" }, node.kind === "source"
        ? "This node has a source and cannot be set." : "This node is derived from others and cannot be set.") };
    }
    const { valueEditor } = await load("/ui/value-editor.js");
    const { element, show, close } = valueEditor({
      client: page.client, graph, node: { ...node, slider: widget.slider }, announce: page.announce, compact: true,
    });
    return { element, show: () => feed.entry && show(feed.entry), close };
  },
};
