internal import Support

/// The description of a node for Home Assistant, which then shows it by itself (MQTT discovery,
/// https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery).
struct Discovery {
    let node: String
    private let graph: String
    /// Whether its values are true and false.
    private let isOnOff: Bool

    init(_ node: String, of graph: String, isOnOff: Bool) {
        (self.node, self.graph, self.isOnOff) = (node, graph, isOnOff)
    }

    /// Where it is published.
    var topic: String {
        let component = isOnOff ? "binary_sensor" : "sensor"
        return "homeassistant/\(component)/\(Self.word(graph))/\(Self.word(node))/config"
    }

    /// Makes the message.
    ///
    /// - Parameters:
    ///   - topic: that of the values.
    ///   - title: of the node; nil: it has none.
    ///   - unit: of the values; nil: they have none.
    ///   - device: the title of the graph; nil: it has none.
    ///   - isText: whether strings are sent without quotation marks.
    /// - Returns: JSON.
    func payload(topic: String, title: String?, unit: String?, device: String?, isText: Bool) -> [UInt8] {
        var out = ByteBuffer()
        out.append("{\"name\":")
        out.append(json: title ?? node)
        out.member("unique_id", "sluice_\(graph)_\(node)")
        out.member("state_topic", topic)
        if isOnOff {
            out.member("payload_on", "true")
            out.member("payload_off", "false")
        } else {
            out.member("unit_of_measurement", unit)
            if !isText { out.member("value_template", "{{ value_json }}") }
        }
        out.append(",\"device\":{\"identifiers\":[")
        out.append(json: "sluice_\(graph)")
        out.append("]")
        out.member("name", device ?? graph)
        out.append("},\"origin\":{\"name\":\"Sluice\"")
        out.member("sw_version", Version.text)
        out.append("}}")
        return Array(out.bytes)
    }

    /// Home Assistant takes letters, digits, `_` and `-` here.
    private static func word(_ name: String) -> String { name.replacing(".", with: "__") }
}
