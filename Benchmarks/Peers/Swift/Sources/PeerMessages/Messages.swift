import Foundation

/// The texts that a server sends, of the same shape and length as Sluice's.
public enum Messages {
    /// The answer to a POST.
    public static func answer(_ rev: Int) -> String { #"{"epoch":"minimal000","rev":\#(rev)}"# + "\n" }

    /// The entity tag of that answer.
    public static func tag(_ rev: Int) -> String { #""minimal000:\#(rev)""# }

    /// The answer to a subscription.
    public static func snapshot(_ rev: Int) -> String {
        #"{"op":"snap","id":1,"epoch":"minimal000","rev":\#(rev),"t":\#(milliseconds)}"#
    }

    /// What subscribers receive when the value changes; the value is unchecked JSON.
    public static func update(_ rev: Int, _ value: String) -> String {
        #"{"op":"upd","graph":"house","rev":\#(rev),"t":\#(milliseconds),"d":[{"id":1,"v":\#(value)}]}"#
    }

    private static var milliseconds: Int { Int(Date().timeIntervalSince1970 * 1000) }
}
