"""Every call that writes, with faults at its statements and its file operations: it leaves a complete state.

The state is that before or that after the call, with nothing left over. The connection keeps its transaction, every
error is one of sqlrp, and a repeated call succeeds. Each test reports everything that it finds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import databases
import pytest
from complete_state import Whole, carried, difference, facts, verdict, worse
from databases import macro_copy, server
from faults import PUTS_BACK, Kind, Watch, chosen, connection, watching
from taking_part import takes_part
from writing_calls import CALLS, SERVERS, Call, EndedError, Place, place

from sqlrp._core import shipped_files
from sqlrp._core.errors import SqlrpError

EVERY = os.environ.get("SQLRP_EVERY_FAULT") == "1"
"""Every point in the place of those where something may be left: minutes in the place of seconds."""
_FUNCTION = re.compile("^CREATE OR REPLACE MACRO ", re.MULTILINE)


FEWER = ("install again", "sqlrp install")
"""Calls that install the first functions of the file. `install` installs all, which takes a quarter of a second.
The file is one statement, and so one point, in either case."""


def first_functions(text: str, most: int = 40) -> str:
    """The part of a file with functions of DuckDB that makes the first ones, on which the others build."""
    return text[: [found.start() for found in _FUNCTION.finditer(text)][most]]


@dataclass
class Trial:
    """A call on an engine, made again and again with faults; what was found."""

    call: Call
    name: str
    folder: Path
    found: list[str] = field(default_factory=list)
    runs: int = 0

    def run(self) -> list[str]:
        """All kinds of faults that there are, at all points."""
        old, new, points = self.clean()
        kinds: list[Kind] = ["error", "interrupt", *(["lost"] if self.name in SERVERS else [])]  # type: ignore[list-item]
        for kind in kinds:
            waiting = chosen(points, kind, EVERY)
            while waiting:
                with self.place() as at:
                    self.call.before(at.db, at.folder)
                    while waiting and self.fault(at, old, new, kind, waiting.pop(0), points):
                        pass
                    self.again(at, new, kind)
        return self.found

    @contextmanager
    def place(self) -> Iterator[Place]:
        self.runs += 1
        folder = self.folder / f"run{self.runs}"
        folder.mkdir()
        with place(self.name, folder) as at:
            yield at

    def clean(self) -> tuple[Whole, Whole, list[str]]:
        """What stands before and after a run without a fault, and its points. No call forgets what is kept."""
        with self.place() as at:
            self.call.before(at.db, at.folder)
            old, watch = Whole.of(at.db, at.folder), Watch(folder=at.folder)
            raised = self.attempt(at, watch, "no fault")
            assert raised is None, raised
            new = Whole.of(at.db, at.folder)
        kept = {key for key in old.public if key.startswith(("saved ", "made "))}
        if not kept <= new.public.keys():
            self.found.append(f"no fault: forgotten is {kept - new.public.keys()}")
        return old, new, watch.points

    def attempt(self, at: Place, watch: Watch, where: str) -> BaseException | None:
        """The call under the watch; what it raised. Its connection carries the same afterwards."""
        with connection(at, self.call, watch) as given:
            before = carried(at.name, given) if given is not None else {}
            raised: BaseException | None = None
            with watching(watch):
                try:
                    self.call.run(given, at.address, at.folder)
                except (Exception, KeyboardInterrupt) as error:  # whatever is raised is looked at
                    raised = error
            after = carried(at.name, given) if given is not None else {}
            put_back = watch.struck and watch.kind == "error" and PUTS_BACK.match(watch.points[watch.at])
            if worse(before, after) and not put_back:
                self.found.append(f"{where}: the connection carries: {difference(before, after)}")
        return raised

    def fault(self, at: Place, old: Whole, new: Whole, kind: Kind, point: int, points: list[str]) -> bool:
        """One fault; whether all is as it was, so that the next may follow in the same place."""
        where = f"{kind} at {point} of {len(points)}, {' '.join(points[point].split())[:90]!r}"
        watch = Watch(kind, point, at.folder)
        raised = self.attempt(at, watch, where)
        state = verdict(old, new, at.db, at.folder)
        done = state == "new" or (state == "old" and old.all == new.all)  # the same where a call changes nothing
        if not watch.struck:
            if raised is not None or not done:  # else what an earlier try did was not to be done again
                self.found.append(f"{where}: not reached by another try: {state}, {raised!r}")
            return False
        # Where no transaction holds a table's making, a broken connection cannot clear it; another try does.
        cleared_later = (kind != "error" and not at.db.engine.transactional) or PUTS_BACK.match(points[point])
        if state not in ("old", "new") and not (cleared_later and state in ("old+", "new+")):
            base = new if "new" in state else old
            self.found.append(f"{where}: {state}: {difference(base.all, facts(at.db, at.folder))}")
        if raised is None and not done:
            self.found.append(f"{where}: no error was raised, and the state is {state}")
        ours = isinstance(raised, (SqlrpError, KeyboardInterrupt, EndedError)) and "unexpected " not in str(raised)
        if kind == "interrupt" and isinstance(raised, SqlrpError):
            self.found.append(f"{where}: Ctrl-C became {raised!r}")
        if raised is not None and not ours:
            self.found.append(f"{where}: raw {type(raised).__name__}: {str(raised).splitlines()[0]}")
        return state == "old"

    def again(self, at: Place, new: Whole, kind: Kind) -> None:
        """Another try after the last fault; where the call was done already it may refuse."""
        raised = self.attempt(at, Watch(folder=at.folder), f"another try after {kind}")
        now = facts(at.db, at.folder)
        if now != new.all:
            self.found.append(f"another try after {kind}: {raised!r}; {difference(new.all, now)}")


TRIALS = [(call, name) for call in CALLS for name in call.engines if takes_part(name)]
EACH = [
    pytest.param(call, name, id=f"{call.name}-{name}", marks=[pytest.mark.slow] if at % 3 else [])
    for at, (call, name) in enumerate(TRIALS)
]


@pytest.mark.parametrize(("call", "name"), EACH)
def test_a_fault_leaves_all_as_before_or_as_after(
    call: Call, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name in SERVERS:
        server(name)
    if name == "duckdb" and call.name in FEWER and not EVERY:
        text = first_functions(shipped_files.text_of("duckdb.sql"))
        monkeypatch.setattr(shipped_files, "text_of", lambda name: text)
        monkeypatch.setattr(shipped_files, "COPIES", tmp_path)
        if call.name == "install again":  # the other call has no file to copy
            macro_copy(tmp_path, text)
        # The file with functions that other tests copy has all of them.
        monkeypatch.setattr(databases, "_installed", cache(databases._installed.__wrapped__))
    found = Trial(call, name, tmp_path).run()
    assert not found, "\n".join([f"{len(found)} findings", *(line[:700] for line in found)])
