/// What the search knows of an expression's value: enough for most programs to go together.
enum Kind: String {
    case bool, int, uint, double, string, bytes, list, strings, numbers, map, timestamp, duration, optional, any
    /// A text that is a regular expression, a time zone's name, a format.
    case pattern, zone, format
}

/// A way to write an expression: text, with holes for expressions and for names of macro variables.
struct Form {
    enum Piece {
        case text(String)
        case hole(Kind)
        /// A new name, which the holes after it may use; `late`: the holes after the next one.
        case name(Kind, isLate: Bool)
    }

    let pieces: [Piece]
    /// As the grammar has it.
    let text: String

    /// `<int>` is a hole, `<x:int>` a name, `<y:int>` a late one.
    init(_ text: Substring) {
        var pieces: [Piece] = []
        for part in text.split(separator: "«", omittingEmptySubsequences: false) {
            guard let end = part.firstIndex(of: "»") else {
                pieces.append(.text(String(part)))
                continue
            }
            let words = part[..<end].split(separator: ":")
            guard let kind = Kind(rawValue: String(words[words.count - 1])) else {
                preconditionFailure("there is no kind \(words)")
            }
            pieces.append(words.count == 1 ? .hole(kind) : .name(kind, isLate: words[0] == "y"))
            pieces.append(.text(String(part[part.index(after: end)...])))
        }
        self.pieces = pieces
        self.text = String(text)
    }
}

/// All forms by the kind of their value.
///
/// Every function and macro of the language is here: CELTests compares this file with the library.
enum Grammar {
    static let forms: [Kind: [Form]] = {
        var forms: [Kind: [Form]] = [:]
        var kind = Kind.any
        for line in text.split(separator: "\n") {
            if line.hasSuffix(":"), let named = Kind(rawValue: String(line.dropLast())) {
                kind = named
            } else {
                let marked = line.replacingHoles()
                forms[kind, default: []].append(Form(marked[...]))
            }
        }
        return forms
    }()

