/// What the topic of a message may be (MQTT 3.1.1 section 4.7).
package enum TopicText {
    /// The longest topic, in bytes.
    static let longest = 65_535

    /// Whether messages can have this topic.
    package static func isValid(_ topic: String) -> Bool { problem(of: topic[...]) == nil }

    /// Why messages cannot have this topic; nil: they can.
    static func problem(of topic: Substring) -> String? {
        if topic.isEmpty { return "a topic has at least one character" }
        if topic.utf8.count > longest { return "a topic has at most \(longest) bytes" }
        if topic.contains("+") || topic.contains("#") {
            return "'\(topic)' has a wildcard, which stands for many topics"
        }
        return isClean(topic) ? nil : "a topic has no control characters"
    }

    /// Whether a text has no control characters, which brokers may refuse (section 1.5.3).
    static func isClean(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
