"""CSV files as others write them: decimal commas, marks between digits, words for no value, and other encodings."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import sqlrp
from sqlrp._cli.app import cli

ROWS = pd.DataFrame(
    {"id": [1, 2, 3, 4], "a": [1234.5, None, 7.0, -0.25], "b": [2.5, 3.5, 1e6, 4.0], "c": [1.5, 2, 3, 4]}
)
ASKED = ["-k", "2", "--decimal", ",", "--thousands", ".", "--na", "n/a", "--na", "-", "--encoding", "latin-1"]
P = sqlrp.SparseProjection(k=2, seed=0)


@pytest.fixture
def messy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that a spreadsheet in Europe may have written, with a hostile name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    lines = ["id;a;b;c;größe", "1;1.234,5;2,5;1,5;é", "2;n/a;3,5;2;ü", "3;7;1.000.000;3;-", "4;-0,25;4;4;z"]
    name = "it's x.csv"
    Path(name).write_bytes("\n".join(lines).encode("latin-1") + b"\n")
    Path(name + ".gz").write_bytes(gzip.compress(Path(name).read_bytes()))
    return name


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


def rows_of(path: str) -> Any:
    return duckdb.sql(f"FROM '{path}' ORDER BY id").df()


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_messy_file_is_read_as_it_is_meant(messy: str, ending: str) -> None:
    done = run("project", messy + ending, *ASKED, "--keep", "größe", "-o", "out.parquet")
    assert done.exit_code == 0, done.output
    found = rows_of("out.parquet")
    want = sqlrp.project(P, ROWS).sort_values("id")
    np.testing.assert_allclose(found[["z0", "z1"]].astype(float), want[["z0", "z1"]].astype(float), rtol=1e-12)
    assert found["größe"].fillna("").tolist() == ["é", "ü", "", "z"]
    assert Path(messy + ending).stat().st_size > 0


def test_other_commands_take_the_same_options(messy: str) -> None:
    told = run("explain", messy, *ASKED, "--json")
    assert told.exit_code == 0, told.output
    kept = run("fit", messy, "--method", "pca", *ASKED, "--features", "b,c", "--sample", "4", "-o", "pca.json")
    assert kept.exit_code == 0, kept.output
    fitted = sqlrp.from_json(Path("pca.json").read_text(encoding="utf-8"))
    assert fitted == sqlrp.fit(sqlrp.PrincipalComponents(k=2, sample=4), ROWS[["id", "b", "c"]])


def test_what_cannot_be_is_refused_in_one_line(messy: str) -> None:
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS b")
    before = Path(messy).read_bytes()
    for given, words in (
        ((messy, *ASKED, "-o", "shop.duckdb::made"), "a table remembers its source"),
        (("shop.duckdb::t", *ASKED, "-o", "x.csv"), "are for a CSV file, and 'shop.duckdb::t' is none: leave them out"),
        (("-", *ASKED, "-o", "x.csv"), "are for a CSV file"),
        ((messy, "-k", "2", "--encoding", "klingon", "-o", "x.csv"), "cannot be read as CSV, --encoding klingon: "),
        ((messy, "-k", "2", "--decimal", ",,", "-o", "x.csv"), "cannot be read as CSV, decimal_separator = ',,': "),
        ((messy, *ASKED, "-o", messy), "is read, and would be lost"),
    ):
        done = run("project", *given)
        assert done.exit_code in (1, 2), given
        [line] = [each for each in done.stderr.splitlines() if "warning" not in each]
        assert words in line
        assert not Path("x.csv").exists()
        assert Path(messy).read_bytes() == before
    done = run("sql", messy, *ASKED)
    assert done.exit_code == 2
    assert "name the table in the other database by --dialect and --as" in done.stderr
    text = run("sql", messy, *ASKED, "--dialect", "postgresql", "--as", "shop.t")
    assert text.exit_code == 0, text.output
    assert 'FROM "shop"."t"' in text.stdout
