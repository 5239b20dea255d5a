"""CPU seconds of what a database does: here, and in the process or thread of a server that serves the connection."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from databases import Database

_SERVING = {
    "postgresql": "SELECT pg_backend_pid()",
    "mariadb": "SELECT tid FROM information_schema.processlist WHERE id = connection_id()",
    "mysql": "SELECT @@pid_file",
}
"""The query of the process, or thread, that serves the connection, or of the file with its number.

The other engines work in this process."""


class Clock:
    """The CPU seconds so far, of this process and of the server's process or thread."""

    def __init__(self, db: Database) -> None:
        self.path: Path | None = None
        if db.name == "postgresql":
            db.run("SET max_parallel_workers_per_gather = 0")  # the time of other processes would be missed
        if db.name in _SERVING:
            ((number,),) = db.run_query(_SERVING[db.name])
            number = Path(number).read_text().strip() if db.name == "mysql" else number
            self.path = Path(f"/proc/{number}/schedstat")  # nanoseconds; /proc/…/stat counts hundredths of a second
            # The process of MySQL has a thread for each connection, and threads that write.
            self.threads = self.path.with_name("task") if db.name == "mysql" else None

    def __call__(self) -> float:
        if self.path is None:
            return time.process_time()
        paths = [self.path] if self.threads is None else [thread / "schedstat" for thread in self.threads.iterdir()]
        return time.process_time() + sum(int(path.read_text().split()[0]) for path in paths) / 1e9

    def timed(self, work: Callable[[], Any]) -> tuple[float, Any]:
        """The seconds, and the result."""
        begun = self()
        result = work()
        return self() - begun, result
