"""A log-log plot as an SVG file, and the exponent of a series."""

import math
import statistics
import xml.sax.saxutils

WIDTH, HEIGHT = 760, 470
LEFT, RIGHT, TOP, BOTTOM = 96, 36, 84, 66
STYLE = """
    svg { --ground: #ffffff; --ink: #1b2733; --faint: #5d6b79; --grid: #e3e8ed; --mark: #0b6fb8; --line: #7fb5dc; color-scheme: light dark }
    @media (prefers-color-scheme: dark) {
      svg { --ground: #12181f; --ink: #e6ebf0; --faint: #9aa7b4; --grid: #27313b; --mark: #5db2f0; --line: #2f6f9f }
    }
    text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--faint) }
    .ground { fill: var(--ground) }
    .title { font-size: 19px; font-weight: 600; fill: var(--ink) }
    .grid { stroke: var(--grid) }
    .axis { stroke: var(--faint) }
    .fit { stroke: var(--line); stroke-width: 2.5; stroke-linecap: round }
    .spread { stroke: var(--mark); stroke-width: 1.5; opacity: 0.6 }
    .point { fill: var(--mark); stroke: var(--ground); stroke-width: 1.5 }
    .value { font-size: 12px; fill: var(--ink); stroke: var(--ground); stroke-width: 4; paint-order: stroke; stroke-linejoin: round }
    .exponent { font-size: 16px; font-weight: 600; fill: var(--mark) }
"""


def fit(points):
    """The exponent and factor of the power law nearest to them: y = factor · x^exponent, by least
    squares on the logarithms."""
    line = statistics.linear_regression([math.log(x) for x, _ in points], [math.log(y) for _, y in points])
    return line.slope, math.exp(line.intercept)


def count(value):
    return f"{value:,}"


def duration(microseconds):
    """Three digits, in the unit that fits."""
    size, unit = next(
        (pair for pair in [(1e6, "s"), (1e3, "ms"), (1, "µs")] if microseconds >= pair[0]), (1e-3, "ns")
    )
    value = microseconds / size
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f} {unit}"


def signed(exponent):
    # Adding nothing makes −0 a 0.
    return f"{round(exponent, 2) + 0.0:.2f}".replace("-", "−")


def short(microseconds):
    """A round duration, without zeros after the point."""
    value, unit = duration(microseconds).split()
    return f"{float(value):g} {unit}"


def ticks(least, most):
    """Powers of ten between two values, or 1, 2 and 5 times those where they are few."""
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    factors = (1,) if math.log10(most / least) > 2.5 else (1, 2, 5)
    values = [factor * 10.0 ** decade for decade in decades for factor in factors]
    return [value for value in values if least * 0.999 <= value <= most * 1.001]


class Axis:
    """Places of values between two ends, on a logarithmic scale."""

    def __init__(self, least, most, start, end):
        self.least, self.most, self.start = least, most, start
        self.scale = (end - start) / math.log(most / least)

    def at(self, value):
        return round(self.start + self.scale * math.log(value / self.least), 1)


def svg(title, subtitle, across, upward, points, label=count):
    """The drawing of points `(x, y, least, most)`, y in microseconds; `across` and `upward` name
    the axes, `label` writes an x."""
    exponent, factor = fit([point[:2] for point in points])
    xs = [point[0] for point in points]
    near = {value: factor * value ** exponent for value in xs}
    least = min(min(point[2] for point in points), *near.values())
    most = max(max(point[3] for point in points), *near.values())
    # At least a decade, so that a flat series looks flat.
    spare = max(1.35, math.sqrt(10 * least / most))
    x = Axis(min(xs), max(xs), LEFT + 34, WIDTH - RIGHT - 34)
    y = Axis(least / spare, most * spare, HEIGHT - BOTTOM, TOP)
    shapes = []

    def text(kind, left, top, words, anchor="start", more=""):
        shapes.append(f'<text class="{kind}" x="{left}" y="{top}" text-anchor="{anchor}"{more}>'
                      f'{xml.sax.saxutils.escape(words)}</text>')

    def line(kind, *places):
        shapes.append('<line class="{}" x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(kind, *places))

    for value in ticks(y.least, y.most):
        line("grid", LEFT, y.at(value), WIDTH - RIGHT, y.at(value))
        text("tick", LEFT - 10, y.at(value) + 4, short(value), "end")
    for value in xs:
        line("grid", x.at(value), TOP, x.at(value), HEIGHT - BOTTOM)
        text("tick", x.at(value), HEIGHT - BOTTOM + 20, label(value), "middle")
    line("axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM)
    line("axis", LEFT, TOP, LEFT, HEIGHT - BOTTOM)
    line("fit", *(place for end in (min(xs), max(xs)) for place in (x.at(end), y.at(near[end]))))
    for value, middle, low, high in points:
        line("spread", x.at(value), y.at(low), x.at(value), y.at(high))
        shapes.append(f'<circle class="point" cx="{x.at(value)}" cy="{y.at(middle)}" r="5"/>')
    for value, middle, low, high in points:
        # On the side where the line is not.
        top = y.at(high) - 12 if middle >= near[value] else y.at(low) + 21
        text("value", x.at(value), top, duration(middle), "middle")
    text("title", 24, 36, title)
    text("subtitle", 24, 58, subtitle)
    last, _ = fit([point[:2] for point in points[-2:]])
    text("exponent", WIDTH - RIGHT, 36, f"exponent {signed(exponent)}", "end")
    text("subtitle", WIDTH - RIGHT, 58, f"of the last step {signed(last)}", "end")
    text("axis-title", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 18, across, "middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    text("axis-title", 24, middle, upward, "middle", f' transform="rotate(-90 24 {middle})"')
    shapes = "\n  ".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" '
        f'aria-label="{xml.sax.saxutils.escape(title)}">\n  <style>{STYLE}  </style>\n'
        f'  <rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>\n  {shapes}\n</svg>\n'
    )
