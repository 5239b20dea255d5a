"""No call writes over a file that it reads, under any name of that file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import click
import duckdb
import pyarrow as pa
import pyarrow.feather
import pytest
import sqlalchemy as sa
from click.testing import CliRunner

import sqlrp
from sqlrp import ParameterError, SourceError
from sqlrp._cli.app import cli
from sqlrp._cli.option_fields import OutputPath
from sqlrp.dbt import write as write_dbt

pytestmark = pytest.mark.slow

RP = sqlrp.SparseProjection(k=2, s=1)
READ = {"fitted", "reference", "source", "folder"}
"""The options that are paths and name no file to write: a folder must be new, or is a dbt project."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table in files of every kind, and a dbt project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    (tmp_path / "sub").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    with duckdb.connect("in.duckdb", config={"threads": "1"}) as con:
        con.execute(
            "CREATE TABLE t AS SELECT range AS id, range % 7 AS a, range % 5 AS b, range % 2 AS label FROM range(60)"
        )
        for ending in ("parquet", "csv", "tsv", "jsonl"):
            con.execute(
                f"COPY t TO 'in.{ending}' (FORMAT {'json' if ending == 'jsonl' else ending.replace('tsv', 'csv')})"
            )
        con.execute(f"CREATE VIEW v AS FROM '{tmp_path}/in.csv'")
        con.execute("CREATE MACRO of_file() AS TABLE FROM read_csv('in.c?v')")
        con.execute("CREATE VIEW w AS FROM of_file()")
        pa.feather.write_feather(con.sql("FROM t").to_arrow_table(), "in.arrow")
    (tmp_path / "fitted.json").write_text(RP.to_json())
    return tmp_path


def same(there: Path, read: dict[Path, bytes]) -> None:
    """Whether the files are as they were, and no other file was left."""
    assert {path: path.read_bytes() for path in there.rglob("*") if path.is_file()} == read


def refused(there: Path, *arguments: str) -> str:
    """The error of a command that would lose a file. No file may change."""
    read = {path: path.read_bytes() for path in there.rglob("*") if path.is_file()}
    result = CliRunner().invoke(cli, [str(each) for each in arguments])
    assert result.exit_code == 2, (arguments, result.output)
    assert len([line for line in result.stderr.splitlines() if not line.startswith("sqlrp: warning: ")]) == 1
    same(there, read)
    return result.stderr


SPELLINGS: dict[str, Callable[[str], str]] = {
    "the same name": lambda name: name,
    "a dot": lambda name: f"./{name}",
    "another folder": lambda name: f"sub/../{name}",
    "an absolute path": os.path.abspath,
    "a symbolic link": lambda name: _linked(os.symlink, name),
    "a hard link": lambda name: _linked(os.link, name),
}


def _linked(link: Callable[[str, str], None], name: str) -> str:
    made = f"linked{Path(name).suffix}"
    link(os.path.abspath(name), made)
    return made


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".tsv", ".jsonl", ".arrow"])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_project_keeps_its_source(folder: Path, spelling: str, ending: str) -> None:
    other = SPELLINGS[spelling](f"in{ending}")
    for source, out in ((f"in{ending}", other), (other, f"in{ending}")):
        said = refused(folder, "project", source, "-o", out, "-k", "2", "--keep", "label")
        assert "would be lost: name another file to write" in said


@pytest.mark.parametrize(
    "source", ["i*.csv", "**/in.csv", "file:{}/in.csv", "~/in.csv", "in.duckdb::v", "in.duckdb::w"]
)
def test_project_keeps_files_that_a_pattern_or_a_view_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    refused(folder, "project", source.format(folder), "-o", "in.csv", "-k", "2", "--keep", "label")


TOO = ["-k", "2"]
WRITERS: dict[str, tuple[str, list[str]]] = {
    "project": ("out.csv", ["project", "-o", "out.csv", *TOO]),
    "fit": ("out.json", ["fit", "-o", "out.json", "--n-iter", "2", *TOO]),
    "learn": ("out.json", ["learn", "-o", "out.json", *TOO]),
    "choose": ("out.json", ["choose", "-o", "out.json", "--grid", "k=2,3"]),
    "choose --plot": ("out.png", ["choose", "--plot", "out.png", "--grid", "k=2,3"]),
    "diagnose --plot": ("out.png", ["diagnose", "--plot", "out.png", "--sample", "20", *TOO]),
    "report": ("out.html", ["report", "-o", "out.html", "--sample", "20", *TOO]),
    "dbt model": ("models/m.sql", ["dbt", ".", "--name", "m", "--relation", "t", "--replace", *TOO]),
    "dbt for another engine": (
        "models/m.yml",
        ["dbt", ".", "--name", "m", "--relation", "t", "--replace", "--dialect", "snowflake", *TOO],
    ),
}


