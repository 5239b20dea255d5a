"""The benchmark's cases at tiny sizes."""

from __future__ import annotations

import json
from pathlib import Path

import report
from case import Case, Place, run_case
from run import CASES

__all__ = ["CASES", "runs"]


def runs(case: Case, folder: Path) -> None:
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
        measured = report.ratio(bar, result)
        assert measured is not None, row
        assert measured > 0
        assert row[3] == (
            "holds" if (measured >= bar.bound) == bar.faster or measured == bar.bound else "DOES NOT HOLD"
        )
    report.write({name: case}, {"machine": {}, "cases": {name: result}}, folder)
    text = (folder / "bench.md").read_text()
    assert case.title in text
    assert all(bar.said in text for bar in case.bars)
    assert "<svg" in (folder / "ratios.svg").read_text()
