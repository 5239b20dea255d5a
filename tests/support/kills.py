"""Kill processes in the middle of calls that write, and check the result: `python tests/support/kills.py --kills 500`.

Every kill is a SIGKILL of a separate process, at a random statement or at a random time. Afterwards the database is
compared with its state before and after a complete run; then the call is repeated.
The exit code is 1 if anything was lost or incomplete, or if the repeated call failed.
"""

from __future__ import annotations

import argparse
import os
import pickle
import random
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from complete_state import Whole, difference, facts, verdict
from databases import FAMILY
from faults import Watch, chosen, watched, watching
from terminal import readable
from writing_calls import CALLS, SQL, Call, Place, connected, place

import sqlrp._cli.app  # noqa: F401

for module in ("psycopg", "pymysql", "pandas", "pyarrow.dataset"):  # children are forked from what has imported all
    import_module(module)
for url in ("postgresql+psycopg://", "mariadb+pymysql://", "mysql+pymysql://", "sqlite://"):
    sa.create_engine(url)

COLUMNS = ("kills", "old", "new", "old+", "new+", "lost", "half", "again")
"""old+, new+: whole, with left-overs that no user sees and another try clears; again: other tries that failed."""


# -- processes that die ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Order:
    """What a process is to do before it dies: at a statement, or after some seconds of the call; else to its end."""

    call: int
    engine: str
    address: str
    folder: Path
    at: int | None = None
    seconds: float | None = None
    beside: int | None = None
    """another call that begins at the same time, and is not killed; DuckDB's is in the same process, so it is"""
    after: bool = False
    """whether it dies after the statement; else before it"""


@dataclass(frozen=True)
class Ended:
    """How a process ended: by the kill, or with the call done, its points and the seconds it took."""

    killed: bool
    points: tuple[str, ...] = ()
    seconds: float = 0.0
    error: str = ""
    other: Ended | None = None
    """how the other call ended, if it was not killed"""


class Nursery:
    """A process that has imported everything and opened nothing, which others are forked from."""

    def __init__(self) -> None:
        asks, self._ask = os.pipe()
        self._hear, tells = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(self._ask)
            with os.fdopen(asks, "rb") as orders, os.fdopen(tells, "wb") as ends:
                while True:
                    try:
                        order = pickle.load(orders)
                    except EOFError:
                        os._exit(0)
                    pickle.dump(_raise_one(order), ends)
                    ends.flush()
        os.close(asks)
        os.close(tells)
        self._orders, self._ends = os.fdopen(self._ask, "wb"), os.fdopen(self._hear, "rb")

    def run(self, order: Order) -> Ended:
        """Raise a process, and wait for its end."""
        pickle.dump(order, self._orders)
        self._orders.flush()
        found: Ended = pickle.load(self._ends)
        return found

    def close(self) -> None:
        """End the process."""
        self._orders.close()
        os.waitpid(self._process, 0)


def _raise_one(order: Order) -> Ended:
    """Fork, kill at the moment where one is given, and tell how it ended."""
    if order.beside is None or order.engine == "duckdb":
        return _raise(order)
    other = Order(order.beside, order.engine, order.address, order.folder)
    (waits, goes), (hear, tell) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        os.close(goes)
        os.close(hear)
        _child(other, tell, waits)
    os.close(waits)
    os.close(tell)
    with os.fdopen(hear, "rb") as said:
        said.read(1)  # it is connected
        ended = _raise(order, goes)
        os.close(goes)
        told = said.read()
    os.waitpid(child, 0)
    return replace(ended, other=pickle.loads(told) if told else Ended(False, error="the other process died"))