@pytest.mark.parametrize("source", ["in.csv", "in.duckdb::t"])
@pytest.mark.parametrize("writer", WRITERS)
def test_every_command_keeps_its_source(folder: Path, writer: str, source: str) -> None:
    out, (command, *others) = WRITERS[writer]
    for link in (os.link, os.symlink):
        link(folder / source.partition("::")[0], folder / out)
        refused(folder, command, source, *others)
        os.unlink(folder / out)
    assert CliRunner().invoke(cli, [command, source, *others]).exit_code == 0


def test_a_command_keeps_every_other_file_that_it_reads(folder: Path) -> None:
    refused(folder, "project", "in.csv", "--fitted", "fitted.json", "-o", _as("fitted.json", "f.csv"))
    refused(folder, "learn", "in.csv", "--labels", "in.parquet", "-o", "in.parquet", *TOO)
    refused(folder, "learn", "--db", "duckdb:///in.duckdb", "--table", "t", "-o", "in.duckdb", *TOO)
    con = sa.create_engine("sqlite:///in.sqlite")
    with con.begin() as session:
        session.execute(sa.text("CREATE TABLE t AS SELECT 1 AS id, 2 AS a, 3 AS label"))
    con.dispose()
    refused(folder, "fit", "--db", "sqlite:///in.sqlite", "--table", "t", "-o", "in.sqlite", *TOO)


def _as(name: str, other: str) -> str:
    os.link(name, other)
    return other


def test_two_files_to_write_are_two(folder: Path) -> None:
    arguments = ["choose", "in.csv", "--grid", "k=2,3", "-o", "out.png", "--plot"]
    for twin in ("out.png", "./out.png"):
        assert "are one file: name two files to write" in refused(folder, *arguments, twin)


def test_every_option_that_is_a_path_is_read_or_written() -> None:
    """An option that names a file to write must say so, as only those are compared with what is read."""
    assert isinstance(cli, click.Group)
    with click.Context(cli) as context:
        for command in filter(None, (cli.get_command(context, name) for name in cli.list_commands(context))):
            for each in command.params:
                if isinstance(each.type, click.Path) and not isinstance(each.type, OutputPath):
                    assert each.name in READ, f"{command.name} {each.name}"


def test_calls_from_python_keep_what_they_read(folder: Path) -> None:
    with duckdb.connect("in.duckdb", config={"threads": "1"}) as con:
        con.execute("CHECKPOINT")
        con.execute("CREATE TEMP VIEW again AS FROM read_csv('in.c*')")
        read = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        join = sqlrp.Wide("in.parquet")
        for source, path in (
            ("in.csv", "in.csv"),
            (join, "./in.parquet"),
            (sqlrp.Standardized(join), "in.parquet"),
            ("again", "in.csv"),
            ("v", "in.csv"),
            ("t", "in.duckdb"),
        ):
            with pytest.raises(ParameterError, match="would be lost: name another file to write"):
                sqlrp.report(RP, source, con, path, sample=20)
            os.link(path, "models/rp.sql")
            with pytest.raises(ParameterError, match="would be lost: name another file to write"):
                write_dbt(RP, source, con, ".", "rp", relation="t", replace=True)
            os.unlink("models/rp.sql")
        assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == read


def test_a_plot_is_written_completely_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect("in.duckdb", config={"threads": "1"}) as con:
        found = sqlrp.diagnose(RP, "t", con, sample=20)
    found.plot("out.png")
    before = (folder / "out.png").read_bytes()
    from sqlrp._quality import matplotlib_charts

    monkeypatch.setattr(matplotlib_charts.Figure, "savefig", lambda self, path, **more: _half(path))
    with pytest.raises(SourceError, match="half"):
        found.plot("out.png")
    assert (folder / "out.png").read_bytes() == before


def _half(path: Path) -> None:
    Path(path).write_bytes(b"half")
    raise OSError("half")
