"""Random cases against exact formulas on every engine: `make fuzz SECONDS=600`, or `python tests/support/fuzz.py`.

Hypothesis draws the cases and shrinks failures. A shrunk case is written to `tests/fuzz_cases/` as JSON, and
`tests/contract/test_fuzz.py` runs it from then on. The targets:

- numbers: methods, parameters, layouts, types, NULLs, outputs and lowerings, compared with `formulas`;
- entries: tables that other packages made, by every door: frames, matrices, files, functions, transformers;
- names: tables, columns, values and saved projections with hostile names;
- catalogues: altered rows of the catalogue, which must give an error of sqlrp or a warning, never another projection;
- urls: malformed addresses of databases, whose password must never be printed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import os
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import sparks
from damaged_catalogues import ALTERATIONS, Catalogue
from databases import Database, opened
from fuzz_addresses import check_url, url_cases
from fuzz_entries import Doors, check_entry, entry_cases
from fuzz_numbers import ENGINES, Case, check_numbers, number_cases
from hostile import Tries, attacks, tables
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp import Projection
from sqlrp._core.errors import SqlrpError, StatementError

CASES = Path(__file__).parents[1] / "fuzz_cases"


# -- names -----------------------------------------------------------------------------------------------


def check_names(db: Database, case: Case, seen: Counter[str]) -> None:
    """Hostile names are projected with or refused, and the tables beside stay."""
    with suppress(SqlrpError):  # the first case makes what the others find
        db.run("CREATE TABLE canary AS SELECT 42 AS alive")
        db.run("CREATE TABLE base AS SELECT 1 AS id, 2 AS a")
        sqlrp.save(sqlrp.SparseProjection(k=2, s=1, seed=1), db.connection, "first")
        if db.engine.functions:
            sqlrp.install(db.connection)
    before, tries = tables(db), Tries(db, bool(db.engine.functions))
    tries.names(case["words"], case["values"])
    tries.words(case["words"][::2])
    tries.saved(case["kept"])
    assert tables(db) == before
    assert db.run_query("SELECT alive FROM canary") == [(42,)]
    seen["cases"] += len(tries.done)


# -- catalogues ------------------------------------------------------------------------------------------


def check_catalogue(catalogue: Catalogue, case: Case, seen: Counter[str]) -> None:
    """An altered row of the catalogue: `test_keeping` says what must hold."""
    catalogue.check(case)
    seen["cases"] += 1


# -- running ---------------------------------------------------------------------------------------------

Target = tuple[str, st.SearchStrategy[Case], Callable[[Case, Counter[str]], None]]


def targets(databases: dict[str, Database]) -> Iterator[Target]:
    """What is fuzzed, by name, with the strategy that draws its cases and what checks one."""
    for name, db in databases.items():
        yield f"numbers-{name}", number_cases(name), lambda case, seen, db=db: check_numbers(db, case, seen)
        if name == "spark":  # which has no catalogue
            continue
        filled = cache(lambda db=db: Catalogue(db))  # by the first case
        yield f"catalogues-{name}", ALTERATIONS, lambda case, seen, filled=filled: check_catalogue(filled(), case, seen)
        if name in ("duckdb", "postgresql", "sqlite"):
            yield f"names-{name}", attacks(), lambda case, seen, db=db: check_names(db, case, seen)
    yield "urls", url_cases(), check_url
    doors = cache(Doors)
    yield "entries", entry_cases(), lambda case, seen: check_entry(doors(), case, seen)


def attempt(target: Target, start: int, examples: int, seen: Counter[str]) -> Case | None:
    """The shrunk case of the first failure among so many examples; None where all is well."""
    _, strategy, check = target
    last: list[Case] = []

    @seed(start)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=False,
        report_multiple_bugs=False,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def run(case: Case) -> None:
        last[:] = [case]
        check(case, seen)

    try:
        run()
    except Exception as error:  # whatever fails is a finding; hypothesis ran its smallest example last
        print(f"{target[0]}: {type(error).__name__}: {str(error)[:2000]}", file=sys.stderr)
        return last[0]
    return None


def keep(name: str, case: Case) -> Path:
    """Write a case to where the tests find it."""
    text = json.dumps({"target": name, "case": case}, indent=1)
    path = CASES / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.json"
    CASES.mkdir(exist_ok=True)
    path.write_text(text + "\n")
    return path


def arrow_of(kind: str) -> pa.DataType:
    """The type that Arrow has for one of Spark's."""
    types = {"int": "int32", "tinyint": "int8", "bigint": "int64", "boolean": "bool_", "float": "float32"}
    return pa.decimal128(9, 2) if "(" in kind else getattr(pa, types.get(kind, "float64"))()