def _raise(order: Order, goes: int | None = None) -> Ended:
    """Fork one process; `goes`: where another one waits for its beginning."""
    hear, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(hear)
        _child(order, tell)
    os.close(tell)
    with os.fdopen(hear, "rb") as said:
        begun = said.read(1)
        if goes is not None:
            os.write(goes, b"!")
        if begun and order.seconds is not None and not readable(said.fileno(), order.seconds):
            os.kill(child, signal.SIGKILL)
        told = said.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return Ended(killed=True)
    return pickle.loads(told) if told else Ended(False, error=f"the process ended with {status} before it began")


def _child(order: Order, tell: int, waits: int | None = None) -> None:
    """Make the call, and tell of its end where it comes to one. `waits`: where it is told to begin."""
    os.setpgid(0, 0)
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    error, other = "", None
    watch = Watch("kill after" if order.after else "kill", -1 if order.at is None else order.at, order.folder)
    call = CALLS[order.call]
    begun = time.monotonic()
    try:
        given = None
        if not call.outside:
            given = watched(connected(order.engine, order.address), watch)
        with _thread(order, given) as others:
            os.write(tell, b"!")
            if waits is not None:
                os.read(waits, 1)
            begun = time.monotonic()
            with watching(watch):
                call.run(given, order.address, order.folder)
        other = others[0] if others else None
        seconds = time.monotonic() - begun
        if hasattr(given, "close"):
            given.close()
    except BaseException as raised:
        seconds, error = time.monotonic() - begun, repr(raised)[:500]
    os.write(tell, pickle.dumps(Ended(False, tuple(watch.points), seconds, error, other)))
    os._exit(0)


@contextmanager
def _thread(order: Order, given: Any) -> Iterator[list[Ended]]:
    """The other call in a thread of this process, where one process alone may have the file; how it ended."""
    ended: list[Ended] = []
    if order.beside is None or order.engine != "duckdb":
        yield ended
        return
    call, cursor = CALLS[order.beside], given._real.cursor()

    def run() -> None:
        error = ""
        try:
            call.run(cursor, order.address, order.folder)
        except BaseException as raised:
            error = repr(raised)[:500]
        ended.append(Ended(False, error=error))

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield ended
    finally:
        thread.join()
        cursor.close()


# -- what they leave -------------------------------------------------------------------------------------


@contextmanager
def prepared(call: Call, name: str) -> Iterator[Place]:
    """A place with what stands before the call."""
    folder = Path(tempfile.mkdtemp(prefix="sqlrp_kills_")) / "run1"
    folder.mkdir()
    try:
        with place(name, folder) as at:
            call.before(at.db, folder)
            yield at
    finally:
        shutil.rmtree(folder.parent)


def gone(at: Place) -> None:
    """Wait until the server has noticed that its client is no more."""
    db = at.db
    queries = {
        "postgresql": f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{db.schema}'",
        **dict.fromkeys(
            FAMILY,
            f"SELECT count(*) FROM information_schema.processlist WHERE db = '{db.schema}' AND id <> connection_id()",
        ),
    }
    until = time.monotonic() + 60
    while at.name in queries and db.run_query(queries[at.name]) != [(0,)]:
        if time.monotonic() > until:
            raise TimeoutError(f"{at.name} keeps the session of a process that was killed")
        time.sleep(0.005)


@dataclass
class Clean:
    """A whole run."""

    old: Whole
    new: Whole
    points: list[int]
    """where something may change, and the last one, after which all has"""
    seconds: float


def clean(nursery: Nursery, number: int, name: str) -> Clean:
    """What a run that nothing disturbs makes of what stood before."""
    call = CALLS[number]
    with prepared(call, name) as at:
        old, address = Whole.of(at.db, at.folder), at.address
        at.close()
        ended = nursery.run(Order(number, name, address, at.folder))
        at.open()
        if ended.killed or ended.error:
            raise RuntimeError(f"{call.name} on {name} fails without a kill: {ended}")
        points = {*chosen(list(ended.points), "error", every=False), len(ended.points) - 1}
        return Clean(old, Whole.of(at.db, at.folder), sorted(points), ended.seconds)


