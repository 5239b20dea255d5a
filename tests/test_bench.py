"""The benchmark's machinery at tiny sizes: every case runs, and both sides of it make results of one shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).with_name("bench")))
import report
from case import Bench, Case, Place, run_case
from run import CASES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the data sets of all cases lie."""
    return tmp_path_factory.mktemp("bench")


@pytest.mark.parametrize("name", [name for name in CASES if name != "spark"])  # which tests/test_spark.py starts
def test_every_case_runs(name: str, folder: Path) -> None:
    runs(CASES[name], folder)


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


def test_results_of_other_shapes_are_refused(tmp_path: Path) -> None:
    shapes = iter([(4, 3), (4, 2)])

    def make(place: Place) -> Bench:
        return Bench({"a": lambda: None, "b": lambda: None}, shape=lambda: next(shapes))

    with pytest.raises(AssertionError, match=r"b has a result of shape|a has a result of shape"):
        run_case(Case("x", "x", make), Place(tmp_path, "tiny"), 1, lambda words: None)


def test_a_job_that_fails_is_told_and_the_others_are_measured(tmp_path: Path) -> None:
    def fail() -> Any:
        raise ValueError("no room")

    case = Case("x", "x", lambda place: Bench({"a": fail, "b": lambda: None}), (report.Bar("x", "a", ("b",), 1.0),))
    result = run_case(case, Place(tmp_path, "tiny"), 2, lambda words: None)
    assert result["errors"] == {"a": "ValueError: no room"}
    assert list(result["seconds"]) == ["b"]
    assert report.bars_of(case, result) == [["x", "at least 1 times the speed", "ValueError: no room", "DOES NOT HOLD"]]


def test_ratios_are_taken_within_a_round() -> None:
    bar = report.Bar("x", "a", ("b", "c"), 1.0)
    seconds = {"a": [1.0, 2.0, 4.0], "b": [2.0, 9.0, 4.0], "c": [3.0, 4.0, 9.0]}
    assert report.ratio(bar, {"seconds": seconds, "facts": {}}) == 2.0  # 2, 2 and 1 times as fast as the faster
