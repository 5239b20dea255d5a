"""The last lines of a run: where its time went, and in one line what it left out."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from typing import Any

import pytest
from choosing import Choosing
from taking_part import CHOSEN, LEFT_OUT, NOT_CHOSEN

SHOWN = 12
EVERYTHING = "`make test-all` runs everything, on every engine."


def _seconds() -> float:
    """Processor seconds of this process, and of those it started that have ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


class Spent:
    """The processor seconds of each file. A report carries those of its test to the first process."""

    def __init__(self) -> None:
        self._starting = self._at = 0.0
        self._files: dict[str, float] = defaultdict(float)
        self._started: list[float] = []

    def pytest_collection_finish(self) -> None:
        self._starting = self._at = _seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Any:
        report = yield
        now = _seconds()
        report.processor, self._at = now - self._at, now
        report.starting, self._starting = self._starting, 0.0  # the first report of a process has it
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._files[report.nodeid.partition("::")[0]] += getattr(report, "processor", 0.0)
        if getattr(report, "starting", 0.0):
            self._started.append(report.starting)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._started:
            return
        cache = getattr(terminalreporter.config, "cache", None)  # .pytest_cache/v/sqlrp/seconds has all files
        if cache is not None:
            cache.set("sqlrp/seconds", {name: round(spent, 1) for name, spent in sorted(self._files.items())})
        starting = sum(self._started)
        total = starting + sum(self._files.values())
        longest = sorted(self._files.items(), key=lambda found: -found[1])[:SHOWN]
        said = ", ".join(f"{path.rpartition('/')[2]} {seconds:.0f}" for path, seconds in longest)
        terminalreporter.write_line(f"Processor seconds: {total:.0f}, of which {starting:.0f} before the first test.")
        terminalreporter.write_line(f"The longest files: {said}.")


class LeftOut:
    """One line: engines that take no part, slow tests, and what this machine lacks."""

    def __init__(self, choosing: Choosing) -> None:
        self._choosing = choosing

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist
            session.config.workeroutput["slow"] = [self._choosing.files, self._choosing.tests, self._choosing.cases]

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Each process has collected all tests, and so has the same counts."""
        found = getattr(node, "workeroutput", {}).get("slow")
        if found:
            self._choosing.files, self._choosing.tests, self._choosing.cases = found

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        skipped = terminalreporter.stats.get("skipped", ())
        # A file that leaves itself out gives a report of its own kind.
        found = [(str(report.longrepr[2]), not isinstance(report, pytest.TestReport)) for report in skipped]
        terminalreporter.write_line(self.line(found))

    def line(self, skipped: list[tuple[str, bool]]) -> str:
        """What the run left out. Of what was skipped: the reason, and whether it was a file."""
        said = [f"every engine but {' and '.join(sorted(CHOSEN))}"] if CHOSEN else []
        slow = {"file": self._choosing.files, "test": self._choosing.tests}
        if any(slow.values()):
            said.append(f"slow: {' and '.join(_count(n, what) for what, n in slow.items() if n)}")
        if self._choosing.cases:
            said.append(f"of tests of many cases: {_count(self._choosing.cases, 'case')}")
        absent: dict[str, Counter[str]] = defaultdict(Counter)
        for reason, is_file in skipped:
            if NOT_CHOSEN not in reason:
                name = reason.partition(LEFT_OUT)[2] if LEFT_OUT in reason else reason.removeprefix("Skipped: ")
                absent[name]["file" if is_file else "test"] += 1
        for name, counts in sorted(absent.items()):
            said.append(f"{name}: {' and '.join(_count(n, what) for what, n in sorted(counts.items()))}")
        return f"Left out: {'; '.join(said)}. {EVERYTHING}" if said else "Nothing was left out."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
