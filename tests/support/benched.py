"""The benchmark's cases at tiny sizes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import report
from case import Case, Place, run_case
from run import CASES

__all__ = ["CASES", "measured", "reported", "runs"]


def runs(case: Case, folder: Path) -> None:
    """A case is measured and reported."""
    reported({case.name: measured(case, folder)}, folder)


def measured(case: Case, folder: Path) -> dict[str, Any]:
    """The result of a case, whose bars are as it says."""
    name = case.name
    said: list[str] = []
    result = json.loads(json.dumps(run_case(case, Place(folder, "tiny"), 1, said.append)))
    assert result["errors"] == {}
    assert all(len(seconds) == 1 and seconds[0] > 0 for seconds in result["seconds"].values())
    assert set(result["points"]) in (set(), set(result["seconds"]))
    if name != "out-of-core":  # its jobs run in processes of their own
        assert len(said) == 2 * len(result["seconds"]) > 0
    if name not in ("vector", "out-of-core"):
        assert all(rows > 0 and columns > 1 for rows, columns in result["shapes"].values())
    rows = report.bars_of(case, result)
    assert len(rows) == len(case.bars)
    for bar, row in zip(case.bars, rows, strict=True):
        ratio = report.ratio(bar, result)
        assert ratio is not None, row
        assert ratio > 0 or not bar.against  # what is a difference may be negative
        assert row[-1] == ("holds" if (ratio >= bar.bound) == bar.faster or ratio == bar.bound else "DOES NOT HOLD")
    return dict(result)


def reported(results: dict[str, dict[str, Any]], folder: Path) -> None:
    """The report says every case and every bar. To draw its pictures takes longer than to measure a case."""
    report.write({name: CASES[name] for name in results}, {"machine": {}, "cases": results}, folder)
    text = (folder / "bench.md").read_text()
    for name in results:
        assert CASES[name].title in text
        assert all(bar.said in text for bar in CASES[name].bars)
    assert "<svg" in (folder / "ratios.svg").read_text()
