"""The first projection of each kind on an unknown engine: some of its rows are also computed here, and compared.

What every text needs was asked of the engine (`sqlrp._engines.generic.asked`). This compares the text itself, on the
source's own rows, before its numbers are returned or written.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import SourceError, UnsupportedError, shorten
from sqlrp._core.numbers import SINGLE, WORD_BITS
from sqlrp._core.script import Script
from sqlrp._core.values import dataclass
from sqlrp._lowering import batches_sql
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import Plan

ROWS = 100
"""The rows that are compared."""
_TRIES = 3
"""How often they are read: others may change rows between the two queries."""
_SHIFT, _DRAWS = 1e-11, 3
"""Features are shifted by at most this part of themselves, so often: what that changes is no fault of the engine's."""
_NEAR = 1e-9
"""The relative difference of right numbers; `_NEAR_SINGLE` if they are written as 32-bit floats."""
_NEAR_SINGLE = 1e-6
_SHOWN = 3
"""The features that an error shows."""


@dataclass(frozen=True)
class _Numbers:
    """The numbers of rows: of each row a key (None: none), and its components, shape (rows, k)."""

    keys: list[Hashable]
    values: npt.NDArray[Any]
    null: npt.NDArray[np.bool_]


def prove(connector: Connector, connection: Any, plan: Plan, result: pa.Table | None = None) -> None:
    """Compare the first projection of a kind on an unknown engine with numbers that are computed in this process.

    `result`: its rows, if they were read already. A kind that was right is not compared again, and what cannot be
    computed here is not compared. Raises UnsupportedError for a difference.
    """
    proved = connector.proved(connection)
    if proved is None or plan.streamed or plan.parts:
        return
    job = plan.job
    kind = _kind(plan)
    if kind in proved or job.frame.query or job.shape == "array" or Evaluation.refusal(job):
        return
    for left in reversed(range(_TRIES)):
        try:
            rows, right, bounds = _right(connector, connection, job)
        except SourceError:  # a row that is refused here, and NULL there
            return
        if not right.keys:
            return
        if result is None:
            result = _result(connector, connection, plan.script(), job, right)
        found = _numbers(job, _those(job, result, right, bounds))
        wrong = _wrong(job, right, bounds, found)
        if wrong is None:
            proved.add(kind)
            return
        if not left:
            raise UnsupportedError(_told(job, rows, right, bounds, found, *wrong))
        result = None  # read it again: others may have changed rows in between


def _kind(plan: Plan) -> Hashable:
    """What the text depends on, but for numbers and names."""
    job = plan.job
    stages = tuple(type(stage).__name__ for stage in job.stages)
    numbers = frozenset((number.kind, number.exact) for number in job.frame.numbers)
    kinds = tuple(number.kind for number in job.kinds)
    shape = (job.output, job.scale, job.nulls, job.dtype, job.frame.key is None)
    return plan.lowering.name, job.frame.layout, stages, numbers, kinds, shape


def _right(connector: Connector, connection: Any, job: Job) -> tuple[pa.Table, _Numbers, npt.NDArray[Any]]:
    """Some rows of the source, their right numbers, and how far others may be from each of these."""
    bare = replace(job, frame=replace(job.frame, keep=(), computed=(), whole=False))
    rows = _rows(connector, connection, bare)
    # Bits are compared as the numbers that they are the signs of.
    told = replace(bare, output="columns") if job.output == "bits" else bare
    result = Evaluation(told)(rows)
    right = _numbers(told, result)
    if job.output == "bits":
        return rows, right, _bounds(told, rows, right)
    return rows, right, np.zeros(right.values.shape) if job.written.exact else _bounds(told, rows, right)


def _rows(connector: Connector, connection: Any, job: Job) -> pa.Table:
    """Some rows of the source: the key, and the columns of the features. Of a key that joins several, all of them."""
    frame, dialect = job.frame, job.dialect
    names = [*frame.kept, *([frame.names[0]] if frame.layout == "long" else []), *(name for name, _ in frame.read)]
    if batches_sql.together(job) is None:
        query = dialect.limited(batches_sql.reading(job), ROWS)
    else:
        key = dialect.quote(str(frame.key))
        listed = f"SELECT DISTINCT {key} FROM {frame.relation(dialect)} WHERE {key} IS NOT NULL"
        keys = [cell for (cell,) in connector.rows(connection, dialect.limited(listed, ROWS))]
        among = _among(job, keys)
        query = batches_sql.reading(job, among or f"{key} IS NOT NULL")
    return connector.named(connector.fetch(connection, query), names)