class SparkDatabase(Database):
    """Spark, whose tables are views of rows of this process."""

    def load(self, layout: str, rows: Any, kind: Any = None, table: str = "t", ids: Any = None, at: int = 0) -> Any:
        arrow = [arrow_of(one) for one in kind] if isinstance(kind, list) else arrow_of(kind)
        return sparks.load(self.connection, layout, rows, arrow, ids, table)

    def projected(self, projection: Projection, source: Any, output: str = "columns", **options: Any) -> Any:
        try:
            return sparks.projected(self.connection, projection, source, output, **options)
        except Exception as error:
            if isinstance(error, SqlrpError) or "sqlrp: " not in str(error):
                raise
            raise StatementError("", str(error)) from error  # the words of sqlrp, when the lazy rows are read


def opened_spark() -> Iterator[Database]:
    """A session of its own."""
    session = sparks.started("local[1]")
    with sparks.interpreting(session):
        yield SparkDatabase("spark", session, "default")
    session.stop()


@contextmanager
def all_databases(names: tuple[str, ...]) -> Iterator[dict[str, Database]]:
    """The engines, each with a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        running = {}
        for name in names:
            (Path(folder) / name).mkdir()
            running[name] = opened_spark() if name == "spark" else opened(name, Path(folder) / name)
        try:
            yield {name: next(generator) for name, generator in running.items()}
        finally:
            for generator in running.values():
                next(generator, None)


def main() -> int:
    """Fuzz every target in turns until the time is over; 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--only", nargs="*", default=None, help="targets whose names begin so")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; else by the clock")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=[*ENGINES, "spark"])
    asked = parser.parse_args()
    start = asked.seed if asked.seed is not None else int(time.time())
    seen: dict[str, Counter[str]] = {}
    spent: Counter[str] = Counter()
    failed: list[Path] = []
    over = time.monotonic() + asked.seconds
    os.environ.setdefault("SQLRP_REQUIRE_ENGINES", "1")
    warnings.simplefilter("ignore", sqlrp.SqlrpWarning)
    with all_databases(tuple(asked.engines)) as databases:
        wanted = [t for t in targets(databases) if asked.only is None or t[0].startswith(tuple(asked.only))]
        for turn in itertools.count():
            target = min(wanted, key=lambda t: spent[t[0]])  # equal time for each
            name, before = target[0], time.monotonic()
            found = attempt(target, start + turn, 20, seen.setdefault(name, Counter()))
            spent[name] += time.monotonic() - before  # type: ignore[assignment]
            if found is not None:
                failed.append(keep(name, found))
                print(f"{name}: kept as {failed[-1]}", file=sys.stderr)
                wanted = [t for t in wanted if t[0] != name]
            if time.monotonic() > over or not wanted:
                break
    print(f"seed {start}; {asked.seconds:.0f} s")
    for name, counts in sorted(seen.items()):
        print(f"  {name:20} {', '.join(f'{n:,} {what}' for what, n in counts.items())}; {spent[name]:.0f} s")
    print(f"{sum(c['cases'] for c in seen.values()):,} cases held, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
