"""Run a command in this process, read the file that it wrote, and make the shop that the examples are about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.feather
import pytest
import sqlalchemy as sa
from click.testing import CliRunner, Result
from databases import Database

from sqlrp._cli.app import cli


def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A test's current folder, with images in a Parquet file and in a DuckDB file, descriptors and words."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    with duckdb.connect("shop.duckdb", config={"threads": "1"}) as con:
        con.execute(
            "CREATE TABLE images AS SELECT id, if(id % 2 = 0, 'cat', 'dog') AS label, id % 7 AS p0, id % 11 AS p1, "
            "(id * 5) % 17 AS p2, id % 3 AS p3 FROM range(1, 1001) t(id)"
        )
        con.execute("COPY images TO 'images.parquet'")
        con.execute("COPY (SELECT id, [p0, p1, p2, p3]::DOUBLE[4] AS x FROM images) TO 'arrays.parquet'")
        con.execute(
            "COPY (SELECT id AS doc, unnest(['a', 'b' || id % 9]) AS word, unnest([id % 4 + 1, 2]) AS n FROM images) "
            "TO 'words.parquet'"
        )
    return tmp_path


def run(*arguments: str | Path, code: int = 0, **options: Any) -> Result:
    result = CliRunner().invoke(cli, [str(a) for a in arguments], **options)
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result


def read(path: str | Path) -> pa.Table:
    if str(path).endswith((".arrow", ".feather", ".ipc")):
        return pa.feather.read_table(path)
    with duckdb.connect(config={"threads": "1"}) as con:
        return con.sql(f"SELECT * FROM '{path}'").to_arrow_table()


def url_of(db: Database, password: str | None = None) -> str:
    pool = db.pool()
    url: sa.URL = pool.url if password is None else pool.url.set(password=password)
    pool.dispose()
    return url.render_as_string(hide_password=False)
