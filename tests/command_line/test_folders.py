"""A folder of Parquet as the source of a command."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest
from click.testing import CliRunner, Result

import sqlrp
from sqlrp._cli.app import cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Two folders of a partitioned table, in a folder with a hostile name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    for year in (2024, 2025):
        part = Path(f"it's/year={year}")
        part.mkdir(parents=True)
        rows = f"SELECT {year} * 100 + i AS id, sin(i) AS a, cos(i) AS b, i * 1.0 AS c FROM range(5) r(i)"
        duckdb.sql(rows).write_parquet(str(part / "part.parquet"))
    return "it's"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


@pytest.mark.parametrize("end", ["", "/"])
def test_all_files_of_a_folder_are_read(folder: str, end: str) -> None:
    done = run("project", folder + end, "-k", "2", "--features", "a,b,c", "-o", "out.parquet")
    assert done.exit_code == 0, done.output
    found = duckdb.sql("FROM 'out.parquet' ORDER BY id").df()
    rows = duckdb.sql("SELECT id, a, b, c FROM 'it''s/**/*.parquet' ORDER BY id").df()
    want = sqlrp.project(sqlrp.SparseProjection(k=2, seed=0), rows)
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-12)
    assert len(found) == 10


def test_a_partition_column_is_told_of(folder: str) -> None:
    done = run("project", folder, "-k", "2", "-o", "out.csv")
    assert "'year'" in done.stderr
    assert "--keep year leaves it out" in done.stderr


def test_what_is_no_source_is_refused(folder: str) -> None:
    Path("none").mkdir()
    Path("a[b]").mkdir()
    (Path("a[b]") / "x.parquet").write_bytes(b"")
    for given, words in (
        (("none", "-o", "x.csv"), "the folder 'none' holds no file of Parquet (*.parquet)"),
        (("a[b]", "-o", "x.csv"), "holds a sign of a pattern"),
        ((folder, "-o", f"{folder}/year=2024/part.parquet"), "is read, and would be lost"),
    ):
        done = run("project", given[0], "-k", "2", *given[1:])
        assert done.exit_code in (1, 2)
        assert words in done.stderr
        assert not Path("x.csv").exists()
    with duckdb.connect("shop.duckdb") as con:  # a table with the name of a folder
        con.execute("CREATE TABLE none AS SELECT i AS id, i * 1.0 AS a, 1.0 AS b, 2.0 AS c FROM range(3) r(i)")
    done = run("project", "none", "--db", "shop.duckdb", "-k", "2", "-o", "x.csv")
    assert done.exit_code == 0, done.output
    assert len(Path("x.csv").read_text(encoding="utf-8").splitlines()) == 4
