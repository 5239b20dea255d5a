"""Project a Parquet file larger than memory: rows, seconds and peak memory of the process that does it.

python tests/bench/out_of_core.py [--gigabytes 4] [--features 500] [--k 64] [--memory-limit 1GB] [--each]

Bar: `SET memory_limit = '1GB'` keeps the process under 2 GB. With --each, every setting that bears on memory or
speed is measured, otherwise only DuckDB's defaults and preserve_insertion_order = false.

DuckDB's reader holds about twice a row group of the columns it reads for every thread, before any projection: 20,480
rows x 500 columns take 0.16 GB a thread, 122,880 (DuckDB's default when writing) take 1 GB and do not fit 1 GB, with
sqlrp or a plain SELECT. `--row-group 122880 --memory-limit 1.4GB --each` shows what holds then: threads = 1.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from common import markdown, peak_rss, verdict

BAR = 2e9

# Settings, then options of COPY.
DEFAULTS: tuple[list[str], str] = ([], "")
CASES: dict[str, tuple[list[str], str]] = {
    "defaults": DEFAULTS,
    "preserve_insertion_order = false": (["preserve_insertion_order = false"], ""),
    "native, into a table": (["native"], ""),
}
MORE: dict[str, tuple[list[str], str]] = {
    "threads = 1": (["threads = 1"], ""),
    "threads = 4": (["threads = 4"], ""),
    "disable_parquet_prefetching = true": (["disable_parquet_prefetching = true"], ""),
    "threads = 1, prefetching disabled": (["threads = 1", "disable_parquet_prefetching = true"], ""),
    "ROW_GROUP_SIZE 20000 of the output": ([], ", ROW_GROUP_SIZE 20000"),
}


def main() -> None:
    """Make the file, run every case in a process of its own, delete everything."""
    options = _options()
    if options.task:
        print(json.dumps(_make(options) if options.task == "make" else _project(options)))
        return
    folder = Path(tempfile.mkdtemp(prefix="sqlrp_out_of_core_", dir=options.folder))
    try:
        need = options.gigabytes * 1e9 * 1.6 + 2e9
        free = shutil.disk_usage(folder).free
        if free < need:
            sys.exit(f"{folder} has {free / 1e9:.1f} GB free, {need / 1e9:.1f} GB are needed: pass --folder")
        made = _child(options, folder, "make")
        if "error" in made:
            sys.exit(f"the file could not be made: {made['error']}")
        print(
            f"{made['bytes'] / 1e9:.2f} GB of Parquet: {made['rows']:,} rows x {options.features} DOUBLE columns in "
            f"{made['row_groups']} row groups, made in {made['seconds']:.0f} s\n"
        )
        rows = []
        every = {}
        for name, case in {**CASES, **(MORE if options.each else {})}.items():
            every[name] = got = _child(options, folder, "project", case)
            if "error" in got:
                rows.append([name, "-", "-", "-", f"{verdict(False)}: {got['error']}"])
                continue
            right = got["rows"] == made["rows"]
            if not right:
                every[name] = {"error": f"{got['rows']:,} rows came out, not {made['rows']:,}"}
            rows.append(
                [
                    name,
                    f"{got['rows']:,}" + ("" if right else " (WRONG)"),
                    f"{got['seconds']:.1f}",
                    f"{got['peak'] / 1e9:.2f}",
                    verdict(right and got["peak"] < BAR),
                ]
            )
        if options.json:
            print(json.dumps(every))
            return
        print(markdown(["settings", "rows", "seconds", "peak GB", f"bar: under {BAR / 1e9:.0f} GB"], rows))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Project a Parquet file larger than memory.")
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--features", type=int, default=500)
    parser.add_argument("--k", type=int, default=64)
    parser.add_argument("--row-group", type=int, default=20_480, help="rows a row group of the input")
    parser.add_argument("--memory-limit", default="1GB")
    parser.add_argument("--output", default="columns", choices=["columns", "array", "long"])
    parser.add_argument("--json", action="store_true", help="the figures as one line of JSON at the end")
    parser.add_argument("--each", action="store_true", help="measure every setting")
    parser.add_argument("--folder", type=Path, default=None, help="where the files go; a temporary folder within")
    parser.add_argument("--task", default="", help=argparse.SUPPRESS)
    parser.add_argument("--case", default=json.dumps(DEFAULTS), help=argparse.SUPPRESS)
    return parser.parse_args()


def _child(
    options: argparse.Namespace, folder: Path, task: str, case: tuple[list[str], str] = DEFAULTS
) -> dict[str, Any]:
    """One task in a process of its own. This process stays small: its peak is inherited by the child's."""
    command = [sys.executable, __file__, "--task", task, "--case", json.dumps(case), "--folder", str(folder)]
    for name in ("gigabytes", "features", "k", "row_group", "memory_limit", "output"):
        command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "Error" in line]
        return {"error": lines[-1] if lines else f"exit code {done.returncode}"}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _make(options: argparse.Namespace) -> dict[str, Any]:
    """id and random DOUBLE columns, written in a stream, uncompressed: random bits do not compress."""
    import duckdb

    begin = time.perf_counter()
    rows = int(options.gigabytes * 1e9 / (8 * (options.features + 1)))
    path = options.folder / "in.parquet"
    con = duckdb.connect()
    con.execute("SET preserve_insertion_order = false")
    columns = ", ".join(f"random() - 0.5 AS f{j}" for j in range(options.features))
    con.execute(
        f"COPY (SELECT range AS id, {columns} FROM range({rows})) TO '{path}' "
        f"(FORMAT parquet, COMPRESSION uncompressed, ROW_GROUP_SIZE {options.row_group})"
    )
    [(count, groups)] = con.execute(
        f"SELECT sum(num_rows)::BIGINT, sum(num_row_groups)::BIGINT FROM parquet_file_metadata('{path}')"
    ).fetchall()
    return {
        "rows": count,
        "row_groups": groups,
        "bytes": path.stat().st_size,
        "seconds": time.perf_counter() - begin,
    }


