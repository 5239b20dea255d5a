"""Random arguments of the command line: an exit code and a line of error, no traceback, and no input changed.

`SQLRP_EXAMPLES=1000 pytest tests/command_line/test_cli_random.py` draws so many new ones.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sqlrp._cli.app import cli

pytestmark = pytest.mark.slow

NAMES = (
    "in",
    "a b",
    "it's",
    'say "x"',
    "-k",
    "--help",
    "ż\u202eó",
    "a::b",
    "%s{n}",
    "x;DROP TABLE t",
    "[a]*",
    "a\nb",
    "$HOME",
)
"""Names of files that exist."""
ENDINGS = (".parquet", ".csv", ".arrow", ".duckdb::t", ".duckdb", "")
HOSTILE = st.one_of(
    st.sampled_from(
        ("", "0", "-1", "1e9", "nan", "9" * 30, "id", "a", "none", ",", "id,id", '"', "''", "../in", "\u0000"[:0])
    ),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6),
)
OPTIONS = {
    **dict.fromkeys(("-k", "--degree", "-t", "-p", "--m"), st.one_of(st.integers(-1, 5).map(str), HOSTILE)),
    **dict.fromkeys(
        ("-s", "--seed", "--threads", "--memory-limit", "--sample", "--at"), st.one_of(st.sampled_from("123"), HOSTILE)
    ),
    **dict.fromkeys(("--key", "--keep", "--features", "--array-column", "--long", "--saved", "--table"), HOSTILE),
    "--method": st.one_of(st.sampled_from(("rp", "pk", "cw", "rm", "ts", "fht", "rs", "ep", "gaussian")), HOSTILE),
    "--output": st.one_of(st.sampled_from(("columns", "array", "long", "bits")), HOSTILE),
    "--nulls": st.one_of(st.sampled_from(("propagate", "zero", "error")), HOSTILE),
    **dict.fromkeys(("--json", "--no-key", "--replace", "--no-scale"), st.none()),
}
PLACES = st.one_of(
    st.tuples(st.sampled_from((*NAMES, "new", "none/x")), st.sampled_from((*ENDINGS, ".json", ".html"))).map("".join),
    HOSTILE,
)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table under each name."""
    made = tmp_path_factory.mktemp("inputs")
    with duckdb.connect(str(made / "in.duckdb"), config={"threads": "1"}) as con:
        con.execute("CREATE TABLE t AS SELECT range AS id, range % 7 AS a, nullif(range % 5, 4) AS b FROM range(20)")
        for ending in ("parquet", "csv"):
            con.execute(f"COPY t TO '{made}/in.{ending}'")
        con.execute(f"COPY t TO '{made}/in.arrow' (FORMAT parquet)")
    for name in NAMES[1:]:
        for ending in (".parquet", ".csv", *([".duckdb"] if name == "it's" else [])):
            shutil.copy(made / f"in{ending}", made / f"{name}{ending}")
    return made


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The current folder may be changed."""
    monkeypatch.delenv("SQLRP_DB", raising=False)
    before = Path.cwd()
    yield
    os.chdir(before)


def content(folder: Path) -> dict[str, object]:
    """What stands in each input; of a database its tables, as a call may add one."""
    found: dict[str, object] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".duckdb":
            with duckdb.connect(str(path), read_only=True) as con:
                found[path.name] = con.execute("FROM t ORDER BY id").fetchall()
        elif path.is_file():
            found[path.name] = path.read_bytes()
    return found


@settings(
    max_examples=int(os.environ.get("SQLRP_EXAMPLES", "40")),
    deadline=None,
    derandomize="SQLRP_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(
    st.sampled_from(
        ("project", "sql", "explain", "diagnose", "report", "fit", "export", "dbt", "list", "install", "refresh")
    ),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(ENDINGS)).map("".join) | HOSTILE,
    PLACES,
    st.booleans(),
    st.lists(
        st.sampled_from(sorted(OPTIONS)).flatmap(lambda name: st.tuples(st.just(name), OPTIONS[name])), max_size=4
    ),
)
def test_random_arguments(
    inputs: Path, away: None, command: str, source: str, place: str, named: bool, options: list[tuple[str, str | None]]
) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "here"
        shutil.copytree(inputs, folder)
        os.chdir(folder)
        before = content(folder)
        given_ = [command, source if not source.startswith("-") else f"./{source}"]
        given_ += ["-o", place] if named else [place] if command in ("export", "dbt") else []
        for name, value in options:
            given_ += [name] if value is None else [name, value]
        result = CliRunner().invoke(cli, given_)
        assert result.exception is None or isinstance(result.exception, SystemExit), given_
        assert result.exit_code in (0, 1, 2), given_
        assert "Traceback" not in result.output, given_
        assert "sqlrp: unexpected" not in result.stderr, given_
        assert result.exit_code == 0 or "sqlrp: " in result.stderr or "Usage" in result.output, given_
        after = content(folder)
        # As documented, a file that is named as the result, and is no input, is replaced.
        mine = {place} - {source} if named and not result.exit_code else set()
        assert {name: after.get(name) for name in before if name not in mine} == {
            name: found for name, found in before.items() if name not in mine
        }, given_
        if result.exit_code:
            assert after.keys() == before.keys(), given_
        os.chdir("/")