def kill(nursery: Nursery, number: int, name: str, whole: Clean, draw: random.Random) -> tuple[list[str], str]:
    """One kill: what it counts as, and what is to be said of it; nothing where the call was done before."""
    call = CALLS[number]
    with prepared(call, name) as at:
        address = at.address
        at.close()
        by_statement = draw.random() < 0.6
        point = draw.choice(whole.points) if by_statement else None
        seconds = None if by_statement else draw.uniform(0, whole.seconds)
        ended = nursery.run(Order(number, name, address, at.folder, point, seconds))
        at.open()
        if not ended.killed:
            # Done before the moment came; or it failed, as no call does that is let alone.
            return ["again"] * bool(ended.error), f"{call.name}, {name}: {ended.error}" if ended.error else ""
        gone(at)
        state = verdict(whole.old, whole.new, at.db, at.folder)
        where = f"{call.name}, {name}, at {f'statement {point}' if by_statement else f'{seconds:.4f} s'}"
        said = []
        if state not in ("old", "new"):
            base = whole.new if "new" in state else whole.old
            said.append(f"{where}: {state}: {difference(base.all, facts(at.db, at.folder))}")
        counted = ["kills", state]
        at.close()
        again = nursery.run(Order(number, name, address, at.folder))
        at.open()
        # The folder of a process that was killed stays, as it may be one that still runs; all else is cleared.
        now = {key: value for key, value in facts(at.db, at.folder).items() if not re.search(r"^file .*\.sqlrp_", key)}
        after = "new" if now == whole.new.all else verdict(whole.old, whole.new, at.db, at.folder)
        # What was done already may refuse to be done again; what was not must come now, and all left-overs go.
        if after != "new" or (again.error and "new" not in state):
            counted.append("again")
            said.append(f"{where}: {state}, another try leaves {after}: {again.error} {difference(whole.new.all, now)}")
        return counted, "\n".join(said)


def table(counts: dict[tuple[str, str], Counter[str]]) -> str:
    """A line a call and engine."""
    lines = [f"{'call':<28}{'engine':<12}" + "".join(f"{name:>7}" for name in COLUMNS)]
    total: Counter[str] = Counter()
    for (call, engine), counted in sorted(counts.items()):
        total += counted
        lines.append(f"{call:<28}{engine:<12}" + "".join(f"{counted[name]:>7}" for name in COLUMNS))
    lines.append(f"{'all':<40}" + "".join(f"{total[name]:>7}" for name in COLUMNS))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None, say: Callable[[str], None] = print) -> int:
    """Kill, tell, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="another one kills elsewhere")
    parser.add_argument("--engines", default=",".join(SQL))
    parser.add_argument("--calls", default="", help="names with ; between them [all]")
    asked = parser.parse_args(arguments)
    nursery = Nursery()  # before any connection is opened
    draw = random.Random(asked.seed)
    engines, calls = asked.engines.split(","), asked.calls.split(";") if asked.calls else None
    pairs = [
        (number, name)
        for number, call in enumerate(CALLS)
        for name in call.engines
        if name in engines and (calls is None or call.name in calls)
    ]
    whole: dict[tuple[int, str], Clean] = {}
    counts: dict[tuple[str, str], Counter[str]] = {}
    begun, done = time.monotonic(), 0
    while done < asked.kills:
        for number, name in pairs:
            if done == asked.kills:
                break
            if (number, name) not in whole:
                whole[number, name] = clean(nursery, number, name)
            counted, said = kill(nursery, number, name, whole[number, name], draw)
            counts.setdefault((CALLS[number].name, name), Counter()).update(counted)
            done += "kills" in counted
            if said:
                say(said[:1500])
    nursery.close()
    say(table(counts))
    bad = sum(counted[what] for counted in counts.values() for what in ("lost", "half", "again"))
    say(f"{done} kills in {time.monotonic() - begun:.0f} s; {bad} of them lost, left half or kept from another try")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
