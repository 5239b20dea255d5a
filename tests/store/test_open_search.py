"""Opened searches say what `search` says, after everything that others do to the table, its source or its record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from cases import ARRAYS, DATABASES
from databases import Database, opened

import sqlrp
from sqlrp._engines.registry import ENGINES, connector_of
from sqlrp._store import opened_search
from sqlrp._store.table import Catalogue

N = 30
X = np.random.default_rng(5).normal(size=(N, 4)).round(3)
NEAR: list[tuple[dict[str, Any], Any]] = [
    ({"again": True, "candidates": N}, X[3:6] + 0.01),
    ({"again": False, "metric": "cosine"}, X[7] + 0.01),
]
"""Options, and the vectors of a query."""
OPENING = [name for name in DATABASES if ENGINES[name].answers_in_one]


@pytest.fixture
def db(name: str, tmp_path: Path) -> Iterator[Database]:
    yield from opened(name, tmp_path)


def _make(db: Database, seed: int = 1, output: Any = "columns") -> None:
    rp = sqlrp.SparseProjection(k=64, s=1, seed=seed)
    source = sqlrp.Wide("t", key="id", features=[f"f{j}" for j in range(X.shape[1])])
    sqlrp.materialize(rp, source, db.connection, "kept", output=output, replace=True)


def _said(call: Any, vector: Any) -> Any:
    """The rows, or the error in words."""
    try:
        rows = call(vector, n=4)
    except sqlrp.SqlrpError as error:
        return f"{type(error).__name__}: {error}"
    return rows.column_names, [[pytest.approx(v, rel=1e-9) for v in row.values()] for row in rows.to_pylist()]


def _asked_of_a_table(near: Any, db: Database) -> Any:
    """What an opened search and `search` find for the vectors of a table."""
    db.load("wide", X[:3].tolist(), table="asked")
    said = [call(vectors="asked", n=3) for call in (near, lambda **of: sqlrp.search(db.connection, "kept", **of))]
    return [(rows.column_names, rows.to_pylist()) for rows in said]


def _renaming(db: Database, old: str, new: str) -> str:
    return f"RENAME TABLE {old} TO {new}" if db.name == "clickhouse" else f"ALTER TABLE {old} RENAME TO {new}"


def _alter_record(db: Database) -> None:
    connector = connector_of(db.connection)
    with connector.session(db.connection) as session:
        catalogue = Catalogue.found(connector, session)
        changes = """definition = replace(definition, '"seed": 2', '"seed": 3')"""
        connector.execute(session, connector.dialect.updating(catalogue.table, changes, catalogue.at("materialized")))
    if db.name in ("mariadb", "mysql"):
        db.run("COMMIT")


@pytest.mark.parametrize("name", OPENING)
def test_an_opened_search_says_what_search_says(db: Database, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    db.load("wide", X.tolist())
    _make(db)
    each = [(sqlrp.open_search(db.connection, "kept", **options), options, vectors) for options, vectors in NEAR]

    def check(quick: bool, most: int = len(NEAR)) -> list[str]:
        said = []
        for near, options, vectors in each[:most]:
            plain = _said(lambda v, n, o=options: sqlrp.search(db.connection, "kept", v, n, **o), vectors)
            with monkeypatch.context() as patched:
                if quick:  # one statement, and nothing is read again
                    patched.setattr(opened_search, "search", None)
                    patched.setattr(opened_search.OpenedSearch, "_read", None)
                assert _said(near, vectors) == plain
            said.append(str(plain))
        return said

    first = check(quick=True)
    opened_one, plain_one = _asked_of_a_table(each[0][0], db)
    assert opened_one == plain_one
    assert len(plain_one[1]) == 9
    _make(db, seed=2)
    second = check(quick=False)
    assert check(quick=True) == second != first
    db.run(f"INSERT INTO t VALUES (99, {', '.join(map(str, X[7] + 0.02))})")
    assert sqlrp.refresh(db.connection, "kept") == 1
    assert check(quick=False) != second
    # Whether a search is still valid is found in one way for all options.
    db.run(_renaming(db, "t", "away"))
    assert "there is no source" in check(quick=False, most=1)[0]
    db.run(_renaming(db, "away", "t"))
    check(quick=False, most=1)
    db.run("ALTER TABLE t ADD COLUMN more INTEGER")
    check(quick=False, most=1)
    db.run(_renaming(db, "kept", "away"))
    ordered = "ENGINE = MergeTree ORDER BY tuple() " if name == "clickhouse" else ""
    db.run(f"CREATE TABLE kept {ordered}AS SELECT * FROM away")
    assert "is not the table that sqlrp made" in check(quick=False, most=1)[0]
    db.run("DROP TABLE kept")
    db.run(_renaming(db, "away", "kept"))
    check(quick=False, most=1)
    _alter_record(db)
    assert "changed in the catalogue" in check(quick=False, most=1)[0]
    db.run("DROP TABLE kept")
    check(quick=False, most=1)


OUTPUTS = [*((name, "bits") for name in OPENING), *((name, "array") for name in OPENING if name in ARRAYS)]


@pytest.mark.parametrize(("name", "output"), [*OUTPUTS, ("duckdb", "vector")])
def test_every_output_can_be_opened(db: Database, name: str, output: Any) -> None:
    db.load("wide", X.tolist())
    _make(db, output=output)
    near = sqlrp.open_search(db.connection, "kept", candidates=N)
    assert near(X[7], n=1).to_pylist() == [{"id": 7, "distance": pytest.approx(0, abs=1e-6)}]
    assert near(X[:3], n=1).column("id").to_pylist() == [0, 1, 2]
    assert near(X[:0]).num_rows == 0


@pytest.mark.parametrize("name", ["sqlite"])
def test_a_wrong_vector_or_table_is_refused_in_the_words_of_search(db: Database, name: str) -> None:
    db.load("wide", X.tolist())
    _make(db)
    near = sqlrp.open_search(db.connection, "kept", candidates=7)
    assert repr(near) == "OpenedSearch('kept', candidates=7, metric='l2', again=True)"
    for wrong in ([1.0], [np.nan] * 4, "text"):
        with pytest.raises(sqlrp.ParameterError, match="vector"):
            near(wrong)
    with pytest.raises(sqlrp.ParameterError, match=r"\bn\b.*0"):
        near(X[0], n=0)
    with pytest.raises(sqlrp.SourceError, match="was not made by"):
        sqlrp.open_search(db.connection, "nothing")
    with pytest.raises(sqlrp.ParameterError, match="metric"):
        sqlrp.open_search(db.connection, "kept", metric="l3")  # type: ignore[arg-type]


def test_what_cannot_be_proved_is_asked_before_each_query(tmp_path: Path) -> None:
    """A view is made anew by each query, and a file may change under its name."""
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT range AS id, range * 1.0 AS a, 0.0 AS b FROM range(9)")
    con.execute(f"COPY t TO '{tmp_path / 't.parquet'}'")
    for source, kind in ((str(tmp_path / "t.parquet"), "table"), ("t", "view")):
        sqlrp.materialize(sqlrp.SparseProjection(k=3, s=1), source, con, f"kept_{kind}", kind=kind)  # type: ignore[arg-type]
        near = sqlrp.open_search(con, f"kept_{kind}")
        assert near([4.0, 0.0], n=1).to_pylist() == [{"id": 4, "distance": 0.0}]
        con.execute(f"ALTER {kind} kept_{kind} RENAME TO away_{kind}")
        with pytest.raises(sqlrp.SourceError, match="was dropped"):
            near([4.0, 0.0], n=1)
