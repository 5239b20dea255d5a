"""Spark, from version 4 on. The result is a DataFrame; nothing runs until it is read.

Key differences: Spark generates code for a SELECT, which takes 3 ms a term to compile and is slow in one large method,
so sums of many terms are left to its workers; long rows are summed together in one aggregate, with one shuffle of their
cells; there are no temporary tables, so a job of several steps is refused; a check of sqlrp's fails when the DataFrame
is read, with Spark's error; in ANSI mode overflows fail; tables of the session's catalogue cannot change rows, so
records are in the properties of tables and views.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import P
from sqlrp._core.names import Folding
from sqlrp._core.numbers import BOOLEAN, DOUBLE, SINGLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import HASHED, Column, ColumnType, Costs, Dialect, Limits, Lowering, Numbers, decimal
from sqlrp._dialects.distances import SearchFunction

_INTEGERS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}
_DECIMAL = re.compile(r"^decimal\((\d+),(\d+)\)$")
_PASSING = re.compile(
    r"^(array<)*(tinyint|smallint|int|bigint|float|double|decimal\(\d+,\d+\)|boolean|string|(var)?char\(\d+\)|binary|"
    r"date|timestamp|timestamp_ntz)>*$"
)
"""The types whose values are the same after they passed through Arrow."""
_TEXT = re.compile(r"^(string|(var)?char\(\d+\))")


class SparkWords(Dialect):
    """The phrases that Spark and Databricks share."""

    replaces_rows: ClassVar[str] = "merge"
    replans: ClassVar[bool] = True
    quotes: ClassVar[str] = "`"
    single: ClassVar[str] = "FLOAT"
    array: ClassVar[str] = "ARRAY<{number}>"
    joins_arrays: ClassVar[str] = "concat"
    array_of_text: ClassVar[str] = "from_json({column}, 'array<double>', map('mode', 'FAILFAST'))"
    matches: ClassVar[str] = "{text} RLIKE {pattern}"
    vector: ClassVar[str] = "ARRAY<FLOAT>"
    argument: ClassVar[str] = "sqlrp_argument"
    has_searches: ClassVar[bool] = True
    limits_by_expression: ClassVar[bool] = False
    tries_aliases: ClassVar[bool] = True
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "\\'"}

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays of numbers, text."""
        if text.startswith("array<"):
            element = self.read_type(text[len("array<") : -1])
            return ColumnType(text, None if element.is_array else element.number, is_array=True)
        if text in _INTEGERS:
            return ColumnType(text, Number("int", _INTEGERS[text]))
        exact = _DECIMAL.match(text)
        if exact:
            return ColumnType(text, decimal(int(exact[1]), int(exact[2])))
        if text == "boolean":
            return ColumnType(text, BOOLEAN)
        if text in ("float", "double"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=bool(_TEXT.match(text)))

    def text_type(self, length: int | None) -> str:
        """STRING."""
        return "STRING"

    def fail(self, message: str) -> str:
        """raise_error(…), which takes the type of the surrounding expression."""
        return f"raise_error({self.string(message)})"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(CAST(conv(substr(md5({expression}), 1, 15), 16, 10) AS BIGINT) % {P - 1})"

    # -- arrays: their elements count from 0 --------------------------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """array(…)."""
        return f"array({','.join(expressions)})"

    def element(self, array: str, position: int) -> str:
        """Positions count from 0."""
        return f"{array}[{position}]"

    def length(self, array: str) -> str:
        """array_size(…), which is NULL for NULL in every mode; size may be -1."""
        return f"array_size({array})"

    def complete(self, array: str, n: int) -> str:
        """The array is not NULL and contains no NULL."""
        return f"({array} IS NOT NULL AND NOT exists({array}, e -> e IS NULL))"

    def gathered(self, position: str, value: str, size: int, zero: str) -> str:
        """Pairs in order, with a zero for each position that they lack; often they lack none.

        It is all in one aggregate: a join would evaluate an expression over its result again for each pair of rows.
        """
        pairs = f"collect_list(struct(CAST({position} AS INT) AS o, {value} AS v)) FILTER (WHERE {value} IS NOT NULL)"
        lacking = f"transform(array_except(sequence(0, {size - 1}), p.o), o -> struct(o, {zero} AS v))"
        whole = f"CASE WHEN size(p) = {size} THEN sort_array(p).v ELSE sort_array(concat(p, {lacking})).v END"
        return f"transform(array({pairs}), p -> {whole})[0] AS x"

    def looked_up(self, array: str, position: str, after: str | None) -> str:
        """get gives NULL for positions that are not in the array."""
        return self._at(array, position) if after is None else f"coalesce(get({array}, {position}), {after})"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """range(n)."""
        return f"SELECT id AS {column} FROM range({n})"

    def _at(self, array: str, position: str) -> str:
        """An element at a position that differs by row."""
        return f"{array}[{position}]"

    def _field(self, structs: str, name: str) -> str:
        """The array of a field of an array of structs."""
        return f"{structs}.{name}"

    # -- scalar functions ----------------------------------------------------------------------

    def row_hash(self, columns: Sequence[Column]) -> str:
        """xxhash64, of 64 bits; it passes over NULL, so that the positions of NULL are hashed too."""
        names = [self.quote(column.name) for column in columns]
        return f"xxhash64({', '.join([*names, *(f'{name} IS NULL' for name in names)])})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a DECIMAL."""
        return f"CAST(sum(CAST({hashed} AS DECIMAL(20, 0))) % {HASHED} AS BIGINT)"

    def field(self, word: str, at: int, width: int) -> str:
        """shiftright."""
        return f"(shiftright({word}, {at})&{(1 << width) - 1})"

    def differing(self, a: str, b: str) -> str:
        """bit_count."""
        return f"bit_count({a} ^ {b})"

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A function in SQL, of the current database, with the mark as its comment."""
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}({self.argument} ARRAY<DOUBLE>) RETURNS {returns} "
            f"COMMENT {self.string(mark)} RETURN ({body})"
        )

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A table function in SQL, which Spark and Databricks have in these words.

        https://docs.databricks.com/aws/en/sql/language-manual/sql-ref-syntax-ddl-create-sql-function and
        https://spark.apache.org/docs/latest/sql-ref-syntax-ddl-create-sql-function.html
        """
        candidates = f"candidates BIGINT DEFAULT {made.candidates}"
        return (
            f"CREATE FUNCTION {self.table(name)}(query ARRAY<DOUBLE>, n BIGINT DEFAULT 10, {candidates})\n"
            f"RETURNS TABLE ({made.columns(self.quote(made.key), 'DOUBLE')}) COMMENT {self.string(made.record)}\n"
            f"RETURN {body('query', 'n', 'candidates')}"
        )

    def dropping_search(self, name: TableName) -> str:
        """DROP FUNCTION."""
        return f"DROP FUNCTION {self.table(name)}"

    def search_query(self, name: TableName) -> str:
        """DESCRIBE FUNCTION."""
        return self.named_function_query(name)

    def named_function_query(self, name: TableName) -> str:
        """DESCRIBE FUNCTION."""
        return f"DESCRIBE FUNCTION EXTENDED {self.table(name)}"


