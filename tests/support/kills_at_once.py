"""Kill one of two writers at once: `python tests/support/kills_at_once.py --kills 2000`.

The call that is killed and another one begin together on the same tables. Each has a process of its own. DuckDB's file
is open in one process at a time, so there they are two threads, and both die. The outcome must be one of the states
that the calls leave when they run whole, one after the other: neither, one, or both in either order. A call that came
to its end is in it, and one that failed is not. Then the killed call is repeated.
The exit code is 1 if anything was lost or incomplete, or if the repeated call failed.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from complete_state import Whole, difference, facts, public
from faults import READS
from kills import Ended, Nursery, Order, gone, prepared
from writing_calls import CALLS, SQL, Place

PAIRS = (
    ("refresh", "refresh"),
    ("refresh", "materialize over"),
    ("materialize over", "refresh"),
    ("refresh everything", "refresh"),
    ("refresh tracked", "refresh tracked"),
    ("refresh tracked by column", "refresh tracked by column"),
    ("save over", "refresh"),
    ("save over", "materialize over"),
)
"""The call that is killed, and the one beside it. What stands before is what the first asks for."""
GOLDEN = (5**0.5 - 1) / 2
"""Its multiples fill the unit interval evenly."""
NUMBERS = {call.name: number for number, call in enumerate(CALLS)}
COLUMNS = ("kills", "beside", "failed", "neither", "first", "second", "both", "alike", "lost", "again")
"""beside: the second came to its end; failed: it was refused, as it may be; again: other tries that failed;
alike: both calls leave the same, so that it cannot be told which one came to its end"""


class Pair:
    """Two calls on an engine, and the states that they may leave."""

    def __init__(self, nursery: Nursery, first: str, second: str, name: str) -> None:
        self.nursery, self.first, self.second, self.name = nursery, NUMBERS[first], NUMBERS[second], name
        self.states: list[tuple[str, Whole]] = []
        self.strikes = 0
        orders = {"neither": (), "first": (0,), "second": (1,), "both": (0, 1), "both, turned": (1, 0)}
        for what, order in orders.items():
            with prepared(CALLS[self.first], name) as at:
                for one in order:
                    ended = self.run(at, (self.first, self.second)[one])
                    if ended.error:  # what one makes the other may refuse
                        break
                else:
                    self.states.append((what.split(",")[0], Whole.of(at.db, at.folder)))
        with prepared(CALLS[self.first], name) as at:  # how long it takes beside the other
            ended = self.run(at, self.first, beside=self.second)
            self.points, self.seconds = len(ended.points), ended.seconds
        self.changes = [number for number, text in enumerate(ended.points) if not READS.match(text)]

    def moment(self, draw: random.Random) -> dict[str, Any]:
        """Where the next kill strikes. The strikes of a pair are spread evenly over the whole call, to its end."""
        self.strikes += 1
        part = self.strikes * GOLDEN % 1
        way = draw.choices(("time", "all", "changes", "end"), (25, 25, 25, 25))[0]
        if way == "time":
            return {"seconds": part * self.seconds}
        if way == "end":  # a transaction is over, and nothing else has run
            return {"at": self.changes[-1], "after": True}
        among = self.changes if way == "changes" else range(self.points)
        return {"at": among[int(part * len(among))], "after": draw.random() < 0.5}

    def run(self, place: Place, number: int, **more: Any) -> Ended:
        """A process that makes the call."""
        address = place.address
        place.close()
        try:
            return self.nursery.run(Order(number, self.name, address, place.folder, **more))
        finally:
            place.open()

    def found(self, at: Place) -> set[str]:
        """Which states this may be."""
        now = facts(at.db, at.folder)
        same = {what for what, whole in self.states if now == whole.all}
        if same:
            return same
        seen = public(at.db, now)
        return {what for what, whole in self.states if seen == whole.public}

    def kill(self, draw: random.Random) -> tuple[list[str], str]:
        """One kill: what it counts as, and what is to be said of it; nothing if the call was done before."""
        with prepared(CALLS[self.first], self.name) as at:
            moment = self.moment(draw)
            ended = self.run(at, self.first, beside=self.second, **moment)
            if not ended.killed:
                return [], ""
            gone(at)
            counted, said = ["kills"], ""
            other = ended.other
            may = {"neither", "first", "second", "both"}
            if other is not None:
                counted.append("failed" if other.error else "beside")
                may = {"neither", "first"} if other.error else {"second", "both"}
            states = self.found(at)
            where = f"{CALLS[self.first].name}, {CALLS[self.second].name}, {self.name}, at {moment}"
            if states & may:
                counted.append(sorted(states & may)[-1] if len(states & may) == 1 else "alike")
            else:
                counted.append("lost")
                base = dict(self.states)[min(may)]
                said = f"{where}: {states or 'no state'}, {other}: {difference(base.all, facts(at.db, at.folder))}"
            again = self.run(at, self.first)
            after = self.found(at)
            done = after & {"first", "both"}
            # What is done may refuse to be done again; what is not must come now.
            if not done or (again.error and not states & {"first", "both"}):
                counted.append("again")
                said += f"\n{where}: another try leaves {after}: {again.error}"
            return counted, said


def table(counts: dict[tuple[str, str], Counter[str]]) -> str:
    """A line for each pair and engine, and one for each engine."""
    lines = [f"{'calls':<56}{'engine':<12}" + "".join(f"{name:>9}" for name in COLUMNS)]
    totals: dict[str, Counter[str]] = {}
    for (calls, engine), counted in sorted(counts.items()):
        totals.setdefault(engine, Counter()).update(counted)
        lines.append(f"{calls:<56}{engine:<12}" + "".join(f"{counted[name]:>9}" for name in COLUMNS))
    lines += [f"{'all':<56}{engine:<12}" + "".join(f"{c[name]:>9}" for name in COLUMNS) for engine, c in totals.items()]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Kill, tell, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="another one kills elsewhere")
    parser.add_argument("--engines", default=",".join(SQL))
    asked = parser.parse_args(arguments)
    nursery = Nursery()  # before any connection is opened
    draw, counts = random.Random(asked.seed), dict[tuple[str, str], Counter[str]]()
    pairs: dict[tuple[str, str, str], Pair] = {}
    begun, done = time.monotonic(), 0
    while done < asked.kills:
        for first, second in PAIRS:
            for name in asked.engines.split(","):
                if done == asked.kills:
                    break
                key = (first, second, name)
                pairs[key] = pair = pairs.get(key) or Pair(nursery, first, second, name)
                counted, said = pair.kill(draw)
                counts.setdefault((f"{first} | {second}", name), Counter()).update(counted)
                done += "kills" in counted
                if "kills" in counted and not done % 50:
                    say(f"{done} kills in {time.monotonic() - begun:.0f} s")
                    say(table(counts))
                if said:
                    say(re.sub(r"\s+", " ", said)[:1500])
    nursery.close()
    say(table(counts))
    bad = sum(counted[what] for counted in counts.values() for what in ("lost", "again"))
    say(f"{done} kills in {time.monotonic() - begun:.0f} s; {bad} of them lost, or kept from another try")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
