"""The query of a search: the nearest rows of a projected table, ranked again by the rows that it was made from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.memory import unmasked
from sqlrp._core.names import spelled
from sqlrp._core.numbers import BYTE, DOUBLE
from sqlrp._core.options import Options
from sqlrp._core.sources import TableName
from sqlrp._dialects.base import Dialect
from sqlrp._evaluator.writing import words
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns, of_shifted
from sqlrp._lowering.endpoints import checked_array, tree, whole_literal
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.job import Job
from sqlrp._lowering.planner import plan
from sqlrp._projections.base import Projection

Floats = npt.NDArray[np.float64]
_CANDIDATE, _NEAR, _RANK, _DISTANCE = "sqlrp_candidate", "sqlrp_near", "sqlrp_rank", "distance"
_GIVEN, _VECTOR, _ASKED, _CODED = "sqlrp_given", "sqlrp_vector", "sqlrp_asked", "sqlrp_coded"
QUERY, _VECTORS = "sqlrp_query", "sqlrp_vectors"
"""The column that counts the vectors of one statement, and their table."""
TOLD, PROOF = "sqlrp_told", "sqlrp_proof"
"""The column that is 1 in the row of a proof and 0 in the rows of a search, and that of the proof's text."""
_AT_ONCE, _TEXT = 64, 4_000_000
"""The most vectors, and the most characters, of one statement."""


@dataclass(frozen=True)
class Asked:
    """The vector of a search, as expressions."""

    code: Sequence[str]
    """what is compared with each column of the table"""
    array: str
    """the vector as an array of doubles, if the rows of the source are arrays"""
    features: Sequence[str]
    """its numbers, if they are columns"""


