"""The remaining time on the command line: shown only once it can be estimated, and always plausible."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlrp._cli import files
from sqlrp._cli.files import Bar, seconds_left


@given(st.floats(), st.floats(), st.floats(min_value=0, max_value=1e7))
def test_the_time_left_is_unknown_or_within_bounds(part: float, seen: float, elapsed: float) -> None:
    left = seconds_left(part, seen, elapsed)
    if left is None:
        assert not 0.05 <= seen <= part <= 1 or elapsed < 1
    else:
        assert 0 <= left <= 20 * elapsed


@given(total=st.floats(0.01, 1e6), overhead=st.floats(0, 0.9), steps=st.integers(20, 500), ahead=st.floats(1e-12, 1e-3))
def test_at_a_steady_speed_it_comes_near_what_is_left(total: float, overhead: float, steps: int, ahead: float) -> None:
    """Simulated work in steps after a time in which nothing is counted, however long; the first guess is near, too."""
    first: tuple[float, float] | None = None
    for i in range(1001):
        elapsed = total * i / 1000
        done = max(0.0, (i / 1000 - overhead) / (1 - overhead))
        part = max(math.floor(done * steps) / steps, ahead) if done else 0.0
        if part <= 0:
            continue
        first = first or (elapsed, part)
        seen, since = part - first[1], elapsed - first[0]
        left = seconds_left(part, seen, since)
        if left is None:
            assert seen < 0.05 or since < 1
        else:
            work = total * (1 - overhead)  # a step is at most 5% of it, and so late
            assert abs(left - (total - elapsed)) <= work * (1 / steps / max(seen, 0.05) + 0.05)


@pytest.mark.parametrize("part", [1e-300, 1e-9, 6.9e-9, 0.005])
def test_the_bar_tells_no_time_at_first(part: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it took until the first report."""
    clock = [0.0]
    monkeypatch.setattr(files.time, "monotonic", lambda: clock[0])
    bar = Bar("projecting", 1_000, "rows")
    clock[0] = 300.0
    bar.show(part)
    assert "left" not in bar._bar.tasks[0].fields["said"]
    clock[0] = 310.0
    bar.show(part + 0.01)
    assert "left" not in bar._bar.tasks[0].fields["said"]
    bar.show(0.25)
    said = bar._bar.tasks[0].fields["said"]
    assert said.startswith("250 of 1,000 rows ")
    assert re.search(r" 0:00:(29|30|31) left$", said)  # a quarter took 10 s, and not 310
