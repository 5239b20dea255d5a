"""Databases of other engines that are attached to DuckDB: they are read, and sqlrp keeps nothing in them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from databases import own_database, server
from other_duckdbs import EXTENDED, with_databases

pytestmark = pytest.mark.slow

SCRIPT = """
import json, sys, warnings
import duckdb, sqlrp
warnings.simplefilter("ignore")
load, attach = json.load(sys.stdin)
c, said = duckdb.connect(), {}
c.execute(f"LOAD '{load}'")
c.execute(attach)
values = "SELECT i AS id, sin(i) AS a, cos(i) AS b, i * 1.0 AS d FROM range(9) r(i)"
for table in ("memory.main.t", "other.t"):
    c.execute(f"CREATE TABLE {table} AS {values}")
bits, con = sqlrp.SparseProjection(k=8, s=1), c
calls = {
    "materialize": lambda: sqlrp.materialize(bits, "memory.t", c, "m"),
    "materialize there": lambda: sqlrp.materialize(bits, "other.t", c, "other.m", search="near"),
    "save": lambda: sqlrp.save(bits, c, "s"),
    "install": lambda: sqlrp.install(c),
    "uninstall": lambda: sqlrp.uninstall(c),
    "create_function": lambda: sqlrp.create_function(bits, c, "f", n_features=3),
    "refresh": lambda: sqlrp.refresh(c, "m"),
    "repair": lambda: sqlrp.check(c, repair=True),
    "drop_search": lambda: sqlrp.drop_search(c, "near"),
}
def refused(call):
    try:
        call()
    except sqlrp.UnsupportedError as error:
        return str(error)
    return ""
said["from memory"] = refused(calls["materialize there"])
c.execute("USE other")
for name, call in calls.items():
    said[name] = refused(call)
assert sqlrp.check(c) == [] and sqlrp.saved(c) == {}
def rows(source):
    return sqlrp.project(bits, source, c).sort_by("id")
there = rows("other.t")
c.execute("BEGIN")
assert rows("t").equals(there)
c.execute("ROLLBACK")
c.execute("USE memory")
assert sqlrp.materialize(bits, "other.t", c, "here", output="bits", search="near") == 9
c.execute("INSERT INTO other.t SELECT 9, 1.0, 2.0, 3.0")
assert sqlrp.refresh(c, "here").added == 1
assert c.execute("FROM near([1.0, 2.0, 3.0], n := 1)").fetchall()[0][0] == 9
schema = "SELECT schema_name FROM duckdb_tables() WHERE database_name = 'other' AND table_name = 't'"
names = c.execute(
    f"SELECT table_name FROM duckdb_tables() WHERE database_name = 'other' AND schema_name IN ({schema})"
).fetchall()
print(json.dumps([said, names]))
"""


@pytest.mark.parametrize("name", ["ducklake", "postgres"])
def test_a_database_of_another_engine_is_read_and_keeps_nothing(name: str, tmp_path: Path) -> None:
    folder = with_databases()
    [library] = folder.glob(f"duckdb_extension_{name}/extensions/v{EXTENDED}/{name}.duckdb_extension")
    # DuckDB looks for what the name of the file says, and PostgreSQL's has another one on PyPI.
    loaded = tmp_path / f"{'postgres_scanner' if name == 'postgres' else name}.duckdb_extension"
    shutil.copyfile(library, loaded)
    attach = f"ATTACH 'ducklake:{tmp_path}/meta.ducklake' AS other (DATA_PATH '{tmp_path}/data/')"
    if name == "postgres":
        url: sa.URL = own_database(server("postgresql"))
        plain = url.set(drivername="postgresql").render_as_string(hide_password=False)
        attach = f"ATTACH '{plain}' AS other (TYPE postgres)"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([str(loaded), attach]),
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(Path(__file__).parents[2])))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    said, names = json.loads(done.stdout)
    for call, words in said.items():
        assert f'the database "other" is of {name}, where sqlrp keeps nothing: USE a database of duckdb' in words, call
    assert names == [["t"]]
