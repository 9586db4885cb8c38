/// What every evaluation of an expression may use.
final class Resources {
    let isStrict: Bool
    let regex: (any RegexEngine)?
    let zones: (any TimeZones)?

    init(_ options: Options) {
        isStrict = options.isStrict
        regex = options.regex
        zones = options.zones
    }
}
