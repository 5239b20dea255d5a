"""`sqlrp drift`: what Python gives, for files, databases and a reference that is kept."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from commands import run

import sqlrp

MADE = """
CREATE TABLE before AS
SELECT id, sin(id * 1.7) AS x, cos(id * 2.3) AS "it's", sin(id * 0.77) AS w FROM range(600) t(id);
CREATE TABLE later AS SELECT *, if(id < 300, 'mon', 'tue') AS day FROM before;
UPDATE later SET "it's" = x WHERE day = 'tue';
COPY before TO 'before.parquet'; COPY later TO 'later.parquet'; COPY before TO 'before.arrow' (FORMAT parquet);
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with duckdb.connect("shop.duckdb") as con:
        con.execute(MADE)
    return tmp_path


@pytest.mark.parametrize("test", ["hotelling", "mmd"])
def test_it_says_what_python_says(folder: Path, test: str) -> None:
    with duckdb.connect("shop.duckdb", read_only=True) as con:
        want = sqlrp.drift(None, "before", "later", con, by="day", test=test, k=8)  # type: ignore[call-overload]
    given = ["--by", "day", "--test", test, "-k", 8]
    kept = run("drift", "shop.duckdb::later", "--reference", "before", *given, "-o", "before.json")
    assert kept.stdout == f"{want}\n"
    assert want.drifted == ("tue",)
    assert run("drift", "later.parquet", "--reference", "before.parquet", *given).stdout == kept.stdout
    again = run("drift", "later.parquet", "--reference", "before.json", "--by", "day", "--sql", "--json").stdout
    found = json.loads(again)
    assert [row["group"] for row in found["groups"] if row["drifted"]] == ["tue"]
    rows = duckdb.sql(found["sql"]).fetchall()
    assert {row[0] for row in rows if row[-1]} == {"tue"}
    whole = run("drift", "later.parquet", "--reference", "before.json", "-o", "-")
    assert sqlrp.drift_from_json(whole.stdout).test == test
    assert "600 rows against 600" in whole.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["later.parquet"], 2, "Missing option '--reference'"),
        (["later.parquet", "--reference", "shop.duckdb::before"], 2, "is of another kind than SOURCE"),
        (["later.parquet", "--reference", "before.arrow"], 2, "is of another kind than SOURCE"),
        (["later.parquet", "--reference", "none.json"], 1, "none.json: No such file or directory"),
        (["later.parquet", "--reference", "bad.json"], 2, "cannot be read as a Drift"),
        (["later.parquet", "--reference", "bytes.json"], 1, "is no text"),
        (["later.parquet", "--reference", "before.parquet", "-o", "before.parquet"], 2, "is read, and would be lost"),
        (["later.parquet", "--reference", "before.parquet", "-o", "-", "--json"], 2, "so does -o -"),
        (["later.csv", "--reference", "before.csv", "--decimal", ","], 2, "are for SOURCE alone"),
        (["shop.duckdb::later", "--reference", "before", "--by", "dya"], 1, "did you mean 'day'?"),
        (["shop.duckdb::later", "--reference", "before", "--alpha", "2"], 2, "--alpha 2.0 must be above 0"),
    ],
)
def test_what_is_refused(folder: Path, arguments: list[str], code: int, said: str) -> None:
    Path("bad.json").write_text("{}")
    Path("bytes.json").write_bytes(b"\xff\xfe\x00")
    Path("later.csv").write_text("id,a\n1,2\n")
    done = run("drift", *arguments, code=code)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
