"""Inline: the signs become the text of an expression, one shallow tree of + and - per output.

No matrix is read; the engine streams. Each stage maps a list of expressions to another; a list that is
read more than once is first given names by one more level of subquery. A pipeline with more terms than
one statement may hold is cut into steps: blocks of outputs go into temporary tables of their own, joined
by row at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sqlrp.lower.job import Job
from sqlrp.lower.script import Script
from sqlrp.lower.shape import (
    all_present,
    carried,
    carried_names,
    checked_array,
    guard,
    shaped,
    temporary_name,
    tree,
    wide_values,
)
from sqlrp.numbers import Number
from sqlrp.signs import Signs
from sqlrp.stages import AppendConstant, SignedSums, SumOfProducts


def inline(job: Job) -> Script:
    """The job as one SELECT, or as several steps where one statement cannot hold its terms."""
    return _Inline(job).script()


class _Inline:
    """The vector of a row while stages are applied: expressions over the columns of `relation`.

    An empty expression is a dead entry, which no later stage reads.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.limit = job.engine.limits.terms
        self.cut = job.terms > self.limit
        self.relation = ""
        self.carried: list[str] = []
        self.expressions: list[str] = []
        self.named = False
        self.levels = 0
        self.steps: list[str] = []
        self.temporary: list[str] = []

    def script(self) -> Script:
        """Read, apply every stage, shape the result."""
        job = self.job
        self._read()
        tables = job.tables()
        for stage, before, after in zip(job.stages, job.kinds, job.kinds[1:], strict=False):
            if isinstance(stage, AppendConstant):
                self.expressions.append(job.engine.literal(stage.value, before))
            elif isinstance(stage, SignedSums):
                self._sum(next(tables)[1], after)
            elif isinstance(stage, SumOfProducts):
                self._multiply(stage, before, after)
        if self.cut:
            self._name()
        query = shaped(job, self.relation, self.expressions, "ok" in self.carried)
        return Script(
            query, tuple(self.steps), tuple(job.engine.drop_temporary(name) for name in reversed(self.temporary))
        )

    def _read(self) -> None:
        job = self.job
        engine, frame = job.engine, job.frame
        extra, self.carried = carried(job), carried_names(job)
        self.relation = engine.table(frame.table)
        if frame.layout == "array":
            inner = ", ".join([*extra, f"{checked_array(engine, frame)} AS x"])
            self.relation = f"(SELECT {inner} FROM {self.relation}) s"
            extra = list(self.carried)
            features = [engine.element("x", j) for j in range(frame.n_features or 0)]
            complete = engine.complete("x", frame.n_features or 0)
        else:
            features = [engine.quote(name) for name in frame.names]
            complete = all_present(job)
        ok = guard(job, complete)
        if ok:
            extra.append(f"{ok} AS ok")
            self.carried.append("ok")
        if self.cut:
            extra.append(f"{engine.row_number()} AS r")
            self.carried.append("r")
        self.expressions = wide_values(job, features)
        self._level(extra)
        if self.cut:
            self.relation = self._store(self.relation)

    def _sum(self, matrix: Signs, after: Number) -> None:
        self._name()
        x = self.expressions
        zero = self.job.engine.literal(0, after)
        sums = []
        for column in matrix.T:
            plus = [x[j] for j in np.flatnonzero(column > 0)]
            minus = [x[j] for j in np.flatnonzero(column < 0)]
            if plus:
                sums.append(f"({tree(plus)}-{tree(minus)})" if minus else tree(plus))
            else:
                sums.append(f"-{tree(minus)}" if minus else zero)
        self.expressions, self.named = sums, False

    def _multiply(self, stage: SumOfProducts, before: Number, after: Number) -> None:
        used = np.zeros(stage.p, dtype=bool)
        used[stage.table] = True
        values = self.expressions
        if before != after:
            values = [self.job.engine.cast(e, after) for e in values]
        self.expressions = [e if alive else "" for e, alive in zip(values, used, strict=True)]
        self._name()
        v = self.expressions
        self.expressions = [
            tree(["*".join(v[i] for i in product) for product in component]) for component in stage.table.tolist()
        ]
        self.named = False

    def _name(self) -> None:
        """Give every live expression a name: by one more level, or by steps where they are too many."""
        if self.named:
            return
        weights = [e.count("+") + e.count("-") + e.count("*") + 1 if e else 0 for e in self.expressions]
        if self.cut and sum(weights) > self.limit:
            self._blocks(weights)
        else:
            self._level(self.carried)

    def _names(self) -> list[str]:
        letter = "xvwu"[min(self.levels, 3)]
        self.levels += 1
        self.named = True
        return [f"{letter}{i}" if e else "" for i, e in enumerate(self.expressions)]

    def _selected(self, names: Sequence[str]) -> list[str]:
        return [f"{e} AS {n}" for e, n in zip(self.expressions, names, strict=True) if n]

    def _level(self, extra: Sequence[str]) -> None:
        names = self._names()
        selected = ", ".join([*extra, *self._selected(names)])
        self.relation = f"(SELECT {selected}\nFROM {self.relation}{self.job.engine.fence}) s"
        self.expressions = names

    def _blocks(self, weights: Sequence[int]) -> None:
        """Compute the expressions in blocks, each within the limit, and join the blocks by row."""
        if self.relation.startswith("("):
            self.relation = self._store(self.relation)
        names = self._names()
        block_of = (np.cumsum(weights) - 1) // self.limit
        parts = []
        for block in np.unique(block_of):
            selected = [
                f"{e} AS {n}" for e, n, b in zip(self.expressions, names, block_of, strict=True) if n and b == block
            ]
            if selected:
                parts.append(self._store(f"(SELECT {', '.join(['r', *selected])}\nFROM {self.relation}) s"))
        columns = [f"b.{c}" for c in self.carried] + [n for n in names if n]
        joins = "".join(f"\nJOIN {part} p{i} ON p{i}.r = b.r" for i, part in enumerate(parts))
        self.relation = f"(SELECT {', '.join(columns)} FROM {self.relation} b{joins}) s"
        self.expressions = names

    def _store(self, query: str) -> str:
        """A temporary table of a subquery, made by one more step."""
        name = self.job.engine.quote(temporary_name(self.job, len(self.temporary)))
        self.steps.append(self.job.engine.create_temporary(name, f"SELECT * FROM {query}"))
        self.temporary.append(name)
        return name
