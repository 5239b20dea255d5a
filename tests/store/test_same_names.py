"""Two names are the same where the engine says so: names of columns, keys, tables, kept tables and searches."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cases import DATABASES
from databases import Database, opened

import sqlrp
from sqlrp import SourceError, SparseProjection, Wide
from sqlrp._core.errors import StatementError

PAIRS = [("name", "NAME"), ("é", "É"), ("é", "e\u0301"), ("é", "e"), ("a", "a "), ("ß", "ss"), ("i", "İ"), ("s", "ſ")]
"""Names that differ by case, accent, form of Unicode, trailing space, and by what Python folds and engines do not."""
ONE = SparseProjection(k=1, s=1, seed=3)
OTHER = SparseProjection(k=1, s=1, seed=4)


@pytest.fixture(params=DATABASES)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    yield from opened(request.param, tmp_path)


def made(db: Database, table: str, names: list[str], rows: list[list[int]]) -> str | None:
    """The table, or None if the engine takes no such names, or takes two of them for one."""
    try:
        return db.make(table, [(name, "BIGINT") for name in names], rows)
    except StatementError:
        return None


def projected(db: Database, source: Any) -> list[float]:
    """The sums, without their sign."""
    found = sqlrp.project(ONE, source, db.connection, scale=False)
    table = found if hasattr(found, "column") else found.to_arrow_table()
    return [abs(float(v)) for v in table.column("z0").to_pylist()]


def first_of(db: Database, table: str) -> Any:
    return abs(float(db.run_query(f"SELECT z0 FROM {db.engine.quote(table)}")[0][0]))


def test_columns_are_found_as_the_engine_finds_them(db: Database) -> None:
    for a, b in PAIRS:
        both = made(db, "both", ["id", a, b], [[1, 10, 20]])
        if both is not None:  # the engine tells them apart
            assert [projected(db, Wide(both, features=[name])) for name in (a, b)] == [[10], [20]], (a, b)
            assert projected(db, Wide(both, key=a, features=[b])) == [20]
        alone = made(db, "alone", ["id", a], [[1, 10]])
        if alone is not None and both is not None:
            for source in (Wide(alone, features=[b]), Wide(alone, key=b), Wide(alone, keep=[b])):
                with pytest.raises(SourceError, match="is not a column"):
                    sqlrp.project(ONE, source, db.connection)


def test_tables_and_what_is_kept_are_found_as_the_engine_finds_them(db: Database) -> None:
    # ClickHouse tells all names apart, and takes five times as long as another engine.
    for at, (a, b) in enumerate(PAIRS[::2] if db.name == "clickhouse" else PAIRS):
        first, second = (made(db, name, ["id", "x"], [[1, n]]) for name, n in ((a, 10), (b, 20)))
        if first is None or second is None or made(db, a, ["id", "x"], [[1, 10]]) is None:
            continue
        if first and projected(db, second) != [20]:  # the engine takes both for one table
            continue
        sqlrp.materialize(ONE, first, db.connection, into=f"one{at}", scale=False)
        sqlrp.materialize(ONE, second, db.connection, into=f"two{at}", scale=False)
        assert [first_of(db, f"{name}{at}") for name in ("one", "two")] == [10, 20], (a, b)
        for name in (a, b):
            db.run(f"DROP TABLE {db.engine.quote(name)}")
        source = made(db, "source", ["id", "x"], [[1, 10]])
        assert source is not None
        sqlrp.materialize(ONE, source, db.connection, into=f'"{a}"', scale=False)
        sqlrp.materialize(OTHER, source, db.connection, into=f'"{b}"', scale=False)
        for name in (a, b):
            sqlrp.refresh(db.connection, f'"{name}"')
        assert [first_of(db, name) for name in (a, b)] == [10, 10], (a, b)
        assert [sqlrp.search(db.connection, f'"{name}"', [10.0], n=1).num_rows for name in (a, b)] == [1, 1], (a, b)
        # The sources of the first two are gone, which is told.
        told = {found.name for found in sqlrp.check(db.connection)}
        assert told <= {f"{name}{i}" for name in ("one", "two") for i in range(at + 1)}, (a, b)


def test_saved_names_are_texts(db: Database) -> None:
    """They are the names of no object: every two texts are two names."""
    for a, b in PAIRS:
        sqlrp.save(ONE, db.connection, a)
        sqlrp.save(OTHER, db.connection, b)
        assert (sqlrp.load(db.connection, a).seed, sqlrp.load(db.connection, b).seed) == (3, 4), (a, b)


def test_functions_of_duckdb_find_columns_as_duckdb_does(tmp_path: Path) -> None:
    for db in opened("duckdb", tmp_path):
        db.install()
        for a, b in PAIRS[1:]:
            both = made(db, "both", ["id", a, b], [[1, 10, 20]])
            assert both is not None
            for feature, key, want in ((a, "id", 10), (b, "id", 20), (b, a, 20)):
                call = f"FROM rp_project('{both}', k := 1, key := '{key}', features := ['{feature}'], scale := false)"
                assert abs(db.run_query(call)[0][1]) == want


def test_nothing_else_compares_names() -> None:
    """Names are folded by `sqlrp._core.names` and `Dialect.same_name` alone."""
    root = Path(sqlrp.__file__).parent
    allowed = {
        "casefold": set[str](),
        r"lower\(\)": {  # words of types, paths, and texts that are no names
            *(f"_engines/{name}/dialect.py" for name in ("mariadb", "oracle", "redshift", "sqlserver")),
            *("_engines/duckdb/catalogue.py", "_engines/spark/connector.py"),
            *("_core/names.py", "_core/sources.py", "_projections/projection.py"),
            *(f"_cli/{name}.py" for name in ("measure_commands", "files", "databases", "learn_commands")),
            *("_store/functions.py", "_store/plans.py", "_run/frames/lazy.py"),
        },
        # names of built-in functions, and of our catalogue, are ASCII
        r"(?<![\w.])(?<!def )lower\(": {"_engines/clickhouse/catalogue.py"},
    }
    for word, paths in allowed.items():
        found = {str(p.relative_to(root)) for p in root.rglob("*.py") if re.search(word, p.read_text())}
        if word == "casefold":
            found -= {"_projections/checks.py", "_engines/registry.py"}  # names of methods and engines
        assert found == paths, word
    sql = root.parent / "sql" / "duckdb"
    others = {f"{name}.sql" for name in ("calls", "source", "text")}
    assert {p.name for p in sql.glob("*.sql") if re.search(r"\blower\(", p.read_text())} == others
