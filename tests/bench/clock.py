"""CPU seconds of what a database does: here, and in the process or thread of a server that serves the connection."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from databases import Database

_SERVING = {
    "postgresql": "SELECT pg_backend_pid()",
    "mariadb": "SELECT tid FROM information_schema.processlist WHERE id = connection_id()",
}
"""The query of the process, or thread, that serves the connection. The other engines work in this process."""


class Clock:
    """The CPU seconds so far, of this process and of the server's process or thread."""

    def __init__(self, db: Database) -> None:
        self.path: Path | None = None
        if db.name == "postgresql":
            db.run("SET max_parallel_workers_per_gather = 0")  # the time of other processes would be missed
        if db.name in _SERVING:
            ((number,),) = db.run_query(_SERVING[db.name])
            self.path = Path(f"/proc/{number}/schedstat")  # nanoseconds; /proc/…/stat counts hundredths of a second

    def __call__(self) -> float:
        there = 0 if self.path is None else int(self.path.read_text().split()[0])
        return time.process_time() + there / 1e9

    def timed(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """The seconds, and the result."""
        begun = self()
        result = work()
        return self() - begun, result
