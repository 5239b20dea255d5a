"""The benchmark: every case beside what a user would do instead, the plain copy, and what the engine has itself.

python tests/bench/run.py [--only NAME ...] [--engine spark] [--quick] [--rounds 5] [--folder PATH] [--list] [--report]

Each case runs in a process of its own, so that memory is its own and a failure ends nothing else. After every case
its figures are merged into results/bench.json, and bench.md and the pictures are made anew from that; so a run that
is cut off loses nothing. Data sets are made once, in a temporary folder within --folder, and removed in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import calls
import dense
import extension
import fetching
import memory
import methods
import report
import servers
import spark_bars
import starting
from case import SCALES, Case, Place, run_case

CASES: dict[str, Case] = {
    case.name: case
    for case in (
        *(*dense.CASES, *calls.CASES, *extension.CASES, *starting.CASES),
        *(*memory.CASES, *methods.CASES, *servers.CASES, *fetching.CASES, *spark_bars.CASES),
    )
}
RESULTS = Path(__file__).with_name("results")
PACKAGES = ("duckdb", "numpy", "scipy", "scikit-learn", "pyarrow", "chdb", "pyspark")


def main() -> None:
    """Measure the chosen cases, and report."""
    options = _options()
    if options.case:
        result = run_case(CASES[options.case], Place(options.folder, options.scale), options.rounds, _say)
        options.out.write_text(json.dumps(result))
        return
    if options.list:
        print("\n".join(f"{case.name:<38}{case.title}" for case in CASES.values()))
        return
    if not options.report:
        measure(options)
    found = _read(options.results)
    report.write(CASES, found, options.results)
    print(report.headline(CASES, found), report.speed(found), sep="\n\n")
    print(f"{options.results / 'bench.md'}, bench.json and pictures are written")


def measure(options: argparse.Namespace) -> None:
    """Every chosen case in its process, its result merged into the file."""
    options.results.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="sqlrp_bench_", dir=options.folder))
    try:
        for at, name in enumerate(options.only or CASES, 1):
            begin = time.perf_counter()
            result = child(name, folder, options)
            found = _read(options.results)
            found["machine"] = machine()
            found["cases"][name] = result
            kept = options.results / "bench.json.new"
            kept.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
            kept.rename(options.results / "bench.json")
            report.write(CASES, found, options.results)
            _say("")
            said = report.bars_of(CASES[name], result)
            lines = [f"    {row[0]}: {row[2]}, bar {row[1]}, {row[-1]}" for row in said]
            lines += [f"    FAILED {job}: {words}" for job, words in result.get("errors", {}).items()]
            count = len(options.only or CASES)
            print(f"[{at}/{count}] {name}: {time.perf_counter() - begin:.0f} s", *lines, sep="\n", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def child(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One case in a process of its own; where that dies, the result says so."""
    out = folder / f"{name}.json"
    command = [sys.executable, __file__, "--case", name, "--folder", str(folder), "--scale", options.scale]
    done = subprocess.run(
        [*command, "--rounds", str(options.rounds), "--out", str(out)], stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode == 0:
        found: dict[str, Any] = json.loads(out.read_text())
        return found
    words = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return {"title": CASES[name].title, "scale": options.scale, "seconds": {}, "facts": {}, "errors": {"all": words}}


def machine() -> dict[str, Any]:
    """Cores, memory and versions; nothing that tells one machine of a kind from another."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    versions = {"Python": ".".join(map(str, sys.version_info[:3])), **{name: version(name) for name in PACKAGES}}
    return {"cores": len(os.sched_getaffinity(0)), "memory_gb": round(memory / 1e9), "versions": versions}


def _read(results: Path) -> dict[str, Any]:
    path = results / "bench.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {"machine": {}, "cases": {}}
    return found


def _say(words: str) -> None:
    """The running line of progress, on a terminal."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns - 1
        print("\r\033[K" + words[:width], end="", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure sqlrp beside its alternatives.")
    parser.add_argument("--only", nargs="+", choices=CASES, metavar="NAME", help="these cases; --list names all")
    parser.add_argument("--engine", help="the cases whose names begin with it, such as spark")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, half the features: a look only")
    parser.add_argument("--rounds", type=int, default=5, help="counted rounds; long cases take fewer")
    parser.add_argument("--folder", type=Path, default=None, help="where data sets go: 30 GB for all cases")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the results go")
    parser.add_argument("--list", action="store_true", help="name the cases")
    parser.add_argument("--report", action="store_true", help="measure nothing: write the report of what is there")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--scale", choices=SCALES, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.scale = options.scale or ("quick" if options.quick else "full")
    if options.engine:
        options.only = [name for name in CASES if name.split("-")[0] == options.engine]
        if not options.only:
            parser.error(f"no case is named after {options.engine}: --list names all")
    return options


if __name__ == "__main__":
    main()
