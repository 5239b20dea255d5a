"""Run a command on its own terminal, as a user does, and observe its output, its memory and its end."""

from __future__ import annotations

import os
import pty
import re
import selectors
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_PERCENT = re.compile(r"(\d+)%")
_DRAWN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def readable(file: int, seconds: float) -> bool:
    """Whether there is something to read, within the seconds.

    `select.select` takes no number of a file above 1,023. The threads of ClickHouse in this process have files open.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(file, selectors.EVENT_READ)
        return bool(selector.select(seconds))


class Terminal:
    """`sqlrp` with stderr on a terminal."""

    def __init__(self, arguments: Sequence[str], folder: Path) -> None:
        self._master, slave = pty.openpty()
        environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "110", "LINES": "24"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqlrp._cli", *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=slave,
            text=True,
        )
        os.close(slave)
        self.drawn = ""
        self.peak = 0
        """the most memory that the process held at once, in bytes"""

    def follow(self, until: int | None = None) -> int:
        """Read what is drawn to the end, or until so many percent; returns the exit code, or -1 while it runs."""
        while True:
            ready = readable(self._master, 0.05)
            self._look()
            if ready:
                try:
                    self.drawn += os.read(self._master, 65_536).decode("utf-8", "replace")
                except OSError:  # the other end was closed
                    break
            if until is not None and any(p >= until for p in self.percents):
                return -1
            if self.process.poll() is not None and not ready:
                break
        return self.wait()

    def wait(self) -> int:
        """The exit code."""
        code = self.process.wait()
        os.close(self._master)
        return code

    @property
    def text(self) -> str:
        """What was drawn, without what moves the cursor or colours."""
        return _DRAWN.sub("", self.drawn)

    @property
    def percents(self) -> list[int]:
        """The percentages that were drawn, each once, in their order."""
        return list(dict.fromkeys(int(p) for p in _PERCENT.findall(self.text)))

    def _look(self) -> None:
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        self.peak = max(self.peak, int(found[1]) * 1024) if found else self.peak


def settled(folder: Path, seconds: float = 10) -> list[str]:
    """The names in a folder once they stay the same: a process that was ended may still be going."""
    before: list[str] = []
    for _ in range(int(seconds / 0.2)):
        now = sorted(path.name for path in folder.iterdir())
        if now == before:
            break
        before = now
        time.sleep(0.2)
    return before
