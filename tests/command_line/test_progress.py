"""The remaining time on the command line: shown only once it can be estimated, and always plausible."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlrp._cli import screen
from sqlrp._cli.screen import Bar, seconds_left


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
    monkeypatch.setattr(screen.time, "monotonic", lambda: clock[0])
    bar = Bar("projecting", 1_000, "rows")
    clock[0] = 300.0
    bar.show(part)
    assert "left" not in bar.text
    clock[0] = 310.0
    bar.show(part + 0.01)
    assert "left" not in bar.text
    bar.show(0.25)
    said = bar.text
    assert said.startswith(f"projecting [{'#' * 7}{'-' * 23}]  25% 250 of 1,000 rows ")
    assert re.search(r" 0:00:(29|30|31) left$", said)  # a quarter took 10 s, and not 310


def test_what_is_said_meanwhile_stands_above_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A terminal shows what was printed last at each place: the bar covers itself, and nothing is left of it."""
    monkeypatch.setattr(screen.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(screen, "_BETWEEN", 0)
    with Bar("projecting", 1_000, "rows") as bar:
        bar.show(0.5, ", a long remark")
        bar.show(0.75)
        screen.say("sqlrp: warning: x")
        assert _lines(capsys.readouterr().err)[-2:] == ["sqlrp: warning: x", bar.text]
        screen.say("second")
    assert _lines(capsys.readouterr().err) == ["second", ""]
    monkeypatch.undo()
    with Bar("projecting", 1_000, "rows") as bar:
        bar.show(0.5)
    assert capsys.readouterr().err == ""


def _lines(printed: str) -> list[str]:
    """The lines of a terminal, where a carriage return goes back to the line's begin."""
    shown = []
    for line in printed.split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        shown.append("".join(cells).rstrip())
    return shown