def _among(job: Job, keys: list[Any]) -> str:
    """The condition that a row has one of the keys; empty where the keys are no numbers and no plain texts."""
    texts = []
    for key in keys:
        if isinstance(key, int) and not isinstance(key, bool):
            texts.append(str(key))
        elif isinstance(key, str) and key.isprintable() and "\\" not in key:
            texts.append(job.dialect.string(key))
        else:
            return ""
    return f"{job.dialect.quote(str(job.frame.key))} IN ({', '.join(texts)})" if texts else ""


def _bounds(job: Job, rows: pa.Table, right: _Numbers) -> npt.NDArray[Any]:
    """How far a right number may be from another: what shifted features change, and the rounding of the last step."""
    near = _NEAR_SINGLE if job.written == SINGLE else _NEAR
    bounds = near * np.abs(right.values.astype(np.float64))
    draw = np.random.default_rng(0)
    for _ in range(_DRAWS):
        shifted = rows
        for at, name in enumerate(rows.column_names):
            column = rows.column(at)
            if pa.types.is_floating(column.type) and name in dict(job.frame.read):
                values = column.to_numpy(zero_copy_only=False)
                values = values * (1 + _SHIFT * draw.uniform(-1, 1, rows.num_rows))
                array = pa.array(values, column.type, mask=column.is_null().to_numpy(zero_copy_only=False))
                shifted = shifted.set_column(at, name, array)
        if shifted is rows:
            break
        other = _numbers(job, Evaluation(job)(shifted))
        bounds = bounds + 8 * np.abs(other.values - right.values)
    return bounds


def _result(connector: Connector, connection: Any, script: Script, job: Job, right: _Numbers) -> pa.Table:
    """The engine's rows, those of the same keys where the text of a query may stand within another.

    Firebird 3 ends the process where a condition is put around common table expressions.
    """
    among = "" if job.frame.key is None else _among(job, [key for key in right.keys if key is not None])
    if among and not script.statement.named:
        script = script.around(lambda query: f"SELECT * FROM ({query}) proved WHERE {among}")
    with connector.set_up(connection, script.steps):
        rows = connector.fetch(connection, script.query)
    return connector.named(rows, [*job.frame.kept, *job.output_names])


def _those(job: Job, rows: pa.Table, right: _Numbers, bounds: npt.NDArray[Any]) -> pa.Table:
    """The rows that may be those which were computed here: of the same keys, or whose first component is near."""
    if rows.num_rows <= ROWS or (job.frame.key is None and job.output != "columns"):
        return rows
    if job.frame.key is not None:
        keys = set(right.keys)
        return rows.filter(pa.array([key in keys for key in rows.column(job.frame.key).to_pylist()], pa.bool_()))
    column = rows.column(job.output_names[0])
    first = np.array([np.nan if cell is None else float(cell) for cell in column.to_pylist()])
    near = np.isnan(first)
    for want, bound in zip(right.values[:, 0], bounds[:, 0], strict=True):
        near |= np.abs(first - float(want)) <= bound
    return rows.filter(pa.array(near))


