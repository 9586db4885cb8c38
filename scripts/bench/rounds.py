"""Rounds: each makes every run once, in turning order."""

from bench.contestant import LoadFailure
from bench.machine import FAR


class Rounds:
    """What came of them: `figures` by run of those that count, `failures` by run, `all` of them,
    and `distances` seen."""

    def __init__(self):
        self.figures, self.failures, self.all, self.distances = [], {}, 0, []

    def column(self, name):
        """The figures of one run."""
        return [figures[name] for figures in self.figures if figures.get(name) is not None]

    def ratios(self, name, to):
        """Those of one run divided by those of another, each within its round."""
        return [
            figures[name] / figures[to]
            for figures in self.figures
            if figures.get(name) is not None and figures.get(to)
        ]

    def note(self):
        """How many count, and how far the processors were from each other."""
        return f"{len(self.figures)} of {self.all} | {min(self.distances)}–{max(self.distances)}"


def measure(runs, rounds, machine):
    """Makes rounds until that many count. `runs` has a function for each name; a run that fails
    once is not tried again.

    The distance of the processors is measured before and after a round: one that began and ended in
    different states, or in another state than most, does not count.
    """
    result, found = Rounds(), []
    while result.all < 2 * rounds:
        names = [name for name in runs if name not in result.failures]
        if not names:
            break
        place = result.all % len(names)
        before, figures = machine.distance(), {}
        for name in names[place:] + names[:place]:
            try:
                figures[name] = runs[name]()
            except LoadFailure as failure:
                result.failures[name] = str(failure)
        after = machine.distance()
        found.append((before >= FAR, after >= FAR, figures))
        result.all += 1
        result.distances += [before, after]
        steady = [begin for begin, end, _ in found if begin == end]
        if max(steady.count(False), steady.count(True)) >= rounds:
            break
    state = steady.count(True) > steady.count(False)
    result.figures = [figures for begin, end, figures in found if begin == end == state]
    # On a machine that is never steady, every round is as good as any other.
    result.figures = result.figures or [figures for _, _, figures in found]
    return result


def run(case, start, scale):
    """One run of a case on a new server: its figure."""
    contestant = start()
    try:
        if case.warm:
            contestant.load(case.warm, case.warming * scale)
        return contestant.load(case.arguments, case.seconds * scale).get(case.figure)
    finally:
        contestant.stop()