    private static let text = """
        bool:
        (<any> == <any>)
        (<string> != <string>)
        (<list> == <list>)
        (<map> == <map>)
        (<bytes> == <bytes>)
        ([<any>, <any>] == [<any>, <any>])
        (<string> < <string>)
        (<double> <= <int>)
        (<int> > <uint>)
        (<bytes> >= <bytes>)
        (<timestamp> < <timestamp>)
        (<any> < <any>)
        (<any> in <list>)
        (<string> in <strings>)
        (<string> in <map>)
        (<int> in <map>)
        !<bool>
        (<bool> && <bool>)
        (<bool> || <bool>)
        (<any> && <bool>)
        (<bool> ? <bool> : <bool>)
        has(<map>.c)
        has(<any>.a.b)
        <list>.all(<x:any>, <bool>)
        <list>.exists(<x:any>, <bool>)
        <list>.exists_one(<x:any>, <bool>)
        <map>.existsOne(<x:string>, <x:any>, <bool>)
        <map>.all(<x:string>, <x:any>, <bool>)
        <strings>.exists(<x:string>, <bool>)
        <numbers>.all(<x:double>, <bool>)
        <string>.contains(<string>)
        <string>.startsWith(<string>)
        <string>.endsWith(<string>)
        <string>.matches(<pattern>)
        <string>.matches('(a|b)*c|[^x-z]+$')
        <string>.matches('(\\\\pL|[0-9])*!')
        <string>.matches('[ab]*a[ab]{30}c')
        <string>.matches('(a|b)*b[ab]{25}c')
        <string>.matches('[ab]*(aa|bb)[ab]{20}c')
        <string>.matches(<string> + '.{300}')
        <string>.matches('\\\\pL' + <string>)
        bool(<string>)
        math.isNaN(<double>)
        math.isInf(<double>)
        math.isFinite(<double>)
        <optional>.hasValue()
        cel.bind(<y:any>, <any>, <bool>)
        int:
        (<int> + <int>)
        (<int> * <int>)
        (<int> / <int>)
        (<int> % <int>)
        -<int>
        int(<string>)
        int(<double>)
        int(<timestamp>)
        size(<string>)
        <list>.size()
        <map>.size()
        <bytes>.size()
        <string>.indexOf(<string>)
        <string>.indexOf(<string>, <int>)
        <string>.lastIndexOf(<string>)
        <string>.lastIndexOf(<string>, <int>)
        <timestamp>.getFullYear()
        <timestamp>.getMonth(<zone>)
        <timestamp>.getDate(<zone>)
        <timestamp>.getDayOfMonth()
        <timestamp>.getDayOfWeek(<zone>)
        <timestamp>.getDayOfYear(<zone>)
        <timestamp>.getHours(<zone>)
        <timestamp>.getMinutes(<zone>)
        <duration>.getSeconds()
        <duration>.getMilliseconds()
        math.abs(<int>)
        math.sign(<int>)
        math.bitAnd(<int>, <int>)
        math.bitOr(<int>, <int>)
        math.bitXor(<int>, <int>)
        math.bitNot(<int>)
        math.bitShiftLeft(<int>, <int>)
        math.bitShiftRight(<int>, <int>)
        math.greatest(<int>, <int>)
        (<bool> ? <int> : <int>)
        uint:
        uint(<string>)
        uint(<int>)
        (<uint> + <uint>)
        double:
        (<double> + <double>)
        (<double> * <int>)
        (<double> / <double>)
        (<double> % <double>)
        -<double>
        double(<string>)
        double(<int>)
        math.ceil(<double>)
        math.floor(<double>)
        math.round(<double>)
        math.trunc(<double>)
        math.sqrt(<double>)
        math.abs(<double>)
        math.sign(<double>)
        math.greatest(<numbers>)
        max(<numbers>)
        <numbers>.min()
        math.least(<double>, <double>, <int>)
        round(<double>)
        round(<double>, <int>)
        clamp(<double>, <double>, <double>)
        sum(<numbers>)
        avg(<numbers>)
        sum(<list>)
        string:
        (<string> + <string>)
        string(<any>)
        string(<double>)
        string(<int>)
        string(<bytes>)
        string(<timestamp>)
        string(<duration>)
        <string>.charAt(<int>)
        <string>.substring(<int>)
        <string>.substring(<int>, <int>)
        <string>.replace(<string>, <string>)
        <string>.replace(<string>, <string>, <int>)
        <strings>.join(<string>)
        <strings>.join()
        <list>.join(<string>)
        <string>.trim()
        <string>.reverse()
        <string>.lowerAscii()
        <string>.upperAscii()
        <format>.format([<any>])
        <format>.format([<double>, <double>])
        <format>.format(<list>)
        '%s'.format([<any>])
        '%.3f'.format([<double>])
        '%.1000e'.format([<double>])
        '%x'.format([<string>])
        strings.quote(<string>)
        base64.encode(<bytes>)
        <strings>[<int>]
        (<bool> ? <string> : <string>)
        cel.bind(<y:string>, <string>, <string>)
        bytes:
        bytes(<string>)
        (<bytes> + <bytes>)
        base64.decode(<string>)
        strings:
        <string>.split(<string>)
        <string>.split(<string>, <int>)
        <strings>.map(<x:string>, <string>)
        <strings>.filter(<x:string>, <bool>)
        <list>.map(<x:any>, <string>)
        (<strings> + <strings>)
        [<string>, <string>]
        <strings>.sort()
        <strings>.distinct()
        <strings>.sortBy(<x:string>, <string>)
        numbers:
        lists.range(<int>)
        <numbers>.map(<x:double>, <double>)
        <numbers>.map(<x:double>, <int>)
        <numbers>.map(<x:double>, <bool>, <double>)
        <numbers>.sort()
        <numbers>.sortBy(<x:double>, <double>)
        <numbers>.distinct()
        <numbers>.reverse()
        [<double>, <int>, <double>]
        list:
        <numbers>
        <strings>
        <list>.map(<x:any>, <any>)
        <list>.filter(<x:any>, <bool>)
        <map>.map(<x:string>, <any>)
        <map>.filter(<x:string>, <bool>)
        <list>.transformList(<x:int>, <x:any>, <any>)
        <map>.transformList(<x:string>, <x:any>, <bool>, <any>)
        <numbers>.map(<x:int>, <any>)
        (<list> + <list>)
        [<any>, <any>]
        [<any>, ?<optional>]
        <list>.slice(<int>, <int>)
        <list>.flatten()
        <list>.flatten(<int>)
        <list>.distinct()
        <list>.sort()
        <list>.sortBy(<x:any>, <any>)
        <list>.reverse()
        <list>.map(<x:any>, <optional>).unwrapOpt()
        optional.unwrap(<list>.map(<x:any>, <optional>))
        map:
        {'a': <any>, 'c': <any>}
        {<string>: <any>}
        {<int>: <any>, ?'b': <optional>}
        <list>.transformMap(<x:int>, <x:any>, <any>)
        <map>.transformMap(<x:string>, <x:any>, <bool>, <any>)
        <strings>.transformMapEntry(<x:int>, <x:string>, {<string>: <any>})
        <list>.transformMapEntry(<x:int>, <x:any>, {<int>: <any>})
        timestamp:
        timestamp(<string>)
        timestamp(<int>)
        (<timestamp> + <duration>)
        (<timestamp> - <duration>)
        duration:
        duration(<string>)
        duration(<int>)
        (<timestamp> - <timestamp>)
        (<duration> + <duration>)
        optional:
        optional.of(<any>)
        optional.none()
        optional.ofNonZeroValue(<any>)
        <map>.?c
        <map>[?<string>]
        <list>[?<int>]
        <list>.first()
        <list>.last()
        <optional>.or(<optional>)
        <optional>.optMap(<x:any>, <any>)
        <optional>.optFlatMap(<x:any>, <optional>)
        pattern:
        (<pattern> + <pattern>)
        (<pattern> + <string>)
        format:
        (<format> + <format>)
        zone:
        (<zone> + <zone>)
        any:
        <bool>
        <int>
        <uint>
        <double>
        <string>
        <bytes>
        <list>
        <map>
        <timestamp>
        <duration>
        <optional>
        <map>.c
        <map>[<string>]
        <list>[<int>]
        <any>.a.b
        <any>[<any>]
        (<any> + <any>)
        (<any> - <any>)
        -<any>
        <optional>.value()
        <optional>.orValue(<any>)
        (<bool> ? <any> : <any>)
        dyn(<any>)
        type(<any>)
        cel.bind(<y:any>, <any>, <any>)
        cel.bind(<y:list>, <list>, <any>)
        """
}

extension Substring {
    /// Holes in their own brackets, which are no operators.
    fileprivate func replacingHoles() -> String {
        var text = ""
        var rest = self
        while let open = rest.firstIndex(of: "<") {
            let inside = rest[rest.index(after: open)...]
            let word = inside.prefix { $0.isLetter || $0 == ":" }
            text += rest[..<open]
            if !word.isEmpty, inside.dropFirst(word.count).first == ">" {
                text += "«\(word)»"
                rest = inside.dropFirst(word.count + 1)
            } else {
                text += "<"
                rest = inside
            }
        }
        return text + rest
    }
}
