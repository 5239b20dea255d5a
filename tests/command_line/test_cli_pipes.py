"""Pipes: rows that come and go through `-`, a reader that stops, Ctrl-C; words of options; doctor."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

import sqlrp
from sqlrp._cli.app import cli, command_named
from sqlrp._cli.remedies import as_options

pytestmark = pytest.mark.slow

SQLRP = f"{shlex.quote(sys.executable)} -m sqlrp"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a.csv: 3,000 rows of 10 features and a label, one feature of row 5 missing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    features = ", ".join(f"if(id = 5 AND {j} = 3, NULL, (id * {j + 3}) % 17) AS f{j}" for j in range(10))
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute(f"COPY (SELECT id, 'x,' || id AS label, {features} FROM range(3000) t(id)) TO 'a.csv'")
        for ending in ("parquet", "jsonl", "csv.gz"):
            form = " (FORMAT json)" if ending == "jsonl" else ""
            con.execute(f"COPY (FROM 'a.csv') TO 'a.{ending}'{form}")
        table = con.sql("FROM 'a.csv'").to_arrow_table()
    for name, form in (("a.arrow", pa.ipc.new_file), ("a.arrows", pa.ipc.new_stream)):
        with pa.OSFile(name, "wb") as sink, form(sink, table.schema) as writer:
            writer.write_table(table, 700)
    return tmp_path


def run(*arguments: str, given: bytes = b"", code: int = 0) -> Result:
    result = CliRunner().invoke(cli, arguments, input=given)
    assert result.exit_code == code, (result.stdout, result.stderr)
    return result


def shell(line: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-o", "pipefail", "-c", line.replace("sqlrp ", f"{SQLRP} ")]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, **options)


def wanted(k: int) -> pa.Table:
    with duckdb.connect(config={"threads": "1"}) as con:
        return sqlrp.project(sqlrp.SparseProjection(k=k, s=1), sqlrp.Wide("a.csv", keep=["label"]), con)


def assert_same(got: pa.Table, want: pa.Table) -> None:
    assert got.column_names == want.column_names
    got, want = got.sort_by("id"), want.sort_by("id")
    for name in want.column_names:
        if name.startswith("z"):
            np.testing.assert_allclose(
                np.array(got[name].to_pylist(), float), np.array(want[name].to_pylist(), float), rtol=1e-9
            )
        else:
            assert got[name].to_pylist() == want[name].to_pylist()


def test_a_shell_s_pipeline(folder: Path) -> None:
    done = shell("cat a.csv | sqlrp project - -k 8 -o - | head -3")
    assert (done.returncode, done.stderr) == (141, "")  # more rows than a pipe holds: `head` closed it
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    assert lines[0] == "id," + ",".join(f"z{j}" for j in range(8))


@pytest.mark.parametrize("given", ["csv", "csv.gz", "jsonl", "parquet", "arrow", "arrows"])
@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_every_format_comes_through_a_pipe(folder: Path, given: str, lowering: str) -> None:
    rows = Path(f"a.{given}").read_bytes()
    said = run(
        "project", "-", "-o", "z.parquet", "-k", "4", "-s", "1", "--keep", "label", "--lowering", lowering, given=rows
    )
    assert re.fullmatch(
        r"z.parquet: 3,000 rows of 10 features \(.*\), 1 of them NULL because of 'f3' \(1\), in [\d.]+ s\n", said.stdout
    )
    assert_same(pa.parquet.read_table("z.parquet"), wanted(4))


@pytest.mark.parametrize("to", [None, "csv", "tsv", "jsonl", "arrow", "parquet"])
@pytest.mark.parametrize("lowering", ["sql", "native"])
def test_every_format_goes_into_a_pipe(folder: Path, to: str | None, lowering: str) -> None:
    out = "-" if to else "/dev/stdout"
    given = ["project", "a.csv", "-o", out, "-k", "4", "-s", "1", "--keep", "label", "--lowering", lowering]
    said = run(*given, *([] if to is None else ["--to", to]))
    assert said.stderr.startswith(f"{out}: 3,000 rows of 10 features")
    assert said.stderr.count("\n") == 1
    rows = said.stdout_bytes
    if to == "arrow":
        got = pa.ipc.open_stream(rows).read_all()
    elif to == "parquet":
        got = pa.parquet.read_table(io.BytesIO(rows))
    else:
        Path(f"out.{to or 'csv'}").write_bytes(rows)
        got = duckdb.sql(f"FROM 'out.{to or 'csv'}'").to_arrow_table()
    assert_same(got, wanted(4))


def test_a_server_s_rows_go_into_a_pipe_and_what_is_appended_stays(folder: Path) -> None:
    with sqlrp.connect("sqlite:///shop.db").begin() as con:
        con.exec_driver_sql("CREATE TABLE t (id INTEGER, a INTEGER, b INTEGER)")
        con.exec_driver_sql("INSERT INTO t VALUES (1, 3, 4), (2, 5, 6)")
    Path("all.csv").write_text("before\n")
    assert shell("sqlrp project --db sqlite:///shop.db --table t -k 1 -s 1 -o - >> all.csv").returncode == 0
    assert shell("sqlrp project a.csv -k 1 -s 1 -o /dev/stdout --output array >> all.csv").returncode == 0
    lines = Path("all.csv").read_text().splitlines()
    assert lines[:2] == ["before", "id,z0"]
    assert len(lines) == 1 + 3 + 3001


def test_a_reader_that_stops_ends_the_command(folder: Path) -> None:
    """Nothing is said, the exit code is a shell's for a closed pipe, and no folder is left."""
    duckdb.sql("COPY (SELECT range AS id, range % 7 AS a, range % 5 AS b FROM range(150_000)) TO 'large.csv'")
    environment = os.environ | {"TMPDIR": str(folder)}
    for to in ("csv", "arrow", "parquet"):
        for source in ("large.csv", "-"):
            line = f"sqlrp project {source} -k 1 -s 1 -o - --to {to} < large.csv | head -c 10 > /dev/null"
            done = shell(line, env=environment)
            assert (done.returncode, done.stderr) == (141, ""), (to, source)
    assert shell("sqlrp sql a.csv -k 500 -s 1 2> warned | head -c 10; true").stderr == ""
    assert not list(folder.glob("sqlrp_*"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_command_that_waits_for_its_pipe(folder: Path, number: signal.Signals) -> None:
    environment = os.environ | {"TMPDIR": str(folder)}
    command = [sys.executable, "-m", "sqlrp", "project", "-", "-o", "z.parquet"]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert running.stdin is not None
    running.stdin.write(b"id,a,b\n1,2,3\n")
    running.stdin.flush()
    while not list(folder.glob("sqlrp_*/rows.csv")):
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(number)
    assert running.wait(30) == 128 + number
    assert running.stderr is not None
    assert running.stderr.read() == (b"sqlrp: interrupted\n" if number == signal.SIGINT else b"")
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in folder.glob("a.*"))


@pytest.mark.parametrize("command", ["diagnose", "explain", "fit", "report"])
def test_other_commands_read_a_pipe(folder: Path, command: str) -> None:
    more = {"fit": ["--n-iter", "2", "-o", "t.json"], "report": ["-o", "t.html"]}.get(command, [])
    said = run(command, "-", "-k", "2", *more, given=Path("a.parquet").read_bytes())
    assert said.stdout


@pytest.mark.parametrize(
    ("command", "read"),
    [
        (["fit", "whole.parquet", "-k", "2", "--method", "pca"], sqlrp.from_json),
        (["learn", "whole.parquet", "--target", "f0", "--ridge", "1,10", "--folds", "2"], sqlrp.model_from_json),
        (["choose", "whole.parquet", "--target", "f0", "--grid", "k=2,4"], sqlrp.model_from_json),
        (["kmeans", "whole.parquet", "--clusters", "2", "-k", "2"], sqlrp.model_from_json),
    ],
    ids=lambda given: given[0] if isinstance(given, list) else "",
)
def test_what_is_learnt_goes_into_a_pipe(folder: Path, command: list[str], read: Any) -> None:
    """The same text as in a file, with the summary beside it; and not together with another thing printed there."""
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute("COPY (FROM 'a.csv' WHERE id <> 5) TO 'whole.parquet'")
    run(*command, "-o", "kept.json")
    said = run(*command, "-o", "-")
    assert json.loads(said.stdout) == json.loads(Path("kept.json").read_text())
    assert read(said.stdout)
    assert said.stderr
    refused = run(*command, "-o", "-", "--json", code=2)
    assert "--json prints to the standard output, and so does -o -" in refused.stderr
    assert not Path("-").exists()


def test_a_report_goes_into_a_pipe(folder: Path) -> None:
    """The same page as in a file, with the summary beside it; not with --json, and no ending is taken for another."""
    command = ["report", "a.csv", "-k", "4", "--sample", "60"]
    in_file = run(*command, "-o", "page.html")
    piped = run(*command, "-o", "-")
    assert piped.stdout == Path("page.html").read_text(encoding="utf-8")
    assert piped.stderr == in_file.stdout.replace("page.html:", "-:")
    assert "--json prints to the standard output" in run(*command, "-o", "-", "--json", code=2).stderr
    assert "'page.txt' must end in one of .html, .htm, or be -" in run(*command, "-o", "page.txt", code=2).stderr
    assert sorted(p.name for p in folder.iterdir() if p.suffix in ("", ".txt", ".html")) == ["page.html"]


def test_what_a_pipe_cannot_do_is_one_line(folder: Path) -> None:
    rows = Path("a.csv").read_bytes()
    for arguments, given, words in (
        (["project", "-", "-o", "-"], b"", "nothing came through the pipe of SOURCE -"),
        (["project", "-", "-o", "-"], bytes(range(128, 256)) * 9, "SOURCE - cannot be read as csv"),
        (["project", "-", "-o", "-"], Path("a.arrows").read_bytes()[:900], "the Arrow rows of SOURCE - cannot be read"),
        (["project", "-", "-o", "x.duckdb::t"], rows, "a table remembers its source"),
        (["project", "-", "--into", "t"], rows, "a table remembers its source"),
        (["project", "-", "--table", "t", "-o", "-"], rows, "SOURCE '-' and --table 't' both name a table: give one"),
        (["project", "-", "-o", "z.csv", "--to", "csv"], rows, "the ending of a file says its format"),
        (["project", "a.csv", "-o", "x.duckdb::t", "--to", "csv"], b"", "leave it out with a table"),
        (["sql", "-"], rows, "SQL cannot read the pipe of SOURCE - again"),
        (["export", "-", "sql"], rows, "SQL cannot read the pipe of SOURCE - again"),
        (["project", "-", "-o", "-", "--key", "no"], rows, "key 'no' is not a column of \"-\""),
    ):
        result = CliRunner().invoke(cli, arguments, input=given)
        assert result.exit_code in (1, 2), arguments
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1, result.stderr
        assert words in result.stderr
    assert run("sql", "-", "--as", "t", "--dialect", "snowflake", "-k", "2", given=rows).stdout.startswith("SELECT")
    assert sorted(p.name for p in folder.iterdir()) == sorted(p.name for p in folder.glob("a.*"))


def test_errors_speak_of_options(folder: Path) -> None:
    with duckdb.connect("shop.duckdb") as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, range % 3 AS a, [1.0, 2, 3]::DOUBLE[3] AS e FROM range(9)")
        con.execute("CREATE TABLE u AS SELECT range AS id, range % 3 AS a, range % 5 AS b FROM range(9)")
    run("project", "shop.duckdb::u", "--into", "small", "-k", "1")
    for arguments, words in (
        (["shop.duckdb::t", "-o", "-"], "For the array: --array-column e. For the numeric columns: --features a"),
        (["shop.duckdb::u", "--into", "small", "-k", "1", "-s", "1"], "`sqlrp refresh` adds new rows, --replace makes"),
        (["a.csv", "-o", "-", "-k", "99999"], "-k 99999 makes 100000 columns"),
        (["a.csv", "-o", "-", "-k", "99999"], "use --output long"),
        (["a.csv", "-o", "-", "-k", "0"], "-k 0 must be a whole number >= 1"),
        (["a.csv", "-o", "-", "--nulls", "error"], "clean the row, or use --nulls zero"),
    ):
        told = CliRunner().invoke(cli, ["project", *arguments])
        assert told.exit_code in (1, 2)
        assert words in told.stderr
        assert "sqlrp: sqlrp:" not in told.stderr
        assert not re.search(r"\w = '|replace=|array_column|Array\(", told.stderr), told.stderr
    assert "is no command (did you mean 'project'?)" in run("prject", code=2).stderr
    assert "did you mean 'pk'?" in run("project", "a.csv", "-o", "-", "--method", "pkk", code=2).stderr
    assert "(did you mean 'mysql'?)" in run("list", "mysqll://x/y", code=2).stderr
    assert "its port is no number; write it as postgresql://" in run("list", "postgresql://u@h:nine/x", code=2).stderr
    for name in cli.list_commands(click.Context(cli)):
        assert run(name, "-h").stdout == run(name, "--help").stdout


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("use output = 'long' or 'auto'", "use --output long or 'auto'"),
        ("pass everything=True", "pass --everything"),
        ("save it again with replace=True", "save it again with --replace"),
        ("made by SparseProjection(k=3, s='sqrt', seed=0)", "made by SparseProjection(k=3, s='sqrt', seed=0)"),
        ("the number of features = 10", "the number of features = 10"),
        ("scale = False", "--no-scale"),
        ("features = ['a', 'b']", "--features a,b"),
        ("no such column [in: SELECT k = 3]", "no such column [in: SELECT k = 3]"),
        ("sqlrp.check with repair=True writes it", "`sqlrp check --repair` writes it"),
    ],
)
def test_a_remedy_as_options(said: str, meant: str) -> None:
    command = command_named("project")
    assert command is not None
    assert as_options(said, command) == meant


