"""Commands as processes: memory, a bar on a terminal, signals and pipes."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
from commands import read, shop
from terminal import Terminal, settled

import sqlrp

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with the shop's files."""
    return shop(tmp_path, monkeypatch)


ROWS = 400_000
SLOW = ["project", "in.parquet", "-o", "out.parquet", "--method", "pk", "-k", "64", "-t", "8", "--threads", "1"]
LIMIT = 8_000_000  # bytes: a tenth of the file


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of 80 MB."""
    folder = tmp_path_factory.mktemp("large")
    columns = ", ".join(f"hash(range + {j}) / 1e19 AS f{j}" for j in range(24))
    with duckdb.connect(config={"threads": "1"}) as con:
        con.execute(
            f"COPY (SELECT range AS id, {columns} FROM range({ROWS})) TO '{folder / 'in.parquet'}' "
            "(FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE 2048)"
        )
    assert (folder / "in.parquet").stat().st_size >= 9.5 * LIMIT
    return folder


def test_ten_times_the_memory_limit_with_a_moving_bar(large: Path) -> None:
    given = [
        "project",
        "in.parquet",
        "-o",
        "out.parquet",
        "-k",
        "16",
        "-s",
        "3",
        "--threads",
        "1",
        "--lowering",
        "indexed",
    ]
    running = Terminal([*given, "--memory-limit", f"{LIMIT}B"], large)
    assert running.follow() == 0, running.text
    assert len(running.percents) >= 3
    assert running.percents == sorted(running.percents)
    assert re.search(rf"\d+% [\d,]+ of {ROWS:,} rows", running.text)  # test_progress has the time that is left
    assert running.process.stdout is not None
    assert running.process.stdout.read().startswith(f"out.parquet: {ROWS:,} rows of ")
    assert settled(large) == ["in.parquet", "out.parquet"]
    got = read(large / "out.parquet").slice(ROWS - 10).to_pylist()
    (large / "out.parquet").unlink()
    with duckdb.connect() as con:
        last = con.sql(f"FROM '{large / 'in.parquet'}' WHERE id >= {ROWS - 10}").to_arrow_table()
    want = sqlrp.project(sqlrp.SparseProjection(k=16, s=3), last).to_pylist()
    for a, b in zip(got, want, strict=True):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_ended_half_way_it_leaves_no_output_file(large: Path, number: signal.Signals, code: int) -> None:
    (large / "out.parquet").unlink(missing_ok=True)
    running = Terminal(SLOW, large)
    assert running.follow(until=15) == -1, running.text
    running.process.send_signal(number)
    assert running.follow() == code
    left = settled(large)
    assert "out.parquet" not in left
    assert "Traceback" not in running.text
    if number == signal.SIGKILL:
        for path in large.glob(".sqlrp_*"):
            shutil.rmtree(path)
    else:
        assert left == ["in.parquet"]


def test_in_a_pipe_there_is_no_bar(folder: Path) -> None:
    command = [sys.executable, "-m", "sqlrp._cli", "project", "images.parquet", "-o", "small.parquet", "-k", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"FORCE_COLOR": "1"})
    assert done.stderr == ""
    assert re.fullmatch(
        r"small.parquet: 1,000 rows of \d+ features \(.*\); left out: text 'label'; none of them NULL, in \d+\.\d s\n",
        done.stdout,
    )
