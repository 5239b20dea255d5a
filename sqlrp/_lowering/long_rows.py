"""Long rows in the indexed lowering: a join with the signs gives the signed sums of a row as one list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sqlrp._core.draw import CONSTANT_FEATURE, P
from sqlrp._core.script import Select
from sqlrp._lowering.cells import Chain
from sqlrp._lowering.endpoints import guard
from sqlrp._lowering.job import Step
from sqlrp._lowering.template import block
from sqlrp._stages import SignedSums
from sqlrp._stages.forms import Forms

_SPREAD = 1 << 23
"""The most signs that are sent to every worker as a whole: about 30 to 100 MB."""


def summed_rows(chain: Chain, at: int) -> tuple[Select, list[str], bool]:
    """The sums of stage `at` over long rows as a list x, with c0 and `ok`; returns the same things as `listed_rows`.

    Every stage before it must append a constant.
    """
    job = chain.job
    chain.read_cells()
    step = job.core[at]
    starts = np.zeros(len(step.stage.numbers(step.numbers)))
    for before in job.core[:at]:
        starts += before.stage.appended * step.stage.matrix(np.array([CONSTANT_FEATURE]))[0]
    sums = FORMS.of(step.stage)(chain, step.stage, step, starts.tolist())
    ok = guard(job, "counted = present")
    summed = chain.add("summed", sums)
    kept = ["c0", *(["ok"] if ok else [])]
    columns = ["r AS c0", *([f"{ok} AS ok"] if ok else []), "sums AS x"]
    return Select(tuple(columns), summed, flat=True), kept, bool(ok)


def _sum_drawn(chain: Chain, stage: SignedSums, step: Step, starts: list[float]) -> str:
    dialect, frame, (low, high) = chain.dialect, chain.job.frame, stage.thresholds
    blocks = -(-stage.n_vectors // dialect.long_width)
    width = -(-stage.n_vectors // blocks)
    components, entry = chain.drawn(stage.seed, stage.purpose, blocks * width)
    vectors = block(
        "sign_vectors",
        collected=dialect.collect("sign", "c"),
        place=dialect.remainder("c", width),
        features=chain.features,
        components=components,
        entry=entry,
        low=low,
        high=high,
        fence=dialect.fence,
    )
    return dialect.long_sums(
        chain.cells,
        chain.add("vectors", vectors),
        width,
        [dialect.literal(start, step.after) for start in starts],
        step.after,
        spread=not frame.text_features and (frame.n_features or P) * stage.n_vectors <= _SPREAD,
    )


FORMS: Forms[Callable[..., str]] = Forms("over long rows", {SignedSums: _sum_drawn})
"""The forms of a first sum: the query of a list of sums for each row. `starts` has the sums of the constants."""