def test_doctor(folder: Path) -> None:
    with duckdb.connect("shop.duckdb"):
        pass
    found = json.loads(run("doctor", "shop.duckdb", "--json").stdout)
    assert {row["name"]: row["version"] for row in found["versions"]}["sqlrp"] == sqlrp.__version__
    assert {row["extra"]: row["state"] for row in found["extras"]}["report"] == "installed"
    assert {row["engine"]: row["state"] for row in found["engines"]}["duckdb"] == "answers"
    [asked] = found["databases"]
    assert asked["state"] == "answers"
    trip = re.search(r"; a round trip takes (\d+\.\d) ms$", asked["about"])
    assert trip is not None
    assert 0 <= float(trip[1]) < 60_000
    assert all(row["path"] for row in found["folders"])
    failed = run("doctor", "shop.duckdb", "postgresql://u:hunter2@127.0.0.1:1/x", "none.duckdb", code=1)
    assert "hunter2" not in failed.output
    first, *others = failed.stdout.splitlines()[:3]
    assert first.startswith("sqlrp works with shop.duckdb: duckdb ")
    assert all(line.startswith("sqlrp does not reach ") for line in others)
    assert run("doctor").stdout.startswith(f"sqlrp {sqlrp.__version__} works here with duckdb, sqlite; ")
    assert failed.stdout.count("\tdoes not answer\t") == 2
    assert "\nreport\tinstalled\tjinja2 " in failed.stdout
