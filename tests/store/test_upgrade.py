"""The catalogue of the first release is read and refreshed, with the same numbers as then; a newer one is refused.

The files are in tests/fixtures/catalogue-N; tests/support/make_catalogues.py says how they were made.
"""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlalchemy as sa
from cases import DATABASES as NAMES
from databases import Database, opened

import sqlrp
from sqlrp._store import stored
from sqlrp._store.materialize import materialized

pytestmark = pytest.mark.slow

FIXTURES = Path(__file__).parents[1] / "fixtures"
FORMATS = [1]

each = pytest.mark.parametrize(("name", "written"), [(name, written) for written in FORMATS for name in NAMES])


@contextmanager
def kept(name: str, written: int, folder: Path) -> Iterator[Database]:
    """The catalogue of that format, in a database of its own."""
    source = FIXTURES / f"catalogue-{written}"
    if name == "duckdb":
        shutil.copy(source / "duckdb.db", folder)
        with duckdb.connect(folder / "duckdb.db") as connection:
            yield Database(name, connection, "main")
        return
    if name == "sqlite":
        shutil.copy(source / "sqlite.db", folder)
        made = sa.create_engine(f"sqlite:///{folder / 'sqlite.db'}", isolation_level="AUTOCOMMIT")
        with made.connect() as connection:
            yield Database(name, connection, "main")
        made.dispose()
        return
    for db in opened(name, folder):
        for statement in (source / f"{name}.sql").read_text(encoding="utf-8").split(";\n"):
            if statement:
                db.run(statement)
        yield db


def expected(written: int) -> tuple[pd.DataFrame, dict[str, Any]]:
    found = json.loads((FIXTURES / f"catalogue-{written}" / "expected.json").read_text())
    x = np.array(found["x"])
    return pd.DataFrame({"id": range(len(x)), **{f"f{j}": x[:, j] for j in range(x.shape[1])}}), found["projections"]


def same_numbers(db: Database, written: int) -> None:
    """What is saved gives the numbers that it gave then."""
    _, wanted = expected(written)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sqlrp.saved(db.connection)
    assert found.keys() == wanted.keys()
    for name, projection in found.items():
        z = projected(projection, written)
        np.testing.assert_allclose(z, wanted[name]["z"], rtol=1e-9, atol=1e-12)
        assert projection.name == wanted[name]["name"]


@cache
def projected(projection: sqlrp.Projection, written: int) -> np.ndarray[Any, Any]:
    """The rows of that format, projected once by equal projections: all engines keep almost the same ones."""
    frame, _ = expected(written)
    z: Any = sqlrp.project(projection, frame, output="array")
    return np.array(list(z["z"]), dtype=float)


def test_the_newest_format_has_its_fixtures() -> None:
    assert list(range(1, stored.FORMAT + 1)) == FORMATS


@each
def test_a_catalogue_of_a_release_is_read_and_refreshed(name: str, written: int, tmp_path: Path) -> None:
    with kept(name, written, tmp_path) as db:
        same_numbers(db, written)
        _, wanted = expected(written)
        assert materialized(db.connection).keys() == {"made", "made_prepared"}
        assert [sqlrp.refresh(db.connection, into) for into in ("made", "made_prepared")] == [2, 2]
        rows = db.connector.fetch(db.connection, "SELECT * FROM made ORDER BY id").to_pandas()
        np.testing.assert_allclose(rows[["z0", "z1"]].to_numpy(float), wanted["polynomial"]["z"], rtol=1e-9)
        # The text that `project_with` runs in DuckDB may be of that release.
        assert {found.remedy for found in sqlrp.check(db.connection)} <= {"install again, as repair does"}
        sqlrp.check(db.connection, repair=True)
        assert sqlrp.check(db.connection) == []
        sqlrp.save(sqlrp.SparseProjection(k=5), db.connection, "later")
        numbers = db.connector.fetch(db.connection, "SELECT name FROM sqlrp_catalogue WHERE kind = 'format'")
        assert numbers.column(0).to_pylist() == [str(stored.FORMAT)]
        assert sqlrp.load(db.connection, "later") == sqlrp.SparseProjection(k=5)
        db.run("DELETE FROM sqlrp_catalogue WHERE name = 'later'")
        same_numbers(db, written)
        assert [sqlrp.refresh(db.connection, into, everything=True) for into in ("made", "made_prepared")] == [6, 6]


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_project_with_gives_what_it_gave(name: str, written: int, tmp_path: Path) -> None:
    with kept(name, written, tmp_path) as db:
        _, wanted = expected(written)
        every = ("sparse", "principal", "prepared standard", "sparse's \\ default")
        sqlrp.install(db.connection)
        for kept_as in every:
            output, key = (", output := 'array'", "id") if name == "duckdb" else ("", "CAST(key AS bigint)")
            query = f"SELECT z FROM project_with({db.engine.string(kept_as)}, 't'{output}) ORDER BY {key}"
            got = np.array([list(z) for (z,) in db.run_query(query)], dtype=float)
            np.testing.assert_allclose(got, wanted[kept_as]["z"], rtol=1e-9)


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_default_that_changes_changes_nothing_that_is_kept(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(name, stored.FORMAT, tmp_path) as db:
        want = sqlrp.TensorSketch(k=2, seed=3, degree=2)
        sqlrp.save(want, db.connection, "old")
        changed = sqlrp.TensorSketch.__init__.__defaults__
        assert changed is not None
        monkeypatch.setattr(sqlrp.TensorSketch.__init__, "__defaults__", (*changed[:-1], 7))
        assert sqlrp.TensorSketch(k=2, seed=3).degree == 7
        assert sqlrp.load(db.connection, "old") == want
        definition = '{"k": 2, "projection": "TensorSketch", "seed": 3}'
        db.run(f"UPDATE sqlrp_catalogue SET definition = '{definition}' WHERE name = 'old'")
        db.run(f"UPDATE sqlrp_catalogue SET fingerprint = '{stored.digest(definition)}' WHERE name = 'old'")
        with pytest.raises(sqlrp.SourceError, match="lacks degree"):  # a definition says all
            sqlrp.load(db.connection, "old")


@pytest.mark.parametrize("name", NAMES)
def test_a_newer_format_is_refused_by_every_call(name: str, tmp_path: Path) -> None:
    with kept(name, stored.FORMAT, tmp_path) as db:
        db.run(f"INSERT INTO sqlrp_catalogue VALUES ('format', '{stored.FORMAT + 1}', '', '', '9.0')")
        for call in (
            lambda: sqlrp.load(db.connection, "sparse"),
            lambda: sqlrp.saved(db.connection),
            lambda: sqlrp.save(sqlrp.SparseProjection(k=2), db.connection, "new"),
            lambda: materialized(db.connection),
            lambda: sqlrp.refresh(db.connection, "made"),
            lambda: sqlrp.materialize(sqlrp.SparseProjection(k=2), "t", db.connection, "other"),
            lambda: sqlrp.check(db.connection, repair=True),
        ):
            with pytest.raises(sqlrp.SourceError, match=f"format {stored.FORMAT + 1}.*install a newer one"):
                call()
