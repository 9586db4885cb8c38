import CEL
import Definitions
import Testing

private final class NoZones: TimeZones {
    func rules(of zone: String) -> TimeZoneRules? { nil }
}

@Suite("Problems of schedules")
struct ScheduleProblemTests {
    @Test(
        "problems are reported at their place, with the allowed values",
        arguments: [
            (
                #"{"schedule": "0 ¦25 * * *"}"#,
                "the hour must be 0 to 23, not '25' (lists (1,15), ranges (8-18) and steps (*/5) are possible)"
            ),
            (
                #"{"schedule": "¦0 22 * *"}"#,
                "a schedule has five fields: minute, hour, day of the month, month and weekday, not 4 (every day at 22:00 is '0 22 * * *')"
            ),
            (
                #"{"schedule": "0 0 ¦31 2 *"}"#,
                "no such day comes in any year (the months chosen are shorter)"
            ),
            (
                #"{"schedule": "¦@noon"}"#,
                "'@noon' is not known (one of @hourly, @daily, @weekly, @monthly, @yearly)"
            ),
            (#"{"schedule": ¦[1]}"#, "schedule must be text, not a list"),
            (
                #"{"schedule": "0 22 * * *", "zone": ¦"Europe/Berlim"}"#,
                "the time zone 'Europe/Berlim' is not known (a name of the tz database such as Europe/Berlin (package tzdata), or an offset such as +02:00)"
            ),
            (#"{"schedule": "0 22 * * *", ¦"days": "mon"}"#, "'days' is only allowed with 'between'"),
            (
                #"{"between": ¦["22:00"]}"#,
                #"between must be a list of two times of day (such as ["22:00", "06:00"])"#
            ),
            (
                #"{"between": ["22:00", ¦"24:00"]}"#,
                #"a time of day is written like "22:00", from "00:00" to "23:59" (midnight is "00:00")"#
            ),
            (#"{"between": ["22:00", ¦"22:00"]}"#, "the two times of between are the same"),
            (
                #"{"between": ["22:00", "06:00"], "days": "mon-¦foo"}"#,
                "the weekday must be 0 to 7, or sun to sat, not 'foo' (lists (1,15), ranges (8-18) and steps (*/5) are possible)"
            ),
        ]
    )
    func problems(node: String, message: String) throws {
        let marked = Marked(#"{"graph": "g", "nodes": {"x": \#(node)}}"#)
        // A place within a text is after its quote.
        let expected = marked.expected([message])
        #expect(
            try marked.found(options: DefinitionOptions(expressions: Options(zones: NoZones()))) == expected
        )
    }

    @Test("a family cannot have one")
    func family() throws {
        let marked = Marked(#"{"graph": "g", "nodes": {"x.{id}": {"between": ¦["22:00", "06:00"]}}}"#)
        let message =
            "a family cannot have 'between': it would be the same for all members "
            + "(make it a node of its own, and derive the members from that node)"
        #expect(try marked.found() == marked.expected([message]))
    }
}
