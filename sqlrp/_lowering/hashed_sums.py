"""Long rows of an open vocabulary in the inline lowering: each cell's signs are computed from its feature's number.

The sums of the first stage become columns, so that no relation is read twice, and no WITH is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sqlrp._core.draw import CONSTANT_FEATURE, P, component_coefficients
from sqlrp._core.numbers import WHOLE, Number
from sqlrp._core.script import Relation, Select, after_from
from sqlrp._dialects.dialect import Dialect
from sqlrp._lowering.cells import feature_number, horner, rescaled_cells
from sqlrp._lowering.endpoints import carried_names, normalised, presence
from sqlrp._lowering.job import Job
from sqlrp._stages import BlockSums, Normalise, SignedSums
from sqlrp._stages.forms import Forms

_TERMS = 8
"""The terms of the polynomial that gives a cell's number of one draw."""


def _signs(dialect: Dialect, stage: SignedSums, zero: str) -> tuple[list[str], list[str]]:
    low, high = stage.thresholds
    h = [f"h{c}" for c in range(stage.n_vectors)]
    return h, [f"CASE WHEN {e} < {low} THEN x WHEN {e} < {high} THEN {zero} - x ELSE {zero} END" for e in h]


def _places(dialect: Dialect, stage: BlockSums, zero: str) -> tuple[list[str], list[str]]:
    """Twice the place in a block, and one more if the cell is subtracted, is the draw modulo twice the size."""
    n, several = stage.blocks, stage.buckets > 1
    h = [dialect.remainder(f"h{c}", 2 * stage.size) for c in range(n)]
    h += [dialect.remainder(f"h{n}", stage.buckets)] * several
    cases = []
    for bucket in range(stage.buckets):
        there = f" AND h{n} = {bucket}" if several else ""
        for e in (f"h{c}" for c in range(n)):
            cases += [
                f"CASE WHEN {e} = {2 * i}{there} THEN x WHEN {e} = {2 * i + 1}{there} THEN {zero} - x ELSE {zero} END"
                for i in range(stage.size)
            ]
    return h, cases


FORMS: Forms[Callable[..., tuple[list[str], list[str]]]] = Forms(
    "over the cells of an open vocabulary", {SignedSums: _signs, BlockSums: _places}
)
"""The forms of a first sum over the draws h0 … of a cell: what is kept of each, and the terms of each entry of x."""


def _is_normed(job: Job) -> bool:
    """Whether each row is divided by its norm first."""
    return bool(job.core) and isinstance(job.core[0].stage, Normalise)


def first_sum(job: Job) -> int | None:
    """The step of the first sum, if nothing but a norm and constants stand before it; None if it has no form."""
    normed = _is_normed(job)
    at = next((i for i, step in enumerate(job.core) if i >= normed and not step.stage.appends), None)
    return at if at is not None and FORMS.has(job.core[at].stage) else None


def hashed_terms(job: Job) -> int:
    """The terms of the draws and of the sums."""
    at = first_sum(job) if job.frame.n_features is None else None
    if at is None:
        return 0
    h, cases = FORMS.of(job.core[at].stage)(job.dialect, job.core[at].stage, "0")
    return _TERMS * len(h) + 2 * len(cases) + (0 if job.rescale is None else 2 * len(job.rescale.scale))


def hashed_read(job: Job, at: int, columns: Sequence[str]) -> tuple[Select, list[str], str]:
    """A subquery of the sums of step `at`, the entries over it, and `ok` over it; as `endpoints.long_read`.

    `columns`: those that pass through.
    """
    relation: Relation
    dialect, step, kept = job.dialect, job.core[at], carried_names(job)
    kind, normed = step.after, _is_normed(job)
    relation, ok = _cells(job, kind, columns)
    counts, counted = (["p"], ["count(*) AS counted", "count(p) AS present"]) if ok else ([], [])
    if job.rescale is not None:
        relation = f"({rescaled_cells(dialect, after_from(relation), job.rescale, [*kept, *counts])}) s"
    if normed:  # a row may name a feature twice
        added = f"{dialect.narrow('SUM(x)', kind)} AS x"
        relation = Select((*kept, "f", added, *counted), relation, f" GROUP BY {', '.join([*kept, 'f'])}")
        names = ["counted", "present"] if ok else []
        counts, counted = names, [f"SUM({name}) AS {name}" for name in names]
    shown, cases = FORMS.of(step.stage)(dialect, step.stage, dialect.literal(0, kind))
    drawn = [f"{entry} AS h{c}" for c, entry in enumerate(_draws(dialect, step.stage, len(shown)))]
    relation = Select((*kept, "x", *counts, *drawn), relation, dialect.fence)
    if any(e != f"h{c}" for c, e in enumerate(shown)):
        reduced = [f"{e} AS h{c}" for c, e in enumerate(shown)]
        relation = Select((*kept, "x", *counts, *reduced), relation, dialect.fence)
    totals = [f"{dialect.narrow(dialect.total(case, kind, kind), kind)} AS f{j}" for j, case in enumerate(cases)]
    norm = [f"{dialect.sqrt('SUM(x*x)')} AS m"] if normed else []
    grouped = Select((*kept, *totals, *norm, *counted), relation, f" GROUP BY {', '.join(kept)}")
    return grouped, _entries(job, at, normed), ok


def _cells(job: Job, kind: Number, columns: Sequence[str]) -> tuple[Select, str]:
    """The cells (f, x) of each key, with what is present (p), and `ok`; see `presence`."""
    dialect, frame = job.dialect, job.frame
    feature, value = (dialect.quote(name) for name in frame.names)
    ok, present = presence(job)
    number = dialect.cast(feature_number(job, feature), WHOLE)
    cell = (f"{number} AS f", f"{dialect.widen(value, frame.number, kind)} AS x", *([f"{present} AS p"] if ok else []))
    return Select((*columns, *cell), frame.relation(dialect)), ok


def _draws(dialect: Dialect, stage: Any, n: int) -> list[str]:
    """The draws of a cell as polynomials of its feature f, whose coefficients are numbers."""
    b = component_coefficients(stage.seed, stage.purpose, np.arange(n, dtype=np.int64))
    return [horner(dialect, list(map(str, column)), "f", P) for column in b.T.tolist()]


def _entries(job: Job, at: int, normed: bool) -> list[str]:
    """The sums f0 …, divided by the norm m, and with those of the constants that are appended before."""
    dialect, stage, kind = job.dialect, job.core[at].stage, job.core[at].after
    starts = np.zeros(len(stage.numbers(job.core[at].numbers)))
    for before in job.core[normed:at]:
        starts += before.stage.appended * stage.matrix(np.array([CONSTANT_FEATURE]))[0]
    entries = []
    for j, start in enumerate(starts.tolist()):
        entry = f"coalesce(f{j},{dialect.literal(0, kind)})" if job.nulls == "zero" else f"f{j}"
        entry = normalised(entry, "coalesce(m,0)") if normed else entry
        entries.append(f"({entry}{'+' if start > 0 else '-'}{dialect.literal(abs(start), kind)})" if start else entry)
    return entries
