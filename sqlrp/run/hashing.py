"""Random-hyperplane hashes: the signs of the components give buckets, for locality-sensitive blocking in SQL."""

from __future__ import annotations

from typing import Any

from sqlrp.core.errors import ParameterError, SourceError
from sqlrp.core.numbers import WHOLE
from sqlrp.core.options import Nulls, Options
from sqlrp.core.sources import Source, Standardized
from sqlrp.lowering.endpoints import carried, restored, tree
from sqlrp.lowering.job import Job
from sqlrp.lowering.planner import plan
from sqlrp.projections.base import Projection
from sqlrp.projections.checks import check_whole
from sqlrp.run.api import job_of

_BITS = 62
"""The most bits whose sum fits a signed 64-bit integer, with one bit to spare."""


def hash_sql(
    projection: Projection,
    source: Source | Standardized | str,
    engine: Any,
    *,
    bits: int = 16,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> str:
    """Write the SQL text that hashes a source by the signs of its components: rows of key, keep, band and bucket.

    The components are cut into k / bits bands of `bits` (1 to 62) each. The bucket of band b is the whole number
    whose bit i is 1 if z[b·bits + i] >= 0; it is NULL if a component of the band is NULL. Rows that share a bucket of
    a band are candidates. An equality join finds them.

    For Gaussian vectors (`GaussianProjection`) two rows at angle θ agree in a bit with probability 1 - θ/π (Goemans and
    Williamson 1995, lemma 3.2; Charikar 2002, section 3), independently of the other bits. So they share a bucket of
    one band with probability (1 - θ/π)^bits, and of at least one with 1 - (1 - (1 - θ/π)^bits)^bands. For signs
    (`SparseProjection`) this is nearly true, because sums of many terms are nearly normal: use s of 1 to 3. A method
    that maps a kernel hashes by the angle of the kernel's features. The lengths of the rows do not matter.

    `engine`, `nulls` and `lowering` as in `sqlrp.sql`. Raises ParameterError for a k that is not a multiple of
    `bits`, SourceError for a key or kept column named band or bucket, and the errors of `sqlrp.sql`.

        >>> text = sqlrp.hash_sql(sqlrp.SparseProjection(k=8, s=1, seed=7), "points", con, bits=4)
        >>> con.sql(text).limit(2).fetchall()
        [(1, 0, 5), (2, 0, 5)]
    """
    check_whole("bits", bits, 1, _BITS)
    options = Options(scale=False, nulls=nulls, lowering=lowering)
    job = job_of(projection, source, engine, options)
    if job.k % bits:
        raise ParameterError(f"k = {job.k} must be a multiple of bits = {bits}, a band each: take k = bits * bands")
    for name in job.frame.kept:
        if name.casefold() in ("band", "bucket"):
            raise SourceError(f"column {name!r} of the source has the name of a column of the result: rename it")
    return plan(job, options.lowering).script().around(lambda projected: _query(job, projected, bits)).text


def _query(job: Job, projected: str, bits: int) -> str:
    engine, whole = job.dialect, WHOLE
    names = [f"b{band}" for band in range(job.k // bits)]
    zero = engine.cast("0", whole)
    buckets = []
    for band, name in enumerate(names):
        terms = [
            f"CASE WHEN z{band * bits + i} >= 0 THEN {engine.cast(str(2**i), whole)} "
            f"WHEN z{band * bits + i} < 0 THEN {zero} END"
            for i in range(bits)
        ]
        buckets.append(f"{tree(terms)} AS {name}")
    rows = f"(SELECT {', '.join([*carried(job), *buckets])}\nFROM ({projected}) q{engine.fence}) s"
    return engine.cells_of_row(rows, restored(job), names, "band", "bucket")
