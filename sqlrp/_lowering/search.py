"""The query of a search: the nearest rows of a projected table, ranked again by the rows that it was made from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.memory import unmasked
from sqlrp._core.names import spelled
from sqlrp._core.numbers import BYTE, DOUBLE
from sqlrp._core.options import Options
from sqlrp._core.sources import Output, TableName
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._evaluator.results import words
from sqlrp._lowering.corrections import origin_for
from sqlrp._lowering.distances_sql import Metric, of_arrays, of_columns
from sqlrp._lowering.endpoints import tree, whole_literal
from sqlrp._lowering.estimates import DistanceEstimates
from sqlrp._lowering.frame import Frame, Part
from sqlrp._lowering.job import FACTOR, SQUARE, Job
from sqlrp._lowering.least_distances import LeastDistances
from sqlrp._lowering.planner import plan
from sqlrp._lowering.rows_apart import are_arrays, by_arrays, literal, row_array, row_distance, row_numbers
from sqlrp._lowering.stored_codes import StoredCodes
from sqlrp._lowering.sum_lists import SumPlace
from sqlrp._projections.projection import Projection
from sqlrp._projections.rotations import TURNS, turns_at_random

Floats = npt.NDArray[np.float64]
_CANDIDATE, _NEAR, _RANK, _DISTANCE = "sqlrp_candidate", "sqlrp_near", "sqlrp_rank", "distance"
_GIVEN, _VECTOR, _ASKED, _CODED = "sqlrp_given", "sqlrp_vector", "sqlrp_asked", "sqlrp_coded"
_LIST, _LEAST, _GREATEST, SURE = "sqlrp_list", "sqlrp_least", "sqlrp_greatest", "sure"
_LENGTHS, _KNOWN = "sqlrp_lengths", ("sqlrp_total", "sqlrp_also", "sqlrp_norm")
"""The relation of what `LeastDistances` knows of the vector of a function, and its columns."""
QUERY, _VECTORS = "sqlrp_query", "sqlrp_vectors"
"""The column that counts the vectors of one statement, and their table."""
NEIGHBOUR = "neighbour"
"""The column of the other row's key in a result of neighbours."""
TOLD, PROOF = "sqlrp_told", "sqlrp_proof"
"""The column that is 1 in the row of a proof and 0 in the rows of a search, and that of the proof's text."""
_AT_ONCE, _OF_TABLE, _TEXT = 128, 1024, 4_000_000
"""The most vectors of one statement, the most of a table's, and the most characters."""
_ROW = 100
"""The characters of a row of constants besides these."""


@dataclass(frozen=True)
class SearchVector:
    """The vector of a search, as expressions."""

    code: Sequence[str]
    """what is compared with each column of the table"""
    array: str
    """the vector as an array of doubles, if the rows of the source are compared as arrays"""
    features: Sequence[str]
    """its numbers, if they are compared one by one"""
    known: Sequence[str] = ()
    """what `DistanceEstimates` knows of it"""
    looked: SumPlace | None = None
    """where the query has sums for its code, if it looks them up"""


@dataclass(frozen=True)
class Choice:
    """Which rows a search finds, and what it shows of each."""

    keep: tuple[str, ...] = ()
    """columns of the source"""
    where: str = ""
    """a condition on the columns of the source, as SQL"""
    offset: int = 0
    """how many of the nearest rows are left out"""
    but: str = ""
    """a key that is not to be found, as SQL"""
    sure: bool = False
    """whether it shows which of the rows are sure"""


