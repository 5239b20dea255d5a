"""Every command with bad inputs: one line, exit code 1 or 2, no traceback, no files left behind."""

from __future__ import annotations

import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.feather
import pytest
from click.testing import CliRunner, Result
from cover import factors, pairwise

from sqlrp._cli.app import cli

GARBAGE = bytes(range(128, 192)) + b"PAR1\x00\xff,\"\n'" * 40


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Images in every format, and files that are empty, garbage, cut, folders or loops of links."""
    made = tmp_path_factory.mktemp("inputs")
    with duckdb.connect(str(made / "good.duckdb"), config={"threads": "1"}) as con:
        con.execute("CREATE TABLE images AS SELECT range AS id, range % 7 AS p0, range % 11 AS p1 FROM range(60)")
        for ending in ("parquet", "csv", "jsonl"):
            form = " (FORMAT json)" if ending == "jsonl" else ""
            con.execute(f"COPY images TO '{made / 'good'}.{ending}'{form}")
        images = con.sql("FROM images").to_arrow_table()
    pa.feather.write_feather(images, str(made / "good.arrow"))
    for good in list(made.glob("good.*")):
        (made / f"empty{good.suffix}").write_bytes(b"")
        (made / f"garbage{good.suffix}").write_bytes(GARBAGE)
        (made / f"cut{good.suffix}").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
        (made / f"folder{good.suffix}").mkdir()
        (made / f"loop{good.suffix}").symlink_to(f"loop{good.suffix}")
    (made / "good.json").write_text("{}")
    (made / "dbt_project.yml").write_text("name: shop")
    (made / "words.csv").write_text("id,a\n1,x\n2,y\n")
    return made


@pytest.fixture
def folder(inputs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a copy of the inputs."""
    shutil.copytree(inputs, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SQLRP_DB", raising=False)
    return tmp_path


def error_of(stderr: str) -> str:
    """The one line of error; only the warning of a k that reduces no dimensions may stand before it."""
    lines = [line for line in stderr.splitlines() if not line.startswith("sqlrp: warning: -k ")]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("sqlrp: ")
    assert "sqlrp: unexpected" not in stderr
    return lines[0]


def check(result: Result, before: list[Path], folder: Path, codes: tuple[int, ...] = (1, 2)) -> None:
    assert result.exit_code in codes, result.output
    assert result.stdout == ""
    assert len(error_of(result.stderr)) < 1_000
    assert "Traceback" not in result.stderr
    assert "sqlrp: None" not in result.stderr
    assert sorted(folder.rglob("*")) == before


COMMANDS: dict[str, list[str]] = {
    "project": ["project", "SOURCE", "-o", "out.parquet"],
    "project to arrow": ["project", "SOURCE", "-o", "out.arrow"],
    "project to duckdb": ["project", "SOURCE", "-o", "out.duckdb::t"],
    "fit": ["fit", "SOURCE", "-o", "out.json", "-k", "2", "--n-iter", "2"],
    "diagnose": ["diagnose", "SOURCE", "--plot", "out.png"],
    "report": ["report", "SOURCE", "-o", "out.html"],
    "sql": ["sql", "SOURCE"],
    "explain": ["explain", "SOURCE"],
    "export": ["export", "SOURCE", "out"],
    "dbt": ["dbt", "SOURCE", ".", "--name", "rp", "--relation", "t"],
}
"""Every command that reads a source."""
ENDINGS = ("parquet", "csv", "jsonl", "arrow", "duckdb")
WHAT = ("missing", "none/missing", "empty", "garbage", "folder", "loop", "good.csv/x")
ODD = [
    "cut.parquet",
    "cut.arrow",
    "cut.duckdb::images",
    "good.duckdb::none",
    "good.duckdb::",
    "::t",
    "x" * 300 + ".csv",
]
ODD += ["words.csv", "", ".", "/", "http://127.0.0.1:1/x.parquet", "s3://none/x.parquet"]


def refused(folder: Path, command: str, source: str) -> None:
    """The command refuses the source in one line, and leaves no file."""
    before = sorted(folder.rglob("*"))
    check(CliRunner().invoke(cli, [word.replace("SOURCE", source) for word in COMMANDS[command]]), before, folder)


@pairwise(factors(command=list(COMMANDS), ending=ENDINGS, what=WHAT))
def test_a_bad_source_is_one_line(folder: Path, command: str, ending: str, what: str) -> None:
    refused(folder, command, f"{what}.{ending}{'::images' if ending == 'duckdb' else ''}")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_an_odd_source_is_one_line(folder: Path, command: str) -> None:
    for source in ODD:
        if source.startswith(("http", "s3")) and command != "project":
            continue  # DuckDB tries several times
        try:
            refused(folder, command, source)
        except AssertionError as error:
            raise AssertionError(f"{source}: {error}") from error


def test_ctrl_c_stays_one_where_a_driver_makes_another_error_of_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB raises a RuntimeError at Ctrl-C, such as while it lists the files of a folder."""

    def listing(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("sqlrp._engines.duckdb.connector.DuckDBConnector.asides", listing)
    result = CliRunner().invoke(cli, ["sql", "good.parquet"])
    assert (result.exit_code, result.stderr) == (130, "sqlrp: interrupted\n")


PLACES = ["folder.parquet", "none/out", "good.csv/out", "loop.parquet", "x" * 300, "\udcff"]
WRITERS: dict[str, tuple[list[str], str]] = {
    **{
        f"project{ending}": (["project", "good.parquet", "-o", "PLACE"], ending)
        for ending in (".parquet", ".csv", ".jsonl", ".arrow")
    },
    "project duckdb": (["project", "good.parquet", "-o", "PLACE::t"], ".duckdb"),
    "fit": (["fit", "good.parquet", "-o", "PLACE", "-k", "2", "--n-iter", "2"], ".json"),
    "plot": (["diagnose", "good.parquet", "--sample", "20", "--plot", "PLACE"], ".png"),
    "report": (["report", "good.parquet", "--sample", "20", "-o", "PLACE"], ".html"),
    "dbt": (["dbt", "good.duckdb::images", "PLACE", "--name", "rp"], ""),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_bad_place_is_one_line(folder: Path, name: str) -> None:
    command, ending = WRITERS[name]
    (folder / f"folder{ending}").mkdir(exist_ok=True)
    if ending and not (folder / f"loop{ending}").is_symlink():
        (folder / f"loop{ending}").symlink_to(f"loop{ending}")
    before = sorted(folder.rglob("*"))
    for place in [p.removesuffix(".parquet") for p in PLACES]:
        arguments = [word.replace("PLACE", place + ending) for word in command]
        try:
            check(CliRunner().invoke(cli, arguments), before, folder)
        except AssertionError as error:
            raise AssertionError(f"{arguments}: {error}") from error


OTHERS = [
    ["project", "good.parquet", "-o", "out.parquet", "--method", "none"],
    ["project", "good.parquet", "-o", "out.parquet", "-k", "x"],
    ["project", "good.parquet", "-o", "out.parquet", "-k", "1e3"],
    ["project", "good.parquet", "-o", "out.parquet", "-k", "9" * 400],
    ["project", "good.parquet", "-o", "out.parquet", "-k", "-1"],
    ["project", "good.parquet", "-o", "out.parquet", "-s", "nan"],
    ["project", "good.parquet", "-o", "out.parquet", "--seed", "-1"],
    ["project", "good.parquet", "-o", "out.parquet", "--seed", "9" * 400],
    ["project", "good.parquet", "-o", "out.parquet", "--key", "none"],
    ["project", "good.parquet", "-o", "out.parquet", "--keep", "none"],
    ["project", "good.parquet", "-o", "out.parquet", "--keep", 'a"b'],
    ["project", "good.parquet", "-o", "out.parquet", "--keep", "a\nb,c"],
    ["project", "good.parquet", "-o", "out.parquet", "--features", '"'],
    ["project", "good.parquet", "-o", "out.parquet", "--features", "id,id"],
    ["project", "good.parquet", "-o", "out.parquet", "--array-column", "p0"],
    ["project", "good.parquet", "-o", "out.parquet", "--long", "p0,none"],
    ["project", "good.parquet", "-o", "out.parquet", "--fitted", "missing.json"],
    ["project", "good.parquet", "-o", "out.parquet", "--fitted", "good.json"],
    ["project", "good.parquet", "-o", "out.parquet", "--fitted", "garbage.csv"],
    ["project", "good.parquet", "-o", "out.parquet", "--fitted", "empty.csv"],
    ["project", "good.parquet", "-o", "out.parquet", "--fitted", "folder.csv"],
    ["project", "good.parquet", "-o", "out.parquet", "--saved", "none"],
    ["project", "good.parquet", "-o", "out.parquet", "--memory-limit", "1"],
    ["project", "good.parquet", "-o", "out.parquet", "--threads", "0"],
    ["project", "good.parquet", "-o", "out.parquet", "--threads", "9" * 30],
    ["project", "good.duckdb::images", "-o", "good.duckdb::images"],
    ["project", "good.parquet", "-o", "garbage.duckdb::t"],
    ["project", "good.parquet", "-o", "good.duckdb::"],
    ["project", "good.parquet", "-o", "good.duckdb::a.b.c.d"],
    ["diagnose", "good.parquet", "--sample", "9" * 30],
    ["diagnose", "good.parquet", "--at", "60"],
    ["report", "good.parquet", "-o", "out.html", "--distortion", "nan"],
    ["fit", "good.parquet", "-o", "out.json", "--method", "rp"],
    ["fit", "good.duckdb::images", "--name", ""],
    ["list", "missing.duckdb"],
    ["list", "folder.duckdb"],
    ["list", "garbage.duckdb"],
    ["list", "garbage.csv"],
    ["list", ""],
    ["list"],
    ["install", "garbage.duckdb"],
    ["install", "sqlite:///good.csv"],
    ["refresh", "good.duckdb", "none"],
    ["refresh", "good.duckdb", ""],
    ["refresh", "garbage.duckdb", "t"],
    ["export", "good.parquet", "good.csv"],
    ["export", "good.parquet", "good.csv/x"],
    ["export", "good.parquet", "\0"[:0]],
    ["dbt", "good.duckdb::images", ".", "--name", "1 2"],
    ["dbt", "good.duckdb::images", ".", "--name", "rp", "--models", "good.csv"],
    ["dbt", "good.duckdb::images", ".", "--name", "rp", "--macros", "good.csv/x"],
    ["methods", "none"],
    ["completion", "none"],
    ["none"],
    ["--none"],
    *(
        [*words, url, *more]
        for url in ("postgresql://u@127.0.0.1:1/x", "mariadb://u@127.0.0.1:1/x", "sqlite:////none/x", "none://x", "://")
        for words, more in (
            (["list"], []),
            (["install"], []),
            (["refresh"], ["t"]),
            (["project", "--table", "t", "-o", "out.csv", "--db"], []),
            (["explain", "--table", "t", "--db"], []),
            (["fit", "--table", "t", "-o", "out.json", "--db"], []),
        )
    ),
]


@pytest.mark.parametrize("arguments", OTHERS, ids=lambda a: " ".join(a)[:70].encode("ascii", "replace").decode())
def test_a_bad_value_is_one_line(folder: Path, arguments: list[str]) -> None:
    before = sorted(folder.rglob("*"))
    check(CliRunner().invoke(cli, arguments), before, folder)
    with duckdb.connect("good.duckdb", read_only=True) as con:
        assert con.execute("SELECT count(*), sum(p0) FROM images").fetchall() == [(60, 174)]


FULL = [
    ["project", "large.parquet", "-o", f"out{ending}", "-k", "16"]
    for ending in (".parquet", ".csv", ".csv.gz", ".jsonl", ".arrow", ".duckdb::t")
] + [
    ["report", "good.parquet", "-o", "out.html", "--sample", "20"],
    ["diagnose", "good.parquet", "--plot", "out.png", "--sample", "20"],
    ["export", "good.parquet", "out", "-k", "2000"],
    ["dbt", "good.parquet", ".", "--name", "rp", "--relation", "t", "-k", "2000"],
]


@pytest.mark.parametrize("arguments", FULL, ids=lambda a: f"{a[0]} {a[3]}")
def test_a_file_that_grows_too_large_is_one_line(
    folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limit of a file's size stands for a full disk, which a test cannot fill."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # a module that is imported below the limit would be kept cut
    with duckdb.connect(config={"threads": "1"}) as con:
        columns = ", ".join(f"random() AS f{j}" for j in range(8))
        con.execute(f"COPY (SELECT range AS id, {columns} FROM range(4000)) TO 'large.parquet'")
    before = sorted(folder.rglob("*"))
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, allowed[1]))
    try:
        done = CliRunner().invoke(cli, arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert done.exit_code == 1, done.output
    assert error_of(done.stderr)
    assert sorted(folder.rglob("*")) == before


@pytest.mark.slow
def test_a_full_standard_output_is_one_line(folder: Path) -> None:
    for command in (["sql", "good.parquet"], ["methods"], ["sql", "good.parquet", "--json"], ["--help"]):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "sqlrp._cli", *command],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert (done.returncode, error_of(done.stderr)) == (1, "sqlrp: No space left on device")