def _numbers(job: Job, rows: pa.Table) -> _Numbers:
    """The components of a result, row by row."""
    n, key = rows.num_rows, job.frame.key
    keys: list[Hashable] = [None] * n if key is None else rows.column(key).to_pylist()
    if job.output == "bits":
        words = np.array([rows.column(name).to_pylist() for name in job.output_names], dtype=object).reshape(-1, n)
        null = np.array([[word is None] * job.k for word in words[0]], dtype=bool).reshape(n, job.k)
        values = np.zeros((n, job.k))
        for c in range(job.k):
            shift = WORD_BITS - 1 - c % WORD_BITS
            values[:, c] = [0 if word is None else int(word) >> shift & 1 for word in words[c // WORD_BITS]]
        return _Numbers(keys, values, null)
    number: Any = Fraction if job.written.exact else float
    if job.output != "long":
        cells = [rows.column(name).to_pylist() for name in job.output_names]
        return _Numbers(keys, *_matrix(np.array(cells, dtype=object).reshape(job.k, n).T, number))
    places: dict[Hashable, int] = {}
    found = np.full((len(set(keys)), job.k), 0 if job.sparse_result else None, dtype=object)
    each = zip(keys, rows.column("component").to_pylist(), rows.column("value").to_pylist(), strict=True)
    for of, component, value in each:
        place = places.setdefault(of, len(places))
        if 0 <= component < job.k:
            found[place, int(component)] = value
    return _Numbers(list(places), *_matrix(found, number))


def _matrix(cells: npt.NDArray[Any], number: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """The numbers of cells, 0 for NULL, and which are NULL."""
    null = np.array([[cell is None for cell in row] for row in cells], dtype=bool).reshape(cells.shape)
    values = [[number(0 if cell is None else cell) for cell in row] for row in cells]
    return np.array(values, dtype=object if number is Fraction else np.float64).reshape(cells.shape), null


def _wrong(job: Job, right: _Numbers, bounds: npt.NDArray[Any], found: _Numbers) -> tuple[int, int | None] | None:
    """The first row that no row of its key is near to, and the nearest of these (None: there is none); None if all are.

    A row without a key is compared with all. Rows that overflow are not compared.
    """
    places: dict[Hashable, list[int]] = {}
    for at, key in enumerate(found.keys):
        places.setdefault(key, []).append(at)
    for row, key in enumerate(right.keys):
        if (key is None and job.frame.key is not None) or not _finite(right.values[row]):
            continue
        among = places.get(key, [])
        off = _off(job, right, bounds, found, row, among)
        if not among or off.any(axis=1).all():
            return row, among[int(off.sum(axis=1).argmin())] if among else None
    return None


def _finite(values: npt.NDArray[Any]) -> bool:
    return values.dtype == object or bool(np.isfinite(values).all())


def _off(
    job: Job, right: _Numbers, bounds: npt.NDArray[Any], found: _Numbers, row: int, among: list[int]
) -> npt.NDArray[np.bool_]:
    """Which components of rows that were found are not near those of a row, shape (rows, k)."""
    want, bound = right.values[row], bounds[row]
    null = found.null[among] != right.null[row]
    if job.output == "bits":  # the sign of a number near 0 is that of its rounding
        far = (found.values[among] != (want > 0)) & (np.abs(want) > bound)
    else:
        far = ~(np.abs(found.values[among] - want) <= bound)
    return np.asarray(null | (far & ~right.null[row]), dtype=bool)


def _told(
    job: Job,
    rows: pa.Table,
    right: _Numbers,
    bounds: npt.NDArray[Any],
    found: _Numbers,
    row: int,
    nearest: int | None,
) -> str:
    """The error: the row, its features, and both numbers."""
    key = job.frame.key
    which = "a row" if key is None else f"the row with {key} = {shorten(right.keys[row], 30)}"
    off = np.ones((1, job.k), dtype=bool)
    if nearest is not None:
        off = _off(job, right, bounds, found, row, [nearest])
    c = int(off[0].argmax())
    gives = "gives no such row" if nearest is None else f"gives {_shown(found, nearest, c)}"
    want = _shown(right, row, c)
    if job.output == "bits" and nearest is not None:
        want = str(int(right.values[row, c] > 0))
    return (
        f"the engine {job.dialect.name} projects wrongly: for component {c} of {which} "
        f"{_features(job, rows, right.keys[row], row)}it {gives}, and right is {want}: "
        "read the rows into a dataframe, and pass that"
    )


def _shown(numbers: _Numbers, row: int, component: int) -> str:
    value = numbers.values[row, component]
    return "NULL" if numbers.null[row, component] else str(value) if isinstance(value, Fraction) else repr(float(value))


def _features(job: Job, rows: pa.Table, key: Hashable, row: int) -> str:
    """The first features of a row, with a space behind; empty where several rows make one."""
    if job.grouped:
        return ""
    given: Mapping[str, Any]
    if job.frame.layout == "long":
        cells = zip(*(rows.column(name).to_pylist() for name in (str(job.frame.key), *job.frame.names)), strict=True)
        given = {str(feature): value for of, feature, value in cells if of == key}
    else:
        given = {name: rows.column(name)[row].as_py() for name in job.frame.names[: _SHOWN + 1]}
    told = [f"{name} = {shorten(value, 30)}" for name, value in list(given.items())[:_SHOWN]]
    return f"({', '.join(told)}{', …' if len(given) > _SHOWN else ''}) "


__all__ = ["ROWS", "prove"]
