"""The query of near pairs: rows that share a bucket are candidates, and their distance is computed from the rows."""

from __future__ import annotations

from sqlrp._core.numbers import DOUBLE
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns
from sqlrp._lowering.endpoints import checked_array
from sqlrp._lowering.job import Job
from sqlrp._lowering.rows_apart import by_arrays, row_array, row_numbers

HASHED, FOUND = "sqlrp_hashed", "sqlrp_found"
_ROUNDING = 1e-12
"""What is added to the bound of 1 - the cosine, which is not exactly 0 for equal rows."""


def near_pairs(job: Job, hashed: str | None, within: float, metric: Metric) -> str:
    """The pairs of keys, the lesser one first, at most `within` apart.

    `hashed`: the query of rows of key, band and bucket, of which one is to be shared; None compares all pairs.
    """
    dialect, frame = job.dialect, job.frame
    key, bound = (
        dialect.quote(str(frame.key)),
        dialect.literal(within + (_ROUNDING if metric == "cosine" else 0.0), DOUBLE),
    )
    sides, there = {"sqlrp_u": "u", "sqlrp_v": "v"}, ""
    if frame.layout == "array":
        array = checked_array(dialect, frame)
        numbers = [(array, "")]
        size = frame.n_features or 0
        there = f"\nWHERE {dialect.complete(array, size)}"  # no row with NULL is a candidate
        distance = of_arrays(dialect, metric, "sqlrp_u", "sqlrp_v", size)
    elif by_arrays(job):
        numbers = [(row_array(job), "")]
        distance = of_arrays(dialect, metric, "sqlrp_u", "sqlrp_v", frame.width)
    else:
        numbers = [(value, str(i)) for i, value in enumerate(row_numbers(job))]
        distance = of_columns(dialect, metric, *([f"{side}{i}" for _, i in numbers] for side in sides))
    rows = [
        f"(SELECT {key} AS sqlrp_{alias}key, {', '.join(f'{value} AS {side}{i}' for value, i in numbers)}\n"
        f"FROM {frame.relation(dialect)}{there}) {alias}"
        for side, alias in sides.items()
    ]
    found = f"SELECT a, b, distance FROM ({{apart}}) {FOUND}\nWHERE distance <= {bound}"
    if hashed is None:
        joined = f"{rows[0]} JOIN {rows[1]} ON u.sqlrp_ukey < v.sqlrp_vkey"
        return found.format(apart=f"SELECT u.sqlrp_ukey AS a, v.sqlrp_vkey AS b, {distance} AS distance\nFROM {joined}")
    candidates = (
        f"SELECT DISTINCT h.{key} AS a, g.{key} AS b FROM {HASHED} h JOIN {HASHED} g "
        f"ON h.band = g.band AND h.bucket = g.bucket\nWHERE h.{key} < g.{key}"
    )
    apart = (
        f"SELECT c.a AS a, c.b AS b, {distance} AS distance\nFROM ({candidates}) c "
        f"JOIN {rows[0]} ON u.sqlrp_ukey = c.a JOIN {rows[1]} ON v.sqlrp_vkey = c.b"
    )
    return f"WITH {HASHED} AS ({hashed})\n{found.format(apart=apart)}"
