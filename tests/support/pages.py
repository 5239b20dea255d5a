"""Run the blocks of a Markdown page in order, and compare their output with the page.

```python and ```sql blocks run, the latter on the DuckDB connection that the page calls `con`; ```psql blocks run in
psql, on the database of DATABASE_URL. A ```text block contains the output since the previous one. With
`SQLRP_UPDATE_README=1` the tests write these blocks instead of comparing them.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from databases import psql

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
UPDATING = bool(os.environ.get("SQLRP_UPDATE_README"))

_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def check(
    page: Path, folder: Path, names: dict[str, Any] | None = None, runs: Callable[[str], bool] = bool
) -> dict[str, Any]:
    """Run a page, and compare what it prints; its names afterwards.

    `runs` says of a heading whether the blocks below it run. The page runs in `folder`, where the files of the
    repository are found by links: as from a clone, which stays clean.
    """
    for entry in ROOT.iterdir():
        (folder / entry.name).symlink_to(entry)
    text = page.read_text(encoding="utf-8")
    names = {"__name__": "page"} if names is None else names
    wanted: list[str] = []
    got: list[str] = []
    printed = io.StringIO()

    def run(match: re.Match[str]) -> str:
        if not runs(re.findall(r"^#+ (.*)$", text[: match.start()], re.MULTILINE)[-1]):
            return match[0]
        if match["language"] == "text":
            wanted.append(match["body"])
            got.append("".join(line.rstrip() + "\n" for line in printed.getvalue().strip("\n").splitlines()))
            printed.seek(0)
            printed.truncate()
            return f"```text\n{got[-1]}```"
        with contextlib.redirect_stdout(printed):
            if match["language"] == "python":
                above = "\n" * text.count("\n", 0, match.start("body"))  # so that an error names the page's own line
                exec(compile(above + match["body"], page, "exec", dont_inherit=True), names)
            elif match["language"] == "sql":
                _run_sql(names["con"], match["body"])
            elif match["language"] == "psql":
                _run_psql(match["body"])
        return match[0]

    path = list(sys.path)  # a page may add a folder for the modules of its examples
    with contextlib.chdir(folder):
        updated = _BLOCK.sub(run, text)
    sys.path[:] = path
    if isinstance(names.get("con"), duckdb.DuckDBPyConnection):
        names["con"].close()
    assert not printed.getvalue(), f"{page.name} prints what no text block shows: {printed.getvalue()}"
    if UPDATING:
        page.write_text(updated, encoding="utf-8")
    else:
        assert [timeless(text) for text in got] == [timeless(text) for text in wanted]
    return names


def timeless(text: str) -> str:
    """A text with all times alike: they differ between two runs."""
    return re.sub(r"\b\d+\.\d+ (m?s)\b", r"0.1 \1", text)


def _run_sql(con: duckdb.DuckDBPyConnection, text: str) -> None:
    for statement in duckdb.extract_statements(text):
        if statement.type == duckdb.StatementType.SELECT:
            con.sql(statement).show()
        else:
            con.execute(statement)


def _run_psql(text: str) -> None:
    url = sa.make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql")
    command = [psql(), "-X", "-q", "-v", "ON_ERROR_STOP=1", url.render_as_string(hide_password=False)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"psql: {done.stderr}")
    print(done.stdout, end="")