@dataclass(frozen=True)
class VectorTable:
    """A table of vectors, whose numbers are read there and are no part of the text."""

    frame: Frame
    """like that of the source"""
    keys: Sequence[str]
    """those of its vectors, as SQL; none means all"""

    def numbers(self, job: Job) -> list[str]:
        """What the rows of a job's source are compared with, as its columns."""
        own = replace(job, frame=self.frame)
        return [row_array(own)] if by_arrays(own) else row_numbers(own)

    def query(self, dialect: Dialect, columns: Sequence[str], numbers: Sequence[str]) -> str:
        """The query of its keys and numbers."""
        key = dialect.quote(str(self.frame.key))
        given = _named([key, *numbers], [QUERY, *columns])
        chosen = f" WHERE {key} IN ({', '.join(self.keys)})" if self.keys else ""
        return f"SELECT {given} FROM {self.frame.relation(dialect)}{chosen}"


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
    choice: Choice = Choice()
    unpacks: bool = False
    """whether `_table` has the components of packed codes, which are then unpacked once for all vectors"""

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
        if self.choice.sure:
            self._check_sure()

    def _check_sure(self) -> None:
        """Raise an error for a table of which no row found can be sure."""
        job, name = self.job, str(self.table)
        if not self.again:
            raise ParameterError("sure = True compares true distances, and again = False has none: pass one of them")
        if not job.correct or job.fields is not None:
            has = "packed codes" if job.correct else "no numbers that correct its distances"
            raise ParameterError(
                f"sure = True is for codes of sqlrp.rounded(…, bits=…) with correct = True, and {name} has {has}: "
                "materialize it so, or leave sure out"
            )
        if not turns_at_random(job.projection, job.frame.n_features):
            raise ParameterError(
                f"sure = True needs the error of a rotation drawn at random, and {name} has codes of "
                f"{shorten(job.projection.name)}: round the components of sqlrp.OrthonormalProjection with k = the "
                f"number of features, or of sqlrp.Chained of {TURNS} HadamardProjection with k = the padded length and "
                "other seeds; or leave sure out"
            )
        if spelled(str(job.frame.key)) == SURE:
            raise ParameterError(f"the key of {name} is called {job.frame.key!r}, as a column of the result: rename it")

    @cached_property
    def _estimate(self) -> DistanceEstimates | None:
        """The distances of codes with the numbers that correct them; None of other ones."""
        if not self.job.correct:
            return None
        return DistanceEstimates(self.job, origin_for(self.job), self.metric, self._stored)

    @cached_property
    def _bound(self) -> LeastDistances | None:
        """What says which rows are sure; None where it is not asked."""
        return LeastDistances(self._estimate) if self.choice.sure and self._estimate is not None else None

    @property
    def _stored(self) -> StoredCodes:
        """What the table holds."""
        return StoredCodes(self.job, self.metric, self.vectors, self.unpacks)

    @property
    def asking(self) -> Projection:
        """The projection of the vector."""
        if self._estimate is not None:
            return self._estimate.asking
        return self.job.projection.asking(self.metric, self.job.output == "bits")[0]

    def text(self, x: Floats, z: Floats, n: int, candidates: int | None, proof: str = "") -> str:
        """The query for one vector x, shape (features,), with its components z, shape (k,). `proof`: see `_proving`.

        `candidates` None: all rows that can be among the n nearest.
        """
        asked, joined = self._looking_up(self._constants(x, z), z)
        query = self._query(asked, str(n + self.choice.offset), str(candidates or ""), joined)
        return self._proving(self._showing(query, []), proof, []) + self.job.dialect.settings

    def texts(
        self, x: Floats, z: Floats, n: int, candidates: int | None, proof: str = "", table: VectorTable | None = None
    ) -> Iterator[str]:
        """Queries for many vectors, shapes (vectors, features) and (vectors, k): as few as their length allows.

        The first column counts the vectors from 0, or is the key of the `table` that has them, and the nearest row of
        each comes first.
        """
        if not len(x):
            return
        n, names = n + self.choice.offset, list(map(str, range(len(x)))) if table is None else table.keys
        room = min(self.job.dialect.limits.characters or _TEXT, _TEXT)
        asked = self._constants(x[0], z[0], whole=table is None)
        each = sum(map(len, (*asked.code, *asked.known, *_numbers(asked)))) + _ROW
        step = min(max(room // (2 * each), 1), _AT_ONCE if table is None else _OF_TABLE)
        for first in range(0, len(x), step):
            own = slice(first, first + step)
            query = self._many(names[own], x[own], z[own], n, candidates, table)
            yield self._proving(self._showing(query, [QUERY]), proof, [QUERY]) + self.job.dialect.settings

    def neighbours(self, n: int, candidates: int) -> str:
        """The query for the n rows that are nearest to each row, of which none is its own: key, neighbour, distance."""
        job, dialect = self.job, self.job.dialect
        packed = job.fields is not None
        plain = replace(self, unpacks=True) if packed else replace(self, job=replace(job, correct=False))
        if plain._stored.shift:
            raise UnsupportedError(
                f"{self.table} has codes around a mean, which are compared with each other by metric = 'l2' alone: "
                "pass it, or search for the rows by search(…, like=keys)"
            )
        components = plain._stored.components
        codes = [f"sqlrp_code{i}" for i in range(len(components))]
        columns = _named([f"t.{self._key}", *components], [QUERY, *codes])
        asked = f"SELECT {columns} FROM {plain._table} t WHERE {self._there}"
        other = replace(plain, choice=replace(self.choice, but=f"q.{QUERY}"))
        compared = [f"q.{name}" for name in codes]
        between = plain._stored.distance(compared)
        near = other._each(
            f"t.{self._key}", _CANDIDATE, SearchVector(compared, "", ()), candidates, shown=False, near=between
        )
        whole, far = self._whole_rows
        ranked = self._again(near, _VECTORS, QUERY, far, n)
        once = dialect.materialized
        ahead = f"{_ASKED} AS {once}({asked}), {_VECTORS} AS {once}({whole})"
        shown = _named([f"f.{QUERY}", f"f.{self._key}", f"f.{_DISTANCE}"], [self._key, NEIGHBOUR, _DISTANCE])
        end = f"ORDER BY f.{QUERY} ASC, f.{_DISTANCE} ASC"
        return f"WITH {ahead}\nSELECT {shown}\nFROM ({ranked}) f\n{end}{dialect.settings}"

    @property
    def _whole_rows(self) -> tuple[str, str]:
        """The query of the rows of the source, and the distance of two of them, s and v.

        Each is read, and has its NULL filled, once, and not for each row that it is compared with.
        """
        job, dialect, size = self.job, self.job.dialect, self.job.frame.width
        arrays = are_arrays(job)
        numbers = [dialect.whole_array(row_array(job), size)] if arrays else row_numbers(job)
        names = [f"sqlrp_number{i}" for i in range(len(numbers))]
        one, other = ([f"{side}.{name}" for name in names] for side in "sv")
        if arrays:
            far = of_arrays(dialect, self.metric, one[0], other[0], size)
        else:
            far = of_columns(dialect, self.metric, one, other)
        return VectorTable(job.frame, ()).query(dialect, names, numbers), far

    def _again(self, near: str, rows: str, key: str, far: str, n: int) -> str:
        """The n nearest candidates of each vector of `_VECTORS`, v, by the rows, s, whose key is the column `key`.

        `near`: the query of candidates. `far`: the distance of v and s.
        """
        joined = f"({near}) c JOIN {rows} s ON s.{key} = c.{_CANDIDATE} JOIN {_VECTORS} v ON v.{QUERY} = c.{QUERY}"
        also = f", c.{_LEAST} AS {_LEAST}" if self._bound is not None else ""
        apart = f"SELECT c.{QUERY} AS {QUERY}, s.{key} AS {self._key}, {far} AS {_DISTANCE}{also}\nFROM {joined}"
        apart = self._with_sure(apart, [QUERY, self._key])
        return _ranked(self.job.dialect, apart, [QUERY, self._key, *self._ends], _DISTANCE, f"<= {n}", QUERY)

    def _least_rows(
        self, asked: SearchVector, bound: LeastDistances, counted: str, table: str, both: bool = False
    ) -> str:
        """The rows of a table t with the least distances that they can have. `counted`: the column of vectors.

        `both`: with the greatest ones, too.
        """
        if both:
            parts, ends = bound.both_parts(asked.code, asked.known, once=bool(counted)), bound.both()
            shown = _named(ends, [_NEAR, _GREATEST])
        else:
            parts = bound.parts(asked.code, asked.known, _NEAR, once=bool(counted))
            shown = _named([bound.least(_NEAR)], [_NEAR])
        own = _named([f"t.{self._key}", *(each for each, _ in parts)], [_CANDIDATE, *(name for _, name in parts)])
        rows = f"SELECT {counted and f'q.{counted} AS {counted}, '}{own} FROM {table}\nWHERE {self._there}"
        return f"SELECT {counted and f'{counted}, '}{_CANDIDATE}, {shown} FROM ({rows}{self.job.dialect.fence}) e"

    def _with_least(self, rows: str, candidates: str, limited: bool, within: str = "") -> str:
        """The candidates with the distance below which no other row can be; NULL if there is none.

        Those with the least possible distances are the candidates. So no other row has a lower one than the last.
        `limited`: whether LIMIT takes them.
        """
        self.job.dialect.check_windows()
        if limited:
            rows = self._first(f"{rows} ORDER BY {_NEAR} ASC", candidates)
        else:
            columns = [*([within] if within else []), _CANDIDATE, _NEAR]
            rows = _ranked(self.job.dialect, rows, columns, _NEAR, f"<= {candidates}", within)
        over = f"OVER ({f'PARTITION BY {within}' if within else ''})"
        least = f"CASE WHEN count(*) {over} >= {candidates} THEN max({_NEAR}) {over} END AS {_LEAST}"
        return f"SELECT {within and f'{within}, '}{_CANDIDATE}, {least}\nFROM ({rows}) b"

    def _all_near(self, rows: str, n: str, within: str = "") -> str:
        """All rows that can be among the n nearest, with the distance below which no other row can be.

        n rows are not farther than the n-th of the greatest distances. A row whose least one is above is not of them.
        """
        self.job.dialect.check_windows()
        own, part = within and f"{within}, ", f"PARTITION BY {within} " if within else ""
        rank = f"row_number() OVER ({part}ORDER BY {_GREATEST} ASC) AS {_RANK}"
        ranked = f"SELECT {own}{_CANDIDATE}, {_NEAR}, {_GREATEST}, {rank}\nFROM ({rows}) b"
        limit = f"max(CASE WHEN {_RANK} <= {n} THEN {_GREATEST} END) OVER ({part.rstrip()}) AS {_LEAST}"
        limited = f"SELECT {own}{_CANDIDATE}, {_NEAR}, {limit}\nFROM ({ranked}) ranked"
        where = f"{_NEAR} <= {_LEAST} OR {_NEAR} IS NULL"  # the cosine of a row of length 0
        return f"SELECT {own}{_CANDIDATE}, {_LEAST}\nFROM ({limited}) limited\nWHERE {where}"

    def _each_least(self, asked: SearchVector, n: int, candidates: int | None, bound: LeastDistances) -> str:
        """The candidates of each vector, as of `_with_least`, or of `_all_near`."""
        if candidates is not None and self.job.dialect.has_lateral:
            rows = self._least_rows(asked, bound, "", f"{self._table} t")
            found = self._with_least(rows, str(candidates), limited=True)
            names = _named([f"q.{QUERY}", f"f.{_CANDIDATE}", f"f.{_LEAST}"], [QUERY, _CANDIDATE, _LEAST])
            return f"SELECT {names}\nFROM {_ASKED} q CROSS JOIN LATERAL ({found}) f"
        table = f"{bound.ahead(self._table)} t CROSS JOIN {_ASKED} q"
        rows = self._least_rows(asked, bound, QUERY, table, both=candidates is None)
        if candidates is None:
            return self._all_near(rows, str(n), QUERY)
        return self._with_least(rows, str(candidates), limited=False, within=QUERY)

    def _with_sure(self, query: str, columns: Sequence[str], yes: str = "1", no: str = "0") -> str:
        """Rows with their distance, and whether no row besides the candidates can be nearer."""
        if self._bound is None:
            return query
        near = f"{_LEAST} IS NULL OR {self._bound.compared(_DISTANCE)} <= {_LEAST}"
        sure = f"CASE WHEN {near} THEN {yes} ELSE {no} END AS {SURE}"
        return f"SELECT {', '.join((*columns, _DISTANCE))}, {sure}\nFROM ({query}) a"

    def keys(self) -> str:
        """The query of the keys that can be found."""
        return f"SELECT t.{self._key} FROM {self.job.dialect.table(self.table)} t WHERE {self._there}"

    @property
    def _ends(self) -> tuple[str, ...]:
        """The last columns of the result."""
        return (_DISTANCE, SURE) if self.choice.sure else (_DISTANCE,)

    @property
    def _key(self) -> str:
        return self.job.dialect.quote(str(self.job.frame.key))

    def exact_texts(self, table: VectorTable, n: int) -> Iterator[str]:
        """Queries for the n nearest of all rows that can be found, without the codes, as `texts` shows them."""
        for first in range(0, len(table.keys), _AT_ONCE):
            part = replace(table, keys=table.keys[first : first + _AT_ONCE])
            given, far = self._of_table(part)
            source = f"{self.job.frame.relation(self.job.dialect)} s CROSS JOIN {_VECTORS} v"
            columns = _named([f"v.{QUERY}", f"s.{self._key}", far], [QUERY, self._key, _DISTANCE])
            apart = f"SELECT {columns}\nFROM {source} WHERE s.{self._key} IN ({self.keys()})"
            ranked = _ranked(self.job.dialect, apart, [QUERY, self._key, _DISTANCE], _DISTANCE, f"<= {n}", QUERY)
            query = f"WITH {_VECTORS} AS ({given})\n{ranked}\nORDER BY {QUERY} ASC, {_DISTANCE} ASC"
            yield query + self.job.dialect.settings

    def _of_table(self, table: VectorTable) -> tuple[str, str]:
        """The query of a table's vectors, and the distance of a row of the source from one of them, called v."""
        numbers = table.numbers(self.job)
        names = [f"sqlrp_number{i}" for i in range(len(numbers))]
        return table.query(self.job.dialect, names, numbers), self._far_from(names)

    def _far_from(self, names: Sequence[str]) -> str:
        """The distance of a row of the source from a row v of these columns."""
        compared = [f"v.{name}" for name in names]
        return self._far(SearchVector((), compared[0], ()) if by_arrays(self.job) else SearchVector((), "", compared))

    def _proving(self, query: str, proof: str, counted: Sequence[str]) -> str:
        """The query, with one row more that has the text of a proof, which is a query of one text, `answers`.

        `counted`: the columns before the key. One statement sees the tables and what is said of them at one time.
        """
        if not proof:
            return query
        quote = self.job.dialect.quote
        columns = [*counted, self._key, *map(quote, self.choice.keep), *self._ends]
        rows = f"SELECT {', '.join(f'f.{name} AS {name}' for name in columns)}, 0 AS {TOLD}, NULL AS {PROOF}"
        one = f"SELECT {', '.join('NULL' for _ in columns)}, 1, p.answers FROM ({proof}) p"
        order = ", ".join(f"{name} ASC" for name in (*counted, _DISTANCE))
        return f"SELECT * FROM ({rows} FROM ({query}) f UNION ALL {one}) r\nORDER BY {order}"

    def _showing(self, query: str, counted: Sequence[str]) -> str:
        """The rows of a query that are not left out, with the columns of the source that are shown.

        `counted`: the columns before the key.
        """
        dialect, offset, keep = self.job.dialect, self.choice.offset, self.choice.keep
        if not offset and not keep:
            return query
        key = self._key
        if offset:
            query = _ranked(
                self.job.dialect, query, [*counted, key, *self._ends], _DISTANCE, f"> {offset}", "".join(counted)
            )
        if keep:
            kept = [f"s.{name} AS {name}" for name in map(dialect.quote, keep)]
            columns = [
                *(f"f.{name} AS {name}" for name in (*counted, key)),
                *kept,
                *(f"f.{name} AS {name}" for name in self._ends),
            ]
            source = self.job.frame.relation(dialect)
            query = f"SELECT {', '.join(columns)}\nFROM ({query}) f JOIN {source} s ON s.{key} = f.{key}"
        return f"{query}\nORDER BY {', '.join(f'{name} ASC' for name in (*counted, _DISTANCE))}"

    def body(self, vector: str, n: str, candidates: str) -> str:
        """The query for a vector that is an expression. It fails for NULL, and for a vector of another length."""
        job, dialect = self.job, self.job.dialect
        size = job.frame.n_features or 0
        given = f"SELECT {self._checked(size)} AS {_VECTOR} FROM (SELECT {vector} AS {_GIVEN}) given"
        part = Part(_VECTOR, DOUBLE, size, ragged=False)
        frame = Frame.of_arrays(self.table, None, (), part, rows=1, query=f"SELECT {_VECTOR} FROM {_ASKED}")
        output: Output = "array" if job.output == "vector" else "columns" if job.fields is not None else job.output
        options = Options(output, job.scale, "propagate")
        coded = plan(Job.of(self.asking.bound(None), frame, dialect, options), single_statement=True)
        names = coded.job.output_names
        one = [f"(SELECT {name} FROM {_CODED})" if len(names) == 1 else f"q.{name}" for name in names]
        if job.output == "vector":
            one = [dialect.vector_from(one[0], job.k, job.dtype == "float16", self.vectors)]
        elif job.output == "array" and not dialect.has_distances:
            one = [dialect.element(one[0], i) for i in range(job.k)]
        array = f"(SELECT {_VECTOR} FROM {_ASKED})"
        elements = [dialect.element(array, i) for i in range(size)]
        known: Sequence[str] = ()
        if self._estimate is not None:

            def with_mean(mean: Floats) -> str:
                if dialect.has_distances:
                    return dialect.inner_product(array, dialect.numbers(mean.tolist()), size)
                return tree([f"{e}*{literal(job, m)}" for e, m in zip(elements, mean.tolist(), strict=True)])

            known = self._estimate.known_of(one, with_mean)
        once = dialect.materialized
        ahead = f"{_ASKED} AS {once}({given}),\n{_CODED} AS {once}({coded.bare().query})"
        joined = f", {_CODED} q" if len(names) > 1 else ""
        if self._bound is not None:
            lengths = _named(self._bound.known_of(one, known[0]), _KNOWN)
            ahead += f",\n{_LENGTHS} AS {once}(SELECT {lengths} FROM {_CODED} q)"
            joined, known = f"{joined}, {_LENGTHS} w", [f"w.{name}" for name in _KNOWN]
        own = f"v.{_VECTOR}" if dialect.joins_vector else array
        compared = [dialect.element(own, i) for i in range(size)] if not by_arrays(job) else ()
        asked = SearchVector(one, own, compared, known)
        paired = f" CROSS JOIN {_ASKED} v" if dialect.joins_vector else ""
        query = self._query(asked, n, candidates, joined, paired)
        return f"WITH {ahead}\n{query}"

    def _checked(self, size: int) -> str:
        """The vector of a call. It fails if it is NULL, has NULL, or another number of numbers than the features."""
        dialect = self.job.dialect
        other = f"sqlrp: the vector has not {size} elements: pass one number for each feature, in their order"
        missing = f"sqlrp: the vector is NULL, or a number in it is: pass {size} numbers, one for each feature"
        incomplete = f"CASE WHEN {dialect.complete(_GIVEN, size)} THEN 0 ELSE 1 END = 1"  # also where that is NULL
        whole = dialect.checked(incomplete, missing, _GIVEN)
        return dialect.without_null(dialect.checked(f"{dialect.length(_GIVEN)} <> {size}", other, whole))

    def _many(
        self, names: Sequence[str], x: Floats, z: Floats, n: int, candidates: int | None, table: VectorTable | None
    ) -> str:
        """One query for vectors with these names, as SQL."""
        dialect = self.job.dialect
        key = self._key
        end = f"ORDER BY {QUERY} ASC, {_DISTANCE} ASC"
        constants = [self._constants(one, own, whole=table is None) for one, own in zip(x, z, strict=True)]
        if table is None and not self._joins:  # an index of vectors is only used for a constant
            found = [
                f"SELECT {name} AS {QUERY}, f.{key} AS {key}, {', '.join(f'f.{end} AS {end}' for end in self._ends)}\n"
                f"FROM ({self._query(asked, str(n), str(candidates or ''))}) f"
                for name, asked in zip(names, constants, strict=True)
            ]
            names_shown = ", ".join((QUERY, key, *self._ends))
            return f"SELECT {names_shown}\nFROM ({' UNION ALL '.join(found)}) r\n{end}"
        short = [[*self._stored.typed(asked.code), *asked.known] for asked in constants]
        columns, codes = [f"sqlrp_code{i}" for i in range(len(short[0]))], len(constants[0].code)
        if self._stored.by_number and dialect.has_distances:
            lists = [[dialect.numbers(each.tolist()), *asked.known] for asked, each in zip(constants, z, strict=True)]
            coded = _apart(dialect, columns, codes, names, lists)
        else:
            coded = _union(dialect, columns, names, short)
        ahead = [f"{_ASKED} AS {dialect.materialized}({coded})"]
        shown = [f"q.{name}" for name in columns]
        own = replace(self, unpacks=self.job.fields is not None)
        near = SearchVector(shown[:codes], "", (), shown[codes:])
        if not self.again:
            return f"WITH {ahead[0]}\n{own._each(f't.{key}', key, near, n, shown=True)}\n{end}"
        if table is None:
            whole = [_numbers(asked) for asked in constants]
            numbers = [f"sqlrp_number{i}" for i in range(len(whole[0]))]
            given, far = _union(dialect, numbers, names, whole), self._far_from(numbers)
        else:
            given, far = self._of_table(replace(table, keys=names))
        ahead.append(f"{_VECTORS} AS ({given})")
        if self._bound is not None:
            near_ones = own._each_least(near, n, candidates, self._bound)
        else:
            assert candidates is not None
            near_ones = own._each(f"t.{key}", _CANDIDATE, near, candidates, shown=False)
        ranked = self._again(near_ones, self.job.frame.relation(dialect), key, far, n)
        return f"WITH {', '.join(ahead)}\n{ranked}\n{end}"

    def _each(self, key: str, name: str, asked: SearchVector, rows: int, shown: bool, near: str = "") -> str:
        """The first rows of the table for each vector; `shown`: with their distance. `near`: what orders them."""
        dialect, table, near = self.job.dialect, self._table, near or self._near(asked)
        if dialect.has_lateral:
            also = f", {self._shown(near, asked)} AS {_DISTANCE}" if shown else ""
            query = f"SELECT {key} AS {name}{also} FROM {table} t\nWHERE {self._there} ORDER BY {near} ASC"
            found = dialect.limited(query, rows, ordered=True)
            also = f", f.{_DISTANCE} AS {_DISTANCE}" if shown else ""
            return (
                f"SELECT q.{QUERY} AS {QUERY}, f.{name} AS {name}{also}\nFROM {_ASKED} q CROSS JOIN LATERAL ({found}) f"
            )
        columns = [QUERY, name, *([_DISTANCE] if shown else [])]
        also = f", {self._shown(near, asked)} AS {_DISTANCE}" if shown else ""
        apart = f"SELECT q.{QUERY} AS {QUERY}, {key} AS {name}, {near} AS {_NEAR}{also}\n"
        apart += f"FROM {table} t CROSS JOIN {_ASKED} q\nWHERE {self._there}"
        return _ranked(self.job.dialect, apart, columns, _NEAR, f"<= {rows}", QUERY)

    @property
    def _joins(self) -> bool:
        """Whether many vectors are joined with the table. An index of vectors is used for a constant elsewhere."""
        job = self.job
        return job.output != "vector" or job.written == BYTE or job.dialect.has_lateral

    @property
    def _table(self) -> str:
        """The table to join, with bytes as floats, which are then cast once for all vectors, or with components."""
        job, dialect = self.job, self.job.dialect
        table = dialect.table(self.table)
        if self.unpacks:
            packed = replace(self, unpacks=False)._stored.components
            columns = [self._key, *map(dialect.quote, job.code_names)]
            numbers = _named([dialect.cast(each, DOUBLE) for each in packed], self._stored.unpacked_names)
            return f"(SELECT {', '.join(columns)}, {numbers} FROM {table} t)"
        if job.output != "vector" or job.written != BYTE:
            return table
        key, z = dialect.quote(str(job.frame.key)), dialect.quote(job.output_names[0])
        also = f", {FACTOR}, {SQUARE}" if job.correct else ""
        return f"(SELECT {key}, {dialect.bytes_as_vector(z, job.k)} AS {z}{also} FROM {table})"

    @property
    def _there(self) -> str:
        """The condition that a row of the table is not NULL, and is one that may be found."""
        job, dialect, choice = self.job, self.job.dialect, self.choice
        key = self._key
        there = _is_there(job, f"t.{dialect.quote(job.output_names[0])}")
        if choice.where:
            keys = f"SELECT {key} FROM {job.frame.relation(dialect)} WHERE (\n{choice.where}\n)"
            there += f" AND t.{key} IN ({keys})"
        return there + (f" AND t.{key} <> {choice.but}" if choice.but else "")

    def _shown(self, near: str, asked: SearchVector) -> str:
        """The distance that is returned unless the candidates are ranked again."""
        if self._estimate is not None:
            return self._estimate.shown(near, asked.known)
        return f"{math.pi / self.job.k!r}*({near})" if self.job.output == "bits" else near

    def _query(self, asked: SearchVector, n: str, candidates: str, joined: str = "", paired: str = "") -> str:
        """`joined` follows the table, and `paired` the rows of the source. `candidates`: empty for `_all_near`."""
        job, quote = self.job, self.job.dialect.quote
        key, table = f"t.{quote(str(job.frame.key))}", f"{job.dialect.table(self.table)} t{joined}"
        there, near = self._there, self._near(asked)
        end = f"ORDER BY {_DISTANCE} ASC"
        named = quote(str(job.frame.key))
        if not self.again:
            asked_for = f"SELECT {key} AS {named}, {self._shown(near, asked)} AS {_DISTANCE}"
            order = end if self._estimate is None else f"ORDER BY {near} ASC"  # estimates below 0 are shown as 0
            return self._first(f"{asked_for} FROM {table}\nWHERE {there} {order}", n)
        limited = n.isdigit() or job.dialect.limits_by_expression
        also = ""
        if self._bound is not None:
            found = self._least_rows(asked, self._bound, "", table, both=not candidates)
            also = f", c.{_LEAST} AS {_LEAST}"
            rows = self._with_least(found, candidates, limited) if candidates else self._all_near(found, n)
        elif limited:
            found = f"SELECT {key} AS {_CANDIDATE} FROM {table}\nWHERE {there} ORDER BY {near} ASC"
            rows = self._first(found, candidates)
        else:
            ranked = f"SELECT {key} AS {_CANDIDATE}, {near} AS {_NEAR} FROM {table}\nWHERE {there}"
            rows = _ranked(job.dialect, ranked, [_CANDIDATE], _NEAR, f"<= {candidates}")
        joined = f"({rows}) c JOIN {job.frame.relation(job.dialect)} s ON s.{named} = c.{_CANDIDATE}{paired}"
        far = f"SELECT s.{named} AS {named}, {self._far(asked)} AS {_DISTANCE}{also}\nFROM {joined}"
        far = self._with_sure(far, [named], *(("1", "0") if n.isdigit() else ("TRUE", "FALSE")))
        if limited:
            return self._first(f"{far}\n{end}", n)
        return f"{_ranked(job.dialect, far, [named, *self._ends], _DISTANCE, f'<= {n}')}\n{end}"

    def _first(self, query: str, rows: str) -> str:
        """The first rows of an ordered query. Only a function of the database has an expression for their number."""
        if not rows.isdigit():
            return f"{query} LIMIT {rows}"
        return self.job.dialect.limited(query, int(rows), ordered=True)

    def _looking_up(self, asked: SearchVector, z: Floats) -> tuple[SearchVector, str]:
        """The vector, whose sums are looked up in a list where that is faster, and what the table is joined with."""
        if self._estimate is None or not self._stored.looks_up:
            return asked, ""
        dialect = self.job.dialect
        listed = f"SELECT {dialect.numbers(self._estimate.sums(z))} AS {_LIST}{dialect.fence}"
        return replace(asked, looked=SumPlace(f"l.{_LIST}", 0)), f", ({listed}) l"

    def _constants(self, x: Floats, z: Floats, whole: bool = True) -> SearchVector:
        """The components as constants, and if it is `whole` the vector."""
        job, dialect = self.job, self.job.dialect
        if self._stored.by_number:
            code = [literal(job, v) for v in z.tolist()]
        elif job.output == "bits" and job.single_code:
            bits = "".join("0" if v <= 0 else "1" for v in z.tolist())
            code = [f"CAST('{bits}' AS {dialect.code.format(k=job.k)})"]
        elif job.output == "bits":
            code = [whole_literal(word) for word in words(z[None, :])[:, 0].tolist()]
        else:
            code = [(dialect.vector_of if job.output == "vector" else dialect.numbers)(z.tolist())]
        known = [] if self._estimate is None else (self._bound or self._estimate).known(x, z)
        if not whole:
            return SearchVector(code, "", (), known)
        if by_arrays(job):
            return SearchVector(code, dialect.numbers(x.tolist()), (), known)
        return SearchVector(code, "", [literal(job, v) for v in x.tolist()], known)

    def _near(self, asked: SearchVector) -> str:
        """The distance of a row of the table."""
        if self._estimate is not None:
            return self._estimate.near(asked.looked or asked.code, asked.known)
        return self._stored.distance(asked.code)

    def _far(self, asked: SearchVector) -> str:
        """The distance of a row of the source."""
        return row_distance(self.job, self.metric, asked.array, asked.features)


def _numbers(asked: SearchVector) -> Sequence[str]:
    """What the rows of the source are compared with: an array, or numbers."""
    return [asked.array] if asked.array else asked.features


def _ranked(dialect: Dialect, query: str, columns: Sequence[str], order: str, rows: str, within: str = "") -> str:
    """Rows of a query by their places in an order, or in that of each value of a column, such as "<= 5".

    LIMIT takes no groups, and on some engines no expressions.
    """
    dialect.check_windows()
    named = ", ".join(columns)
    groups = f"PARTITION BY {within} " if within else ""
    ranks = f"SELECT {named}, row_number() OVER ({groups}ORDER BY {order} ASC) AS {_RANK}\nFROM ({query}) found"
    return f"SELECT {named}\nFROM ({ranks}) ranked\nWHERE {_RANK} {rows}"


def _is_there(job: Job, first: str) -> str:
    """The condition that a row of a job is not NULL, by its first output."""
    return job.dialect.arrays_are_there(first) if job.shape == "array" else f"{first} IS NOT NULL"


def _named(values: Sequence[str], names: Sequence[str]) -> str:
    """Values with names, as a SELECT lists them."""
    return ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))


def _union(dialect: Dialect, columns: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A query of rows of constants, each with a name in the column `QUERY`."""
    return " UNION ALL ".join(
        f"SELECT {_named([name, *row], [QUERY, *columns])}{dialect.constants_from}"
        for name, row in zip(names, rows, strict=True)
    )


def _apart(
    dialect: Dialect, columns: Sequence[str], n: int, names: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    """The same of rows that begin with an array of the first n columns: constants one by one take long to plan."""
    rest = columns[n:]
    elements = [dialect.element(_LIST, i) for i in range(n)]
    shown = _named([QUERY, *elements, *rest], [QUERY, *columns])
    return f"SELECT {shown} FROM ({_union(dialect, [_LIST, *rest], names, rows)}) a"


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
