"""`sqlrp project` on a Parquet file of ten times its memory limit, as a person sees it; then killed half-way.

python tests/bench/cli_out_of_core.py [--gigabytes 3] [--features 500] [--k 64] [--memory-limit 300MB]

Bar: it completes, all rows there, its progress bar moves, and its peak memory is under the limit and 0.3 GB (Python
with DuckDB, Arrow and pandas takes 0.15 GB before anything runs). Ended at 50% by SIGINT or SIGTERM it leaves nothing;
by SIGKILL no output file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from common import markdown, verdict
from terminal import Terminal, settled

OVER = 0.3e9


def main() -> None:
    """Make the file, run, end it half-way by every signal, delete everything."""
    options = _options()
    folder = Path(tempfile.mkdtemp(prefix="sqlrp_cli_", dir=options.folder))
    try:
        made = _make(options, folder)
        print(
            f"{made['bytes'] / 1e9:.2f} GB of Parquet: {made['rows']:,} rows x {options.features} DOUBLE columns in "
            f"{made['row_groups']} row groups; --memory-limit {options.memory_limit}\n"
        )
        rows = [_whole(options, folder, int(made["rows"]))]
        rows += [_ended(options, folder, number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)]
        print(markdown(["run", "exit", "seconds", "peak GB", "bar drawn at", "left in the folder", "bar"], rows))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="sqlrp project on a file larger than its memory limit.")
    parser.add_argument("--gigabytes", type=float, default=3.0)
    parser.add_argument("--features", type=int, default=500)
    parser.add_argument("--k", type=int, default=64)
    parser.add_argument("--row-group", type=int, default=20_480, help="rows a row group of the input")
    parser.add_argument("--memory-limit", default="300MB")
    parser.add_argument("--folder", type=Path, default=None, help="where the files go; a temporary folder within")
    return parser.parse_args()


def _make(options: argparse.Namespace, folder: Path) -> dict[str, float]:
    """in.parquet, by a process of its own: see `out_of_core.py`."""
    command = [
        sys.executable,
        str(Path(__file__).with_name("out_of_core.py")),
        "--task",
        "make",
        "--folder",
        str(folder),
    ]
    for name in ("gigabytes", "features", "row_group"):
        command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    made: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return made


def _begin(options: argparse.Namespace, folder: Path) -> Terminal:
    limit = ["--memory-limit", options.memory_limit]
    return Terminal(["project", "in.parquet", "-o", "out.parquet", "-k", str(options.k), *limit, "--json"], folder)


def _whole(options: argparse.Namespace, folder: Path, rows: int) -> list[str]:
    begin = time.perf_counter()
    run = _begin(options, folder)
    code = run.follow()
    seconds = time.perf_counter() - begin
    assert run.process.stdout is not None
    wrote = json.loads(run.process.stdout.read())["rows"] if code == 0 else 0
    left = settled(folder)
    good = wrote == rows and len(run.percents) >= 10 and run.peak < _bytes(options.memory_limit) + OVER
    (folder / "out.parquet").unlink(missing_ok=True)
    return _row("whole", code, seconds, run, left, good and left == ["in.parquet", "out.parquet"])


def _ended(options: argparse.Namespace, folder: Path, number: signal.Signals) -> list[str]:
    begin = time.perf_counter()
    run = _begin(options, folder)
    going = run.follow(until=50) == -1
    run.process.send_signal(number)
    code = run.follow() if going else run.process.returncode
    left = settled(folder)
    whole = "out.parquet" not in left and (number == signal.SIGKILL or left == ["in.parquet"])
    for path in folder.glob(".sqlrp_*"):
        shutil.rmtree(path)
    return _row(number.name, code, time.perf_counter() - begin, run, left, going and code != 0 and whole)


def _row(name: str, code: int, seconds: float, run: Terminal, left: list[str], good: bool) -> list[str]:
    drawn = f"{len(run.percents)} percentages, {min(run.percents, default=0)} to {max(run.percents, default=0)}"
    return [name, str(code), f"{seconds:.1f}", f"{run.peak / 1e9:.2f}", drawn, " ".join(left), verdict(good)]


def _bytes(text: str) -> float:
    units = {"MB": 1e6, "GB": 1e9}
    return float(text[:-2]) * units[text[-2:]]


if __name__ == "__main__":
    main()
