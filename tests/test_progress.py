"""The remaining time on the command line: shown only once it can be estimated, and always plausible."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlrp.cli import files
from sqlrp.cli.files import Bar, seconds_left


@given(st.floats(), st.floats(min_value=0, max_value=1e7))
def test_the_time_left_is_unknown_or_within_bounds(part: float, elapsed: float) -> None:
    left = seconds_left(part, elapsed)
    if left is None:
        assert not 0.01 <= part <= 1 or elapsed < 1
    else:
        assert 0 <= left <= 99.0001 * elapsed


@given(total=st.floats(0.01, 1e6), overhead=st.floats(0, 0.2), steps=st.integers(1, 500), ahead=st.floats(1e-12, 1e-3))
def test_at_a_steady_speed_it_comes_near_what_is_left(total: float, overhead: float, steps: int, ahead: float) -> None:
    """Simulated work in steps after a time in which nothing is reported; DuckDB's first report may be any tiny part."""
    for i in range(1001):
        elapsed = total * i / 1000
        done = max(0.0, (i / 1000 - overhead) / (1 - overhead))
        part = max(math.floor(done * steps) / steps, ahead)
        left = seconds_left(part, elapsed)
        if left is None:
            assert part < 0.01 or elapsed < 1
        elif part >= 0.5:
            assert abs(left - (total - elapsed)) <= total * (2 * overhead + 2 / steps + 0.01)


@pytest.mark.parametrize("part", [1e-300, 1e-9, 6.9e-9, 0.005])
def test_the_bar_tells_no_time_at_first(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 30.0])
    monkeypatch.setattr(files.time, "monotonic", lambda: next(clock, 30.0))
    bar = Bar("projecting", 1_000, "rows")
    bar.show(part)
    assert "left" not in bar._bar.tasks[0].fields["said"]
    bar.show(0.25)
    assert bar._bar.tasks[0].fields["said"].startswith("250 of 1,000 rows ")
    assert "left" in bar._bar.tasks[0].fields["said"]
