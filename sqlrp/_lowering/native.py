"""Native: `sqlrp._lowering.evaluation` computes the rows in this process or in the engine's workers, without SQL.

Where nothing but the result outlives the call, the rows are read, evaluated and written in batches, and the planner may
choose it. `unstreamed` says where this does not work.
"""

from __future__ import annotations

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.native_library import library
from sqlrp._core.script import Script
from sqlrp._evaluator import FORMS
from sqlrp._lowering import batches_sql
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowering import Lowering

_INTEGER = 63
"""The most bits of an integer that is not one of Python's."""
_PYTHON, _NUMPY = 100, 4
"""How many times as long a term takes in Python's integers, and in numpy without the native library, about."""
_PASSING = 1.4
"""How many times as fast as one thread two of them read: one scans, and one turns the rows into Arrow, about."""


class Native(Lowering):
    """The evaluation of the rows in batches."""

    name = "native"
    plain = False
    forms = FORMS

    def unwritten(self, job: Job) -> str:
        """Why it writes no text: the rows cannot be read in batches either, or can only be read."""
        return self.unstreamed(job) or "it writes no SQL, and reads the rows of one table in batches, by a connection"

    def refusal(self, job: Job) -> str:
        """The same."""
        return self.unwritten(job)

    def unstreamed(self, job: Job) -> str:
        """Why it cannot evaluate the rows in this process in batches; empty if it can."""
        return batches_sql.refusal(job)

    def dots(self, job: Job) -> int:
        """The terms of stages whose weights are real numbers and never 0, which are matrix products."""
        return job.full_terms

    def shared(self, job: Job, part: str) -> float:
        """All threads evaluate any number of rows, and two of them bring the rows here."""
        threads = float(job.frame.threads or 1)
        if part in ("run", "dot"):
            return threads
        return min(threads, _PASSING) if part == "read" else super().shared(job, part)

    def _all_work(self, job: Job) -> dict[tuple[str, ...], float]:
        """As for every lowering, and the rows that each part passes over."""
        work, layout = super()._all_work(job), job.frame.layout
        parts = batches_sql.expected_parts(job)
        return {
            **work,
            **({("skip", layout): (parts - 1) * work["read", layout]} if parts > 1 else {}),
        }

    def terms(self, job: Job) -> int:
        """The number of terms for one row, more of them where numpy or Python computes them."""
        great = any(number.exact and number.bits > _INTEGER for number in job.kinds)
        return job.evaluated_terms * (_PYTHON if great else 1 if library() else _NUMPY)

    def lower(self, job: Job) -> Script:
        """Raises UnsupportedError, as there is no text."""
        raise UnsupportedError(self.unwritten(job))