@dataclass(frozen=True)
class Search:
    """A search of a projected table."""

    job: Job
    """the job that made the table"""
    table: TableName
    metric: Metric = "l2"
    again: bool = True
    """whether the candidates are ranked again by the rows of the source"""
    vectors: str = ""
    """the schema of the engine's vector search, if that is an extension and installed"""

    def __post_init__(self) -> None:
        """Raise an error for a table that cannot be searched."""
        job, name = self.job, str(self.table)
        if job.grouped or job.frame.key is None:
            why = "sums groups" if job.grouped else f"has no key of {job.frame.table}"
            raise ParameterError(f"{name} {why}: a search needs one row for each key")
        if job.output == "long":
            raise ParameterError(f"{name} has output = 'long': a search needs one row for each key; use another output")
        if self.again and job.frame.layout == "long":
            raise UnsupportedError(
                f"{name} was made from sparse rows, by which sqlrp ranks nothing again: pass again = False"
            )
        if spelled(job.frame.key) == _DISTANCE:
            raise ParameterError(f"the key of {name} is called {job.frame.key!r}, as the result's distance: rename it")

    @property
    def _shift(self) -> float:
        """How much more than they are the stored numbers stand for, where the vector does not have it subtracted."""
        return self.job.projection.code_shift if self.metric != "l2" and self.job.output != "bits" else 0.0

    @property
    def asking(self) -> Projection:
        """The projection of the vector."""
        projection = self.job.projection
        return projection.unshifted if self._shift else projection.unrounded

    def text(self, x: Floats, z: Floats, n: int, candidates: int, proof: str = "") -> str:
        """The query for one vector x, shape (features,), with its components z, shape (k,). `proof`: see `_proving`."""
        query = self._query(self._constants(x, z), str(n), str(candidates))
        return self._proving(query, proof, []) + self.job.dialect.settings

    def texts(self, x: Floats, z: Floats, n: int, candidates: int, proof: str = "") -> Iterator[str]:
        """Queries for many vectors, shapes (vectors, features) and (vectors, k): as few as their length allows.

        The first column counts the vectors from 0, and the nearest row of each comes first.
        """
        if not len(x):
            return
        room = min(self.job.dialect.limits.characters or _TEXT, _TEXT)
        each = len(self.text(x[0], z[0], n, candidates))
        step = min(max(room // (2 * each), 1), _AT_ONCE)
        for first in range(0, len(x), step):
            own = slice(first, first + step)
            query = self._many(first, x[own], z[own], n, candidates)
            yield self._proving(query, proof, [QUERY]) + self.job.dialect.settings

    def _proving(self, query: str, proof: str, counted: Sequence[str]) -> str:
        """The query, with one row more that has the text of a proof, which is a query of one text, `answers`.

        `counted`: the columns before the key. One statement sees the tables and what is said of them at one time.
        """
        if not proof:
            return query
        columns = [*counted, self.job.dialect.quote(str(self.job.frame.key)), _DISTANCE]
        rows = f"SELECT {', '.join(f'f.{name} AS {name}' for name in columns)}, 0 AS {TOLD}, NULL AS {PROOF}"
        one = f"SELECT {', '.join('NULL' for _ in columns)}, 1, p.answers FROM ({proof}) p"
        order = ", ".join(f"{name} ASC" for name in (*counted, _DISTANCE))
        return f"SELECT * FROM ({rows} FROM ({query}) f UNION ALL {one}) r\nORDER BY {order}"

    def body(self, vector: str, n: str, candidates: str) -> str:
        """The query for a vector that is an expression. It fails for NULL, and for a vector of another length."""
        job, dialect = self.job, self.job.dialect
        size = job.frame.n_features or 0
        given = f"SELECT {self._checked(size)} AS {_VECTOR} FROM (SELECT {vector} AS {_GIVEN}) given"
        part = Part(_VECTOR, DOUBLE, size, ragged=False)
        frame = Frame.of_arrays(self.table, None, (), part, rows=1, query=f"SELECT {_VECTOR} FROM {_ASKED}")
        output = "array" if job.output == "vector" else job.output
        options = Options(output, job.scale, "propagate")
        coded = plan(Job.of(self.asking.bound(None), frame, dialect, options), single_statement=True)
        names = coded.job.output_names
        one = [f"(SELECT {name} FROM {_CODED})" if len(names) == 1 else f"q.{name}" for name in names]
        if job.output == "vector":
            one = [dialect.vector_from(one[0], job.k, job.dtype == "float16", self.vectors)]
        elif job.output == "array" and not dialect.has_distances:
            one = [dialect.element(one[0], i) for i in range(job.k)]
        array = f"(SELECT {_VECTOR} FROM {_ASKED})"
        by_element = job.frame.layout == "wide" or not dialect.has_distances
        asked = Asked(one, array, [dialect.element(array, i) for i in range(size)] if by_element else ())
        once = dialect.materialized
        ahead = f"{_ASKED} AS {once}({given}),\n{_CODED} AS {once}({coded.bare().query})"
        return f"WITH {ahead}\n{self._query(asked, n, candidates, f', {_CODED} q' if len(names) > 1 else '')}"

    def _checked(self, size: int) -> str:
        """The vector of a call. It fails if it is NULL, has NULL, or another number of numbers than the features."""
        dialect = self.job.dialect
        other = f"sqlrp: the vector has not {size} elements: pass one number for each feature, in their order"
        missing = f"sqlrp: the vector is NULL, or a number in it is: pass {size} numbers, one for each feature"
        incomplete = f"CASE WHEN {dialect.complete(_GIVEN, size)} THEN 0 ELSE 1 END = 1"  # also where that is NULL
        whole = dialect.checked(incomplete, missing, _GIVEN)
        return dialect.without_null(dialect.checked(f"{dialect.length(_GIVEN)} <> {size}", other, whole))

    def _many(self, first: int, x: Floats, z: Floats, n: int, candidates: int) -> str:
        """One query for vectors that are counted from `first`."""
        job, dialect = self.job, self.job.dialect
        key = dialect.quote(str(job.frame.key))
        named = f"{QUERY}, {key}, {_DISTANCE}"
        constants = [self._constants(one, own) for one, own in zip(x, z, strict=True)]
        if not self._joins:  # an index of vectors is only used for a constant
            found = [
                f"SELECT {first + i} AS {QUERY}, f.{key} AS {key}, f.{_DISTANCE} AS {_DISTANCE}\n"
                f"FROM ({self._query(asked, str(n), str(candidates))}) f"
                for i, asked in enumerate(constants)
            ]
            return f"SELECT {named}\nFROM ({' UNION ALL '.join(found)}) r\nORDER BY {QUERY} ASC, {_DISTANCE} ASC"
        codes, numbers = (
            [f"sqlrp_{part}{i}" for i in range(len(of))]
            for part, of in (("code", constants[0].code), ("number", _numbers(constants[0])))
        )
        short = [[str(first + i), *self._typed(asked.code)] for i, asked in enumerate(constants)]
        ahead = [f"{_ASKED} AS ({_union(dialect, [QUERY, *codes], short)})"]
        near = Asked([f"q.{name}" for name in codes], "", ())
        if not self.again:
            body = self._each(f"t.{key}", key, self._shown(self._near(near)), n, shown=True)
            return f"WITH {ahead[0]}\n{body}\nORDER BY {QUERY} ASC, {_DISTANCE} ASC"
        whole = [[str(first + i), *_numbers(asked)] for i, asked in enumerate(constants)]
        ahead.append(f"{_VECTORS} AS ({_union(dialect, [QUERY, *numbers], whole)})")
        arrays = bool(constants[0].array)
        given = [f"v.{name}" for name in numbers]
        far = self._far(Asked((), given[0], ()) if arrays else Asked((), "", given))
        near_ones = self._each(f"t.{key}", _CANDIDATE, self._near(near), candidates, shown=False)
        joined = (
            f"({near_ones}) c JOIN {job.frame.relation(dialect)} s ON s.{key} = c.{_CANDIDATE} "
            f"JOIN {_VECTORS} v ON v.{QUERY} = c.{QUERY}"
        )
        apart = f"SELECT c.{QUERY} AS {QUERY}, s.{key} AS {key}, {far} AS {_DISTANCE}\nFROM {joined}"
        ranked = _ranked(apart, [QUERY, key, _DISTANCE], _DISTANCE, n, QUERY)
        return f"WITH {', '.join(ahead)}\n{ranked}\nORDER BY {QUERY} ASC, {_DISTANCE} ASC"

    def _each(self, key: str, name: str, near: str, rows: int, shown: bool) -> str:
        """The first rows of the table for each vector; `shown`: with their distance."""
        dialect, table = self.job.dialect, self._table
        if dialect.has_lateral:
            also = f", {near} AS {_DISTANCE}" if shown else ""
            query = f"SELECT {key} AS {name}{also} FROM {table} t\nWHERE {self._there} ORDER BY {near} ASC"
            found = dialect.limited(query, rows, ordered=True)
            also = f", f.{_DISTANCE} AS {_DISTANCE}" if shown else ""
            return (
                f"SELECT q.{QUERY} AS {QUERY}, f.{name} AS {name}{also}\nFROM {_ASKED} q CROSS JOIN LATERAL ({found}) f"
            )
        apart = f"SELECT q.{QUERY} AS {QUERY}, {key} AS {name}, {near} AS {_DISTANCE}\n"
        columns = [QUERY, name, *([_DISTANCE] if shown else [])]
        apart += f"FROM {table} t CROSS JOIN {_ASKED} q\nWHERE {self._there}"
        return _ranked(apart, columns, _DISTANCE, rows, QUERY)

    @property
    def _joins(self) -> bool:
        """Whether many vectors are joined with the table. An index of vectors is used for a constant elsewhere."""
        job = self.job
        return job.output != "vector" or job.written == BYTE or job.dialect.has_lateral

    @property
    def _table(self) -> str:
        """The table to join, with bytes as floats, which are then cast once for all vectors."""
        job, dialect = self.job, self.job.dialect
        table = dialect.table(self.table)
        if job.output != "vector" or job.written != BYTE:
            return table
        key, z = dialect.quote(str(job.frame.key)), dialect.quote(job.output_names[0])
        return f"(SELECT {key}, {dialect.bytes_as_vector(z, job.k)} AS {z} FROM {table})"

    @property
    def _there(self) -> str:
        """The condition that a row of the table is not NULL."""
        first = f"t.{self.job.dialect.quote(self.job.output_names[0])}"
        return self.job.dialect.arrays_are_there(first) if self.job.shape == "array" else f"{first} IS NOT NULL"

    def _shown(self, near: str) -> str:
        """The distance that is returned unless the candidates are ranked again."""
        return f"{math.pi / self.job.k!r}*({near})" if self.job.output == "bits" else near

    def _typed(self, code: Sequence[str]) -> Sequence[str]:
        """The constants with the type of the column: in a row of their own, nothing else says it."""
        job = self.job
        if job.output != "vector":
            return code
        return [job.dialect.vector_from(each, job.k, job.dtype == "float16", self.vectors) for each in code]

    def _query(self, asked: Asked, n: str, candidates: str, joined: str = "") -> str:
        job, quote = self.job, self.job.dialect.quote
        key, table = f"t.{quote(str(job.frame.key))}", f"{job.dialect.table(self.table)} t{joined}"
        there, near = self._there, self._near(asked)
        end = f"ORDER BY {_DISTANCE} ASC"
        named = quote(str(job.frame.key))
        if not self.again:
            asked_for = f"SELECT {key} AS {named}, {self._shown(near)} AS {_DISTANCE}"
            return self._first(f"{asked_for} FROM {table}\nWHERE {there} {end}", n)
        limited = n.isdigit() or job.dialect.limits_by_expression
        if limited:
            found = f"SELECT {key} AS {_CANDIDATE} FROM {table}\nWHERE {there} ORDER BY {near} ASC"
            rows = self._first(found, candidates)
        else:
            ranked = f"SELECT {key} AS {_CANDIDATE}, {near} AS {_NEAR} FROM {table}\nWHERE {there}"
            rows = _ranked(ranked, [_CANDIDATE], _NEAR, candidates)
        joined = f"({rows}) c JOIN {job.frame.relation(job.dialect)} s ON s.{named} = c.{_CANDIDATE}"
        far = f"SELECT s.{named} AS {named}, {self._far(asked)} AS {_DISTANCE}\nFROM {joined}"
        if limited:
            return self._first(f"{far}\n{end}", n)
        return f"{_ranked(far, [named, _DISTANCE], _DISTANCE, n)}\n{end}"

    def _first(self, query: str, rows: str) -> str:
        """The first rows of an ordered query. Only a function of the database has an expression for their number."""
        if not rows.isdigit():
            return f"{query} LIMIT {rows}"
        return self.job.dialect.limited(query, int(rows), ordered=True)

    def _constants(self, x: Floats, z: Floats) -> Asked:
        """The vector and its components as constants."""
        job, dialect = self.job, self.job.dialect
        if job.output == "bits" and job.single_code:
            bits = "".join("0" if v <= 0 else "1" for v in z.tolist())
            code = [f"CAST('{bits}' AS {dialect.code.format(k=job.k)})"]
        elif job.output == "bits":
            code = [whole_literal(word) for word in words(z[None, :])[:, 0].tolist()]
        elif job.output == "columns" or (job.output == "array" and not dialect.has_distances):
            code = [self._literal(v) for v in z.tolist()]
        else:
            code = [(dialect.vector_of if job.output == "vector" else dialect.numbers)(z.tolist())]
        if job.frame.layout == "array" and dialect.has_distances:
            return Asked(code, dialect.numbers(x.tolist()), ())
        return Asked(code, "", [self._literal(v) for v in x.tolist()])

    def _literal(self, value: float) -> str:
        text = self.job.dialect.literal(value, DOUBLE)
        return f"({text})" if value < 0 else text

    def _near(self, asked: Asked) -> str:
        """The distance of a row of the table."""
        job, dialect = self.job, self.job.dialect
        columns = [f"t.{dialect.quote(name)}" for name in job.output_names]
        if job.output == "bits" and job.single_code:
            return dialect.code_distance(columns[0], asked.code[0], self.vectors)
        if job.output == "bits":
            return tree([dialect.differing(a, b) for a, b in zip(columns, asked.code, strict=True)])
        if job.output == "vector":
            return self._near_vector(columns[0], asked.code[0])
        array = dialect.stored_array(columns[0], None)
        if job.output == "columns" or not dialect.has_distances:
            elements = columns if job.output == "columns" else [self._element(array, i) for i in range(job.k)]
            return of_columns(dialect, self.metric, self._shifted(elements), asked.code)
        if self._shift:
            ones = dialect.numbers([1.0] * job.k)
            return of_shifted(dialect, self.metric, dialect.inner_product, array, asked.code[0], ones, self._shift)
        return of_arrays(dialect, self.metric, array, asked.code[0])

    def _near_vector(self, z: str, code: str) -> str:
        """The distance of a column of vectors."""
        job, dialect, vectors = self.job, self.job.dialect, self.vectors
        column = dialect.bytes_as_vector(z, job.k) if job.written == BYTE else z
        if not self._shift:
            return dialect.vector_distance(column, code, self.metric, vectors)
        ones = self._typed([dialect.vector_of([1.0] * job.k)])[0]

        def product(a: str, b: str) -> str:
            return dialect.vector_product(a, b, job.k, vectors)

        return of_shifted(dialect, self.metric, product, column, code, ones, self._shift)

    def _shifted(self, columns: Sequence[str]) -> Sequence[str]:
        """The numbers that columns stand for."""
        return [f"({column}+{self._shift!r})" for column in columns] if self._shift else columns

    def _far(self, asked: Asked) -> str:
        """The distance of a row of the source."""
        dialect, frame = self.job.dialect, self.job.frame
        if frame.layout == "array" and dialect.has_distances:
            return of_arrays(dialect, self.metric, checked_array(dialect, frame), asked.array)
        if frame.layout == "array":
            arrays = [(dialect.stored_array(dialect.quote(part.name), part.cast), part.size) for part in frame.parts]
            columns = [self._element(array, i) for array, size in arrays for i in range(size)]
            return of_columns(dialect, self.metric, self._present(columns), asked.features)
        features = zip(frame.names, frame.numbers, strict=True)
        columns = [dialect.widen(dialect.quote(name), have, DOUBLE) for name, have in features]
        return of_columns(dialect, self.metric, self._present(columns), asked.features)

    def _present(self, columns: list[str]) -> list[str]:
        """The numbers of a row, with zeros for NULL if it was read as zero."""
        if self.job.nulls != "zero":
            return columns
        return [f"coalesce({column}, {self.job.dialect.literal(0, DOUBLE)})" for column in columns]

    def _element(self, array: str, position: int) -> str:
        """A number of an array of the table."""
        dialect = self.job.dialect
        return dialect.cast(dialect.element(array, position), DOUBLE)


def _numbers(asked: Asked) -> Sequence[str]:
    """What the rows of the source are compared with: an array, or numbers."""
    return [asked.array] if asked.array else asked.features


def _ranked(query: str, columns: Sequence[str], order: str, rows: int | str, within: str = "") -> str:
    """The first rows of a query by an order, or those of each value of a column: no LIMIT of groups or expressions."""
    named = ", ".join(columns)
    groups = f"PARTITION BY {within} " if within else ""
    ranks = f"SELECT {named}, row_number() OVER ({groups}ORDER BY {order} ASC) AS {_RANK}\nFROM ({query}) found"
    return f"SELECT {named}\nFROM ({ranks}) ranked\nWHERE {_RANK} <= {rows}"


def _union(dialect: Dialect, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A query of rows of constants."""
    return " UNION ALL ".join(
        f"SELECT {', '.join(f'{value} AS {name}' for value, name in zip(row, names, strict=True))}"
        f"{dialect.constants_from}"
        for row in rows
    )


def checked_vectors(vectors: Any, n_features: int | None, table: TableName, metric: Metric) -> Floats:
    """The vectors of a search, shape (vectors, features). Raises ParameterError for another length, and for no number.

    `vectors`: one vector, or a sequence of them.
    """
    try:
        x = np.asarray(unmasked(vectors), dtype=np.float64)
    except (TypeError, ValueError):
        x = np.full(1, np.nan)
    x = x[None, :] if x.ndim == 1 else x
    if x.ndim != 2 or not np.isfinite(x).all():
        raise ParameterError("vector must be a sequence of finite numbers, one a feature, or several such sequences")
    if n_features is not None and x.shape[1] != n_features:
        raise ParameterError(
            f"vector has {x.shape[1]:,} numbers, and {table} was made from rows of {n_features:,}: pass one number for "
            "each feature, in their order"
        )
    if metric == "cosine" and not x.any(axis=1).all():
        raise ParameterError("vector is all zeros, which has no direction: metric = 'l2' takes it")
    return x