def _project(options: argparse.Namespace) -> dict[str, Any]:
    """What a user would do: COPY (the text of sqlrp.sql) TO a Parquet file."""
    import duckdb

    import sqlrp

    settings, copy_options = json.loads(options.case)
    source, target = options.folder / "in.parquet", options.folder / "out.parquet"
    native = "native" in settings
    settings = [setting for setting in settings if setting != "native"]
    con = duckdb.connect(str(options.folder / "made.duckdb") if native else ":memory:")
    con.execute(f"SET memory_limit = '{options.memory_limit}'")
    con.execute(f"SET temp_directory = '{options.folder / 'spill'}'")
    for setting in settings:
        con.execute(f"SET {setting}")
    begin = time.perf_counter()
    projection = sqlrp.SparseProjection(k=options.k, s="sqrt")
    if native:
        # No key, as to check keys is no part of projecting.
        rows, output = sqlrp.Wide(str(source), key=None, keep=["id"]), options.output
        count = sqlrp.materialize(projection, rows, con, "made", output=output, lowering="native")
        result = {"rows": count, "seconds": time.perf_counter() - begin, "peak": peak_rss()}
        con.close()
        (options.folder / "made.duckdb").unlink()
        return result
    text = sqlrp.sql(projection, sqlrp.Wide(str(source)), con, output=options.output)
    con.execute(f"COPY ({text}) TO '{target}' (FORMAT parquet{copy_options})")
    seconds = time.perf_counter() - begin
    peak = peak_rss()
    [(count,)] = con.execute(f"SELECT count(*) FROM '{target}'").fetchall()
    target.unlink()
    return {"rows": count, "seconds": seconds, "peak": peak}


if __name__ == "__main__":
    main()
