/// The files that `sluice init` writes.
enum FirstFiles {
    static let all = [(path: "sluice.yaml", text: configuration), (path: "graphs/home.yaml", text: graph)]

    private static let configuration = """
        # The configuration of a Sluice server. `sluice serve` reads it in this folder; relative paths begin here.
        # `sluice serve --print-config` shows all keys with the values in force.

        # Where the server listens: this machine only. Any other address needs 'auth'.
        listen: 127.0.0.1:8080

        # The folder of graphs, one file each, and whether a change of them is taken up at once.
        graphs: graphs
        watch: true

        # Where values are kept, so that a restart loses nothing. '': they are gone with the process.
        dataDir: data

        # Where dashboards are kept that are saved on the page.
        dashboards: dashboards

        # Tokens: `sluice token --name me --can read --can set >> tokens.yaml` makes one.
        # auth: tokens.yaml

        # Other sites whose pages may connect, such as https://example.org.
        # origins: []

        """

    private static let graph = """
        # One file is one graph. Nodes with `set` take values from outside; all others are made from them.
        #   sluice set home/indoor_c 21.5
        #   curl -d 21.5 http://127.0.0.1:8080/v1/graphs/home/nodes/indoor_c
        graph: home
        title: My home
        nodes:
          # Set by devices. The bounds are checked, `history` is what charts show.
          indoor_c: { set: number, initial: 20, min: -60, max: 60, unit: °C, title: Indoors, icon: thermometer, role: sensor, history: 600 }
          humidity: { set: number, initial: 45, min: 0, max: 100, unit: "%", title: Humidity, icon: drop, role: sensor, history: 600 }

          # Set by people, who read `words` in place of the values.
          wanted_c: { set: number, initial: 20.5, min: 5, max: 28, unit: °C, title: Wanted, icon: target }
          mode:     { set: { enum: [eco, auto, off] }, initial: auto, title: Heating mode, icon: flame, words: { eco: saving, auto: as wanted, off: switched off } }

          # Made from one node, stage by stage.
          indoor_f:
            from: indoor_c
            pipe: [ { map: "round(value * 9 / 5 + 32, 1)" } ]
            unit: °F
            title: Indoors in Fahrenheit
            icon: thermometer

          # Made from several nodes, once all have a value. An expression with '? :' needs quotes.
          heating:
            combine: { inside: indoor_c, wanted: wanted_c, mode: mode }
            map: "mode != 'off' && inside < (mode == 'eco' ? 18 : wanted)"
            title: Heating
            icon: heater
            words: { true: on, false: off }

          # Over time: from the mean of the last five minutes. A warning while it is true.
          damp:
            from: humidity
            pipe: [ { window: { last: 5m, of: avg } }, { map: "value > 65" } ]
            title: Damp air
            icon: drop
            severity: warning
            words: { true: open a window, false: fine }

        """
}
