"""What a terminal shows: a progress bar on the standard error, and tables. It needs no package."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta

import click

from sqlrp._core.errors import printable

_KNOWN = 0.05  # show the time left once this share of the work was seen to be done
_SEEN = 1.0  # and after this many seconds
_WIDTH = 30  # characters of the bar
_BETWEEN = 0.1  # seconds between two pictures of the bar

_drawn = ""
"""the bar that stands on the last line of the terminal"""


def _draw(line: str) -> None:
    """Put a line in the place of the bar. Spaces cover what a longer one leaves, so no terminal has to know codes."""
    global _drawn  # noqa: PLW0603  # a terminal has one last line
    if line != _drawn:
        click.echo(f"\r{line}{' ' * (len(_drawn) - len(line))}" + ("" if line else "\r"), err=True, nl=False)
    _drawn = line


def say(line: str) -> None:
    """Print a line on the standard error, above the bar."""
    bar = _drawn
    _draw("")
    click.echo(line, err=True)
    _draw(bar)


class Bar:
    """A progress bar on stderr, shown only if that is a terminal."""

    def __init__(self, description: str, total: int | None, unit: str, quiet: bool = False) -> None:
        """`total` is the number of `unit`s; if it is None, the bar only shows the percentage. `quiet`: no bar."""
        self._description = description
        self._total = total
        self._unit = unit
        self._quiet = quiet or not sys.stderr.isatty()
        self._first: tuple[float, float] | None = None
        """the time of the first report, and its share"""
        self._last = float("-inf")
        self.text = description

    def __enter__(self) -> Bar:
        """Show what is done."""
        self._show()
        return self

    def __exit__(self, *error: object) -> None:
        """Remove the bar."""
        if not self._quiet:
            _draw("")

    def show(self, part: float, more: str = "") -> None:
        """Show the share that is done, from 0 to 1. A share of 0 or less means that it is not known yet."""
        if part <= 0:
            return
        said = f" {int(part * self._total):,} of {self._total:,} {self._unit}" if self._total else ""
        now = time.monotonic()
        if self._first is None:
            self._first = (now, part)
        begun, before = self._first
        left = seconds_left(part, part - before, now - begun)
        when = "" if left is None else f" {timedelta(seconds=round(left))} left"
        full = min(int(part * _WIDTH), _WIDTH)
        bar = "#" * full + "-" * (_WIDTH - full)
        self.text = f"{self._description} [{bar}] {min(int(part * 100), 100):3}%{said}{more}{when}"
        if now - self._last >= _BETWEEN:
            self._last = now
            self._show()

    def _show(self) -> None:
        if not self._quiet:
            _draw(self.text[: shutil.get_terminal_size().columns - 1])


def seconds_left(part: float, seen: float, elapsed: float) -> float | None:
    """The time left at the speed that was seen, at most 20 times `elapsed`; None as long as it cannot be estimated.

    `part` is the share that is done, from 0 to 1, `seen` the share since the first report, and `elapsed` the seconds
    since then. Before its first report a query plans and reads without counting, which says nothing about its speed.
    """
    if not (_KNOWN <= seen <= part <= 1 and elapsed >= _SEEN):
        return None
    return elapsed * (1 - part) / seen


def print_table(title: str, rows: Sequence[Mapping[str, str]]) -> None:
    """Print rows as a table on a terminal, and as lines with tabs between the cells in a pipe."""
    if not rows:
        return
    lines = [list(map(printable, row.values())) for row in rows]
    if not sys.stdout.isatty():
        for line in lines:
            click.echo("\t".join(line))
        return
    lines.insert(0, list(rows[0]))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    click.secho(title, bold=True)
    for number, line in enumerate(lines):
        text = "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        click.secho(text, dim=number == 0)