class Spark(SparkWords):
    """Spark."""

    name: ClassVar[str] = "spark"
    shifts_bits: ClassVar[bool] = True
    repeats: ClassVar[bool] = False
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    folding: ClassVar[Folding] = "letters"
    equals: ClassVar[str] = "<=>"  # the join is hashed
    making_temporary: ClassVar[str] = "CACHE TABLE {name} AS"  # a view whose rows are cached in the cluster
    dropping_temporary: ClassVar[str] = "DROP VIEW IF EXISTS"
    has_temporary: ClassVar[bool] = False
    keeping_view: ClassVar[str] = "CREATE VIEW {name} AS\n{query}"
    view_noun: ClassVar[str] = "VIEW"
    stores_views: ClassVar[bool] = False
    streams: ClassVar[bool] = True
    has_workers: ClassVar[bool] = True
    uncompiled: ClassVar[str] = "map_values(map_filter(map(0, {value}), (a, b) -> true))[0]"
    """Spark writes one method of Java for a SELECT, and the JVM compiles none of more than 8,000 bytes. A function for
    which Spark writes no code has it write many small methods. Spark 4.3 writes code for `transform` and `exists`."""
    compiled_terms: ClassVar[int] = 200
    """measured with 4.3 on 100,000 rows: 124 terms took as long either way, 248 to 496 twice as long without it, and
    from 1,031 on Spark splits by itself"""
    long_width: ClassVar[int] = 32
    """16 was as fast; one aggregate of all sums is not compiled and far slower"""
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "indexed", "relational")
    limits: ClassVar[Limits] = Limits(
        columns=None,
        terms=3_000,
        source="terms: an estimate, beyond which the generated code is larger than the 64 kB of a method of Java's",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def passes(self, stored: ColumnType) -> bool:
        """Numbers, text, times and arrays of them: other types have no type of Arrow's, or another one."""
        return bool(_PASSING.match(stored.text))

    def gathered_by(self, column: str) -> str:
        """CLUSTER BY: one shuffle, and a sort within its partitions."""
        return f" CLUSTER BY {column}"

    def type_name(self, number: Number) -> str | None:
        """INT, BIGINT, then DECIMAL of 38 digits, whose sums keep at most six digits after the point."""
        if not number.exact:
            return self.single if number == SINGLE else "DOUBLE"
        if number.kind == "int" and number.bits <= 63:
            return "INT" if number.bits <= 31 else "BIGINT"
        return f"DECIMAL(38,{number.digits})" if number.bits <= int(38 * np.log2(10)) and number.digits <= 6 else None

    def multiplies(self, number: Number) -> bool:
        """Products of decimals lose digits."""
        return not number.exact or (number.kind == "int" and number.bits <= 63)

    def halved(self, expression: str) -> str:
        """/ is a division of floats."""
        return f"({expression} div 2)"

    def finite(self, expression: str) -> str:
        """The condition that the number is none of NaN, Infinity and -Infinity: NaN equals NaN on this engine."""
        return f"({expression} NOT IN (DOUBLE('NaN'), DOUBLE('Infinity'), DOUBLE('-Infinity')))"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string of JSON per column, unnested together."""
        lists = (
            f"from_json('{values.tolist()}', 'ARRAY<{'DOUBLE' if values.dtype.kind == 'f' else 'BIGINT'}>')"
            for values in columns.values()
        )
        return f"SELECT inline(arrays_zip({', '.join(lists)})) AS ({', '.join(columns)})"

    def row_number(self) -> str:
        """Distinct numbers with gaps, which need no order; a relation with them is computed once."""
        return "(monotonically_increasing_id() + 1)"

    def as_text(self, expression: str) -> str:
        """A value as STRING."""
        return f"CAST({expression} AS STRING)"

    # -- arrays ------------------------------------------------------------------------------

    def cast_array(self, array: str, number: Number) -> str:
        """A cast of every element."""
        return f"CAST({array} AS {self.array_type(number, 0)})"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """Zeros for NULL elements too, because a NULL element makes a sum NULL."""
        zero = self.cast("0", number)
        return f"coalesce(transform({array}, e -> coalesce(e, {zero})), array_repeat({zero}, {n}))"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """transform."""
        return array if factor is None else f"transform({array}, e -> {factor}*e)"

    def unnest(
        self, relation: str, columns: Sequence[str], array: str, position: str, value: str, filled: bool = False
    ) -> str:
        """posexplode; OUTER if no array is empty: Spark would filter by the array's size, and compute it twice."""
        return (
            f"SELECT {', '.join([*columns, f'CAST(o AS BIGINT) AS {position}', f'e AS {value}'])}\n"
            f"FROM {relation} LATERAL VIEW {'OUTER ' if filled else ''}posexplode({array}) u AS o, e"
        )

    def collect(self, value: str, order: str) -> str:
        """Sort pairs: collect_list alone has no order and leaves out NULL. array_sort is not compiled."""
        return self._field(f"sort_array(collect_list(struct({order} AS o, {value} AS v)))", "v")

    def filled(self, positions: str, values: str, size: int, zero: str) -> str | None:
        """The gathered list, or zeros for a row without values."""
        return f"coalesce({values}, array_repeat({zero}, {size}))"

    # -- index lists -------------------------------------------------------------------------

    def appended(self, array: str, value: str) -> str:
        """array_append."""
        return f"array_append({array}, {value})"

    def index_lists(self, lists: list[list[int]]) -> str:
        """One string of JSON, read once. Positions count from 0."""
        return f"from_json('{str(lists).replace(' ', '')}', 'ARRAY<ARRAY<INT>>')"

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """aggregate(…) over the positions.

        The loops are in the method of the whole SELECT, whose code is compiled if it is split.
        """
        plus = self.uncompiled.format(value=plus)
        zero, of = self.cast("0", number), self._at(array, "j")
        sides = (f"aggregate({v}, {zero}, (total, j) -> total + {of})" for v in ("v", self._at(minus, "i")))
        return f"transform({plus}, (v, i) -> {' - '.join(sides)})"

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """One product for every `degree` positions; as `signed_sums`."""
        lists = self.uncompiled.format(value=lists)
        factors = "*".join(self.cast(self._at(array, self._at("v", f"i + {j}")), number) for j in range(degree))
        steps = f"sequence(0, size(v) - 1, {degree})"
        return f"transform({lists}, v -> aggregate({steps}, {self.cast('0', number)}, (total, i) -> total + {factors}))"

    def long_sums(
        self, cells: str, vectors: str, width: int, starts: Sequence[str], number: Number, spread: bool
    ) -> str:
        """The cells of a row meet in one partition, so only k numbers are written per row.

        Sums taken before the cells meet would send k numbers from every partition that has cells of the row. An
        aggregate of all k sums is not compiled (spark.sql.codegen.maxFields is 100): aggregates of `width` sums each
        were four times as fast. Without the hint, the optimiser does not know the number of vectors and joins them by
        sorting, which needs another shuffle of all cells.
        """
        zero, n = self.cast("0", number), len(starts)
        sums = ", ".join(
            self.narrow(
                f"coalesce(SUM(CASE WHEN v[{i}] > 0 THEN x WHEN v[{i}] < 0 THEN {zero} - x END), {zero})", number
            )
            for i in range(width)
        )
        hint = f"/*+ BROADCAST({vectors}) */ " if spread else ""
        blocks = (
            f"SELECT {hint}r, b, count(*) AS counted, count(x) AS present, array({sums}) AS sums\n"
            f"FROM {self._met(cells)} met LEFT JOIN {vectors} USING (f)\nGROUP BY r, b"
        )
        found = "map_from_entries(collect_list(struct(b, sums)) FILTER (WHERE b IS NOT NULL))"
        lists = f"transform(sequence(0, {n - 1}, {width}), b -> coalesce(found[b], array_repeat({zero}, {width})))"
        whole = f"slice(flatten({lists}), 1, {n})"
        if any(start != self.literal(0, number) for start in starts):
            whole = f"zip_with({whole}, array({','.join(starts)}), (a, b) -> {self.narrow('a + b', number)})"
        return (
            f"SELECT r, counted, present, {whole} AS sums\n"
            f"FROM (SELECT r, SUM(counted) AS counted, SUM(present) AS present, {found} AS found\n"
            f"FROM ({blocks}) blocks GROUP BY r) s"
        )

    def _met(self, cells: str) -> str:
        """Cells, those of a row in one partition."""
        return f"(SELECT r, f, x FROM {cells} DISTRIBUTE BY r)"

    # -- existing tables -----------------------------------------------------------------------

    def lists_of(self, queries: Sequence[str]) -> str:
        """One row with the rows of each query as a sorted list of structs."""
        lists = (f"(SELECT sort_array(collect_list(struct(*))) FROM ({query}) q)" for query in queries)
        return f"SELECT {', '.join(f'{rows} AS l{at}' for at, rows in enumerate(lists))}"

    def columns_query(self, name: TableName) -> str:
        """A SELECT of the whole table: Spark knows its schema without reading it."""
        return f"SELECT * FROM {self.table(name)}"
