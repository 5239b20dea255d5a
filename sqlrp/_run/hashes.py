"""Random-hyperplane hashes: the signs of the components give buckets, which block rows and find near pairs in SQL."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

from sqlrp._core.errors import ParameterError, SourceError, UnsupportedError, check_choice
from sqlrp._core.names import spelled
from sqlrp._core.numbers import WHOLE
from sqlrp._core.options import Nulls, Options
from sqlrp._core.sources import Source, Standardized
from sqlrp._lowering.endpoints import carried, output_name, restored, tree
from sqlrp._lowering.job import Job
from sqlrp._lowering.near_pairs import near_pairs
from sqlrp._lowering.planner import plan
from sqlrp._projections.checks import check_whole
from sqlrp._projections.projection import Projection
from sqlrp._run.table_input import job_of

_MOST_MATCHES = 0.125
"""The matches of buckets for each pair of rows above which all pairs are compared.

In DuckDB a match takes four times as long as a comparison of two embeddings of 384 numbers, and embeddings of text,
which are alike in a few directions, make twice the matches of independent rows.
"""
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
    _check_bands(job.k, bits)
    for name in job.frame.kept:
        if spelled(name) in ("band", "bucket"):
            raise SourceError(f"column {name!r} of the source has the name of a column of the result: rename it")
    return plan(job, options.lowering).script().around(lambda projected: _query(job, projected, bits)).text


def pairs_sql(
    projection: Projection,
    source: Source | Standardized | str,
    engine: Any,
    *,
    within: float,
    metric: Literal["cosine", "l2"] = "cosine",
    bits: int | None = None,
    recall: float = 0.95,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> str:
    """Write the SQL text that finds the near pairs of a table: rows of a, b and distance, at most `within` apart.

    a and b are keys, a < b, and every pair stands once. Rows that share a bucket of `hash_sql` are candidates, and only
    they are compared, by all their numbers. So no pair is wrong, but some may be missed: `pairs_recall` says how many.
    `metric`: "cosine" is 1 - the cosine, and "l2" the Euclidean distance.

    More `bits` (1 to 62 a bucket) make fewer candidates, and miss more pairs. None takes the most bits that divide k
    and find pairs at the distance `within` with the probability `recall`, which needs "cosine": nearer pairs are found
    more often. They are also the least work. Where more than one pair of rows in eight would share a bucket, to join
    these takes longer than to compare all pairs, so the text does that, and misses none. With n rows of independent
    directions, n² / 2 * bands / 2^bits pairs are compared besides the near ones, so take bits near log2(n), and k =
    bits * bands. `HadamardProjection` takes the fewest sums. Its directions are orthogonal up to k features, so that
    not more pairs than these are compared.

    `engine`, `nulls` and `lowering` as in `sqlrp.sql`. Rows that are NULL are in no pair. Raises ParameterError for a
    `within` or `recall` outside its range, for no `bits` that reach `recall`, and for a source without a key,
    UnsupportedError for sparse rows, and the errors of `hash_sql`.

        >>> rp = sqlrp.SparseProjection(k=64, s=1, seed=7)
        >>> con.sql(sqlrp.pairs_sql(rp, "points", con, within=0.01)).columns
        ['a', 'b', 'distance']
    """
    check_choice("metric", metric, ("cosine", "l2"))
    bound = 2.0 if metric == "cosine" else math.inf
    if (
        isinstance(within, bool)
        or not isinstance(within, (int, float))
        or not 0 <= within <= bound
        or math.isinf(within)
    ):
        limit = "from 0 to 2, 1 - the cosine" if metric == "cosine" else ">= 0, a Euclidean distance"
        raise ParameterError(f"within = {within!r} must be a number {limit}")
    options = Options(scale=False, nulls=nulls, lowering=lowering)
    job = job_of(projection, source, engine, options, quiet=True)  # k is not to be few
    if job.frame.key is None or job.grouped:
        raise ParameterError("pairs are named by the keys of their rows: name the key column, and sum no groups")
    if job.frame.layout == "long":
        raise UnsupportedError("sparse rows are not compared in pairs: join the rows of sqlrp.hash_sql")
    if job.frame.layout == "array" and nulls == "zero":
        raise UnsupportedError(
            "arrays are not compared with nulls = 'zero': leave it out, and rows with NULL pair with none"
        )
    if bits is None:
        if metric != "cosine":
            raise ParameterError(
                "bits are chosen for metric = 'cosine' alone: pass bits, 1 to 62, near log2 of the rows"
            )
        bits = _most_bits(job.k, within, recall)
        if job.k // bits / 2**bits > _MOST_MATCHES:
            return near_pairs(job, None, float(within), metric) + job.dialect.settings
    check_whole("bits", bits, 1, _BITS)
    _check_bands(job.k, bits)
    query = partial(_query, job, bits=bits)
    whole = plan(job, options.lowering).script()
    return whole.around(lambda projected: near_pairs(job, query(projected), float(within), metric)).text


def pairs_recall(k: int, bits: int, within: float) -> float:
    """The probability that `pairs_sql` finds a pair at a cosine distance of `within`, for Gaussian vectors.

    Such rows are at the angle θ = arccos(1 - within), so they share a bucket of one of the k / bits bands with the
    probability 1 - (1 - (1 - θ/π)^bits)^(k / bits) (Charikar 2002, section 3). Signs are nearly as good. Raises
    ParameterError as `pairs_sql`.

        >>> round(sqlrp.pairs_recall(k=160, bits=20, within=0.005), 3)
        0.997
    """
    check_whole("k", k, 1)
    check_whole("bits", bits, 1, _BITS)
    _check_bands(k, bits)
    if isinstance(within, bool) or not isinstance(within, (int, float)) or not 0 <= within <= 2:
        raise ParameterError(f"within = {within!r} must be a number from 0 to 2, 1 - the cosine")
    shared = (1 - math.acos(1 - within) / math.pi) ** bits
    return float(1 - (1 - shared) ** (k // bits))


def _most_bits(k: int, within: float, recall: float) -> int:
    if isinstance(recall, bool) or not isinstance(recall, (int, float)) or not 0 < recall < 1:
        raise ParameterError(f"recall = {recall!r} must be a number between 0 and 1")
    parts = [bits for bits in range(1, min(k, _BITS) + 1) if k % bits == 0]
    able = [bits for bits in parts if pairs_recall(k, bits, within) >= recall]
    if not able:
        best = pairs_recall(k, 1, within)
        raise ParameterError(
            f"k = {k} finds pairs at within = {within} with a probability of {best:.3f} at most, below recall = "
            f"{recall}: raise k, or lower recall"
        )
    return able[-1]


def _check_bands(k: int, bits: int) -> None:
    if k % bits:
        raise ParameterError(f"k = {k} must be a multiple of bits = {bits}, a band each: take k = bits * bands")


def _query(job: Job, projected: str, bits: int) -> str:
    engine, whole = job.dialect, WHOLE
    names = [f"b{band}" for band in range(job.k // bits)]
    zero = engine.cast("0", whole)
    buckets = []
    for band, name in enumerate(names):
        z = [output_name(engine, f"z{band * bits + i}") for i in range(bits)]
        terms = [
            f"CASE WHEN {x} >= 0 THEN {engine.cast(str(2**i), whole)} WHEN {x} < 0 THEN {zero} END"
            for i, x in enumerate(z)
        ]
        buckets.append(f"{tree(terms)} AS {name}")
    rows = f"(SELECT {', '.join([*carried(job), *buckets])}\nFROM ({projected}) q{engine.fence}) s"
    return engine.cells_of_row(rows, restored(job), names, "band", "bucket")
