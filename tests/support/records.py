"""Every part of every record of a catalogue, altered to every wrong value, given to every call that reads records.

`make records` runs all of it on DuckDB and PostgreSQL, `ENGINE=mysql` on another engine: two hours each. `--part 1/8`
runs an eighth, and `--values 40` draws 40 of the values for each part of a record. The rule: a call gives a result or
an error of sqlrp, no call but that for the altered record fails, and nothing of the user's is touched.

An alteration that its reader takes meets each call alone. Those that readers refuse stand in the catalogue by hundreds
for the calls that read all records, and meet the calls that name them one after another in one transaction, as long as
each is refused. What fails so is tried alone, which tells the call. MariaDB and MySQL cannot take back what a call has
made, and making all again takes a second: there an alteration that is taken meets one of the calls that write, in turn.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from altered_records import OBJECTS, OF_ALL, OF_FUNCTIONS, VALUES, Alteration, Call, Kept, World
from databases import opened

CROWD = 200
OF_CATALOGUE = frozenset(
    {*OF_ALL, *OF_FUNCTIONS, "materialize new", "materialized", "refresh another", "created_functions"}
    | {"saved", "saved_models"}
)
"""The calls that name no record, and read all of a kind."""
READING = frozenset(
    {"materialized", "refresh another", "search", "check", "created_functions", "saved", "project", "diagnose"}
    | {"saved_models", "score", "predict", "search in SQL", "project_with"}
)
"""The calls that change nothing of the records."""


class Product:
    """The calls of a world, with what failed."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.failed: list[str] = []
        self.tried = 0

    def alone(self, change: Alteration, names: Sequence[str]) -> None:
        """Each call where a row is altered. Those that change nothing, or are refused, share a transaction."""
        calls = self.world.calls(change)
        left = [(name, calls[name]) for name in names if name in calls]
        while left:
            since: list[tuple[Alteration, str, Call]] = []
            try:
                with self.world.written(change) as possible:
                    while left and possible:
                        name, call = left.pop(0)
                        since.append((change, name, call))
                        self.tried += 1
                        if (self.world.attempt(change, name, call) and name not in READING) or not self.world.lives():
                            break
                    self.world.look([(change, name) for change, name, _ in since])
                    if not possible:
                        self.tried += len(left)
                        self.world.seen["refused by the engine"] += len(left)
                        return
            except AssertionError as error:
                self._blame(error, since)

    def crowd(self, changes: Sequence[Alteration], names: Sequence[str]) -> None:
        """Each call of the whole catalogue where it has all these rows, too, under names of their own."""
        rows: dict[tuple[str, str], Kept] = {}
        for turn, change in enumerate(changes):
            name = change.row.name if change.row.name != change.of.name else f"{change.of.name}{turn}"
            rows[change.row.kind, name] = replace(change.row, name=name)
        for row in self.world.rows:
            rows.pop((row.kind, row.name), None)
        with self.world.written(more=list(rows.values())) as possible:
            pass
        if not possible:  # such as a name that is too long for the column
            half = len(changes) // 2
            for some in (changes[:half], changes[half:]) if half else ():
                self.crowd(some, names)
            return
        for name in names:
            since: list[tuple[Alteration, str, Call]] = []
            try:
                with self.world.written(more=list(rows.values())):
                    since = [(c, name, self.world.calls(c)[name]) for c in changes if name in self.world.calls(c)]
                    if since:
                        self.tried += len(since)
                        done = self.world.attempt(*since[0])
                        assert done, f"{name} is refused beside {len(rows)} records: {self.world.refusal}"
                        self.world.look([(since[0][0], name)])
            except AssertionError as error:
                self._blame(error, since)

    def _blame(self, error: AssertionError, since: Sequence[tuple[Alteration, str, Call]]) -> None:
        """Say which of the calls fails alone, or else that all of them do."""
        before = len(self.failed)
        for change, name, call in since:
            try:
                self.world.try_call(change, name, call)
            except AssertionError as found:
                self._say(f"{found}")
                break
        if len(self.failed) == before:
            self._say(f"together: {error}")

    def _say(self, text: str) -> None:
        self.failed.append(text)
        print(text[:600], flush=True)


def steps(product: Product, changes: Sequence[Alteration]) -> Iterator[None]:
    """The whole product, a short step at a time."""
    world = product.world
    every = [name for change in changes[:1] for name in world.calls(change)]
    for kind in {change.of.kind: None for change in changes}:
        every += [name for name in world.calls(next(c for c in changes if c.of.kind == kind)) if name not in every]
    named = [name for name in every if name not in OF_CATALOGUE]
    whole = [name for name in every if name in OF_CATALOGUE]
    taken = [change for change in changes if change.readable]
    refused = [change for change in changes if not change.readable]
    crowds = changes if world.installs else refused
    for begin in range(0, len(crowds), CROWD):
        product.crowd(crowds[begin : begin + CROWD], [*OF_ALL, *OF_FUNCTIONS] if world.installs else whole)
        yield
    if world.installs:  # the rest is tried without the functions of install, which are slow
        for change in changes:
            if change.of.kind == "projection":
                product.alone(change, ["project_with"])
                yield
        return
    writing = [name for name in every if name not in READING]
    for turn, change in enumerate(random.Random(0).sample(taken + refused, len(changes))):
        names = every if change.readable else named
        if change.readable and not world.db.engine.transactional:
            names = [*(name for name in every if name in READING), writing[turn % len(writing)]]
        product.alone(change, names)
        yield


def drawn(changes: Sequence[Alteration], values: int, seed: int) -> list[Alteration]:
    """The alterations in an order of their own, with at most so many values for each part of a record."""
    met: Counter[tuple[Kept, str]] = Counter()
    found = []
    for change in random.Random(seed).sample(changes, len(changes)):
        met[change.of, change.field] += 1
        if met[change.of, change.field] <= values:
            found.append(change)
    return found


def main() -> int:
    """Try everything, or what the time allows."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--engine", choices=OBJECTS, required=True)
    asked.add_argument("--part", default="1/1", help="such as 1/8, of the alterations")
    asked.add_argument("--values", type=int, default=len(VALUES), help="for each part of a record")
    asked.add_argument("--minutes", type=float, default=10_000.0, help="for each of the two worlds")
    asked.add_argument("--seed", type=int, default=0)
    options = asked.parse_args()
    part, parts = map(int, options.part.split("/"))
    failed = 0
    for installs in (False, True) if options.engine in ("duckdb", "postgresql") else (False,):
        with tempfile.TemporaryDirectory() as folder:
            for db in opened(options.engine, Path(folder)):
                product = Product(World(db, installs))
                changes = drawn(product.world.all_alterations(), options.values, options.seed)
                begun, ended = time.monotonic(), True
                for _ in steps(product, changes[part - 1 :: parts]):
                    if time.monotonic() > begun + 60 * options.minutes:
                        ended = False
                        break
                failed += len(product.failed)
                print(
                    f"{options.engine}{', with the functions of install' if installs else ''}, "
                    f"{options.values} values, part {options.part}, {'whole' if ended else 'not ended'}: "
                    f"{product.tried:,} calls with altered records, "
                    f"{time.monotonic() - begun:,.0f} s, {dict(product.world.seen)}, {len(product.failed)} wrong",
                    flush=True,
                )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
