"""DuckDB: the embedded default.

Key differences: ARRAY and LIST columns with lambdas, files as tables, `query()` in table macros; integers of
8 to 128 bits fail on overflow (so they are widened before a sum); there is no stated limit on columns; the
binder costs about 35 µs and 15-20 kB per term of inline text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import P
from sqlrp._core.names import Folding
from sqlrp._core.numbers import BOOLEAN, BYTE, DOUBLE, FLOAT, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import (
    AT_ONCE,
    HASHED,
    OUT_OF_RANGE,
    Column,
    ColumnType,
    Costs,
    Limits,
    Lowering,
    Numbers,
    decimal,
)
from sqlrp._engines.duckdb.catalogue import DuckDBCatalogue
from sqlrp._engines.duckdb.lists import EMPTY, nested, one, text

_INTEGERS = {
    "BOOLEAN": 1,
    "TINYINT": 7,
    "UTINYINT": 8,
    "SMALLINT": 15,
    "USMALLINT": 16,
    "INTEGER": 31,
    "UINTEGER": 32,
    "BIGINT": 63,
    "UBIGINT": 64,
    "HUGEINT": 127,
    "UHUGEINT": 128,
}
_COLUMN = re.compile(r'(?:\w+\.)?(?:\w+|"(?:[^"]|"")+")')
"""A column by its name, with or without that of its table."""
_ARRAY = re.compile(r"^(?P<element>.*)\[(?P<size>\d*)\]$", re.DOTALL)
_CHANGED = re.compile(r"\b(UHUGEINT|BIGNUM|BIT|TIME WITH TIME ZONE|UNION|VARIANT)\b")
"""Types whose values DuckDB changes, or refuses, on their way through Arrow and back."""
_DECIMAL = re.compile(r"^DECIMAL\((\d+),(\d+)\)$")

_ROW = "sqlrp_row"  # stands for a row until it is known how often its array is written

_CURSORS = (
    "another thread uses this connection, or a result of it is not read to its end: give each its own con.cursor()"
)


class DuckDB(DuckDBCatalogue):
    """DuckDB."""

    name: ClassVar[str] = "duckdb"
    shifts_bits: ClassVar[bool] = True
    repeats: ClassVar[bool] = False
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    name_parts: ClassVar[int | None] = 3
    has_distances: ClassVar[bool] = True
    lists_rows: ClassVar[bool] = True
    temporary: ClassVar[str] = "temp."
    reads_files: ClassVar[bool] = True
    casts_booleans: ClassVar[bool] = False
    folding: ClassVar[Folding] = "ascii"
    materialized: ClassVar[str] = "MATERIALIZED "
    lists_from: ClassVar[str] = EMPTY
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "indexed", "relational")
    has_searches: ClassVar[bool] = True
    has_bytes: ClassVar[bool] = True
    keeps_plans: ClassVar[bool] = True
    streams: ClassVar[bool] = True
    keeping_view: ClassVar[str] = "CREATE VIEW {name} AS\n{query}"
    view_noun: ClassVar[str] = "VIEW"
    stores_views: ClassVar[bool] = False
    renames_views: ClassVar[bool] = True
    has_dot: ClassVar[bool] = True
    listing: ClassVar[str] = (
        "SELECT table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() AND table_schema = current_schema()"
    )
    transaction_query: ClassVar[str] = "SELECT txid_current()"
    """Equal answers come from the same transaction. Two may begin in one microsecond, which `begun_query` tells."""
    extension_query: ClassVar[str] = (
        "SELECT current_setting('allow_unsigned_extensions'), bool_or(installed), bool_or(loaded) "
        "FROM duckdb_extensions() WHERE extension_name = 'sqlrp'"
    )
    """whether a file that was built may be loaded, and whether the extension is installed, and loaded"""
    loading_extension: ClassVar[str] = "LOAD {name}"
    attachable_query: ClassVar[str] = (
        "SELECT current_setting('enable_external_access') AND EXISTS (FROM duckdb_databases() "
        "WHERE database_name = current_database() AND type COLLATE C = 'duckdb')"
    )
    """whether the session may read files, and its database is one of DuckDB's own, which takes copies of others"""
    attaching: ClassVar[str] = "ATTACH {file} AS {name} (READ_ONLY)"
    detaching: ClassVar[str] = "DETACH {name}"
    copying_database: ClassVar[str] = "COPY FROM DATABASE {source} TO {target}"
    # duckdb_functions() lists thousands first, which takes 25 ms.
    kernel_query: ClassVar[str] = "SELECT 1 FROM duckdb_extensions() WHERE extension_name = 'sqlrp' AND loaded"
    """a row if the extension is loaded"""
    kernel_inside_query: ClassVar[str] = (
        "SELECT 1 FROM duckdb_functions() WHERE function_name = 'sqlrp_kernel_double' LIMIT 1"
    )
    """the same where a session may read no files: duckdb_extensions() looks into a folder"""
    outside_query: ClassVar[str] = "SELECT current_setting('enable_external_access')"
    row_group: ClassVar[int] = 122_880
    capacity_query: ClassVar[str] = "SELECT current_setting('threads'), current_setting('memory_limit')"
    spill_query: ClassVar[str] = "SELECT current_setting('temp_directory')"
    argument: ClassVar[str] = "sqlrp_argument"
    joins_arrays: ClassVar[str] = "list_concat"
    looks_up: ClassVar[bool] = True
    array_of_text: ClassVar[str] = "CAST(CAST({column} AS VARCHAR) AS DOUBLE[])"
    json_types: ClassVar[tuple[str, ...]] = ("JSON",)
    matches: ClassVar[str] = "regexp_matches({text}, {pattern})"
    single: ClassVar[str] = "FLOAT"
    vector: ClassVar[str] = "FLOAT[{k}]"
    types_when_made: ClassVar[bool] = True
    remedies: ClassVar[Mapping[str, str]] = {
        "out of range for the destination type FLOAT": OUT_OF_RANGE,
        "busy with another call": _CURSORS,
        "Conflict on ": AT_ONCE,
        "write-write conflict": AT_ONCE,
        "has an open result": _CURSORS,
        "No open result set": _CURSORS,
        "pending query result": _CURSORS,
        "single attached database": "a table stands in the database of its record: USE that database first",
    }
    longest_vector: ClassVar[int] = 100_000
    limits: ClassVar[Limits] = Limits(
        columns=32_000,
        terms=100_000,
        expressions=32_000,
        source="columns: 5 seconds to plan them, and 1 GB, measured; terms: 2 GB of planner memory at 20 kB a term, "
        "measured; expressions: a block of 262,136 bytes a row",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def counted_with_capacity(self, count: str) -> str:
        """The query of a count, and of what `capacity_query` asks."""
        return self.capacity_query.replace("SELECT", f"SELECT ({count}),", 1)

    def table(self, name: TableName) -> str:
        """The quoted parts of the name, or the path of a file as a string."""
        if name.is_file:
            return self.string(name.parts[0])
        return super().table(name)

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays and lists of numbers, text. Every other type is none of these."""
        array = _ARRAY.match(text)
        if array:
            element = self.read_type(array["element"])
            size = int(array["size"]) if array["size"] else None
            number = None if element.is_array else element.number
            return ColumnType(text, number, is_array=True, size=size)
        if text in _INTEGERS:
            return ColumnType(text, Number("int", _INTEGERS[text]))
        if text in ("FLOAT", "DOUBLE"):
            return ColumnType(text, FLOAT if text == "FLOAT" else DOUBLE)
        if text == "BIGNUM":
            return ColumnType(text, DOUBLE)
        exact = _DECIMAL.match(text)
        if exact:
            return ColumnType(text, decimal(int(exact[1]), int(exact[2])))
        return ColumnType(text, is_text=text == "VARCHAR" or text.startswith("ENUM("))

    def type_name(self, number: Number) -> str | None:
        """INTEGER to HUGEINT, then BIGNUM (which adds, but does not multiply); DECIMAL up to 38 digits."""
        if not number.exact:
            return "DOUBLE" if number == DOUBLE else "TINYINT" if number == BYTE else "FLOAT"
        if number.kind == "decimal":
            return next(
                (f"DECIMAL({w},{number.digits})" for w in (18, 38) if number.bits <= int(w * np.log2(10))), None
            )
        sizes = (("INTEGER", 31), ("BIGINT", 63), ("HUGEINT", 127))
        return next((name for name, bits in sizes if number.bits <= bits), "BIGNUM")

    def array_for(self, text: str) -> str:
        """An array, whose length its type says."""
        return "FLOAT[n]"

    def passes(self, stored: ColumnType) -> bool:
        """Arrow has no type for some integers, and changes values of others."""
        return _CHANGED.search(stored.text.upper()) is None

    def bucket(self, column: str, count: int, at: int) -> str:
        """hash(…), of NULL too."""
        return f"hash({column}) % {count} = {at}"

    def about_distinct(self, column: str) -> str:
        """approx_count_distinct(…)."""
        return f"approx_count_distinct({column})"

    def multiplies(self, number: Number) -> bool:
        """BIGNUM times BIGNUM is a DOUBLE; DECIMAL products run out of digits."""
        return not number.exact or (number.kind == "int" and number.bits <= 127)

    def between(self, have: Number, want: Number) -> Number | None:
        """BIGNUM is cast to DOUBLE, and not to FLOAT."""
        return DOUBLE if self.type_name(have) == "BIGNUM" and self.type_name(want) == "FLOAT" else None

    def narrowed(self, feature: str, have: Number, want: Number) -> str | None:
        """SMALLINT: every node of an expression fills a buffer, so an addition takes as long as its type is wide."""
        if want.kind != "int" or want.bits > 15:
            return None
        return f"CAST({self.cast(feature, Number('int', 31)) if have == BOOLEAN else feature} AS SMALLINT)"

    def narrow(self, total: str, number: Number) -> str:
        """Sums of FLOAT are DOUBLE; a cast back would fail for sums that are infinite as a FLOAT."""
        if number != FLOAT:
            return self.cast(total, number)
        return f"coalesce(TRY_CAST({total} AS FLOAT), CAST('inf'::DOUBLE * {total} AS FLOAT))"

    def halved(self, expression: str) -> str:
        """/ is a division of floats; // is not."""
        return f"({expression} // 2)"

    def finite(self, expression: str) -> str:
        """isfinite(…)."""
        return f"isfinite({expression})"

    def fail(self, message: str) -> str:
        """error(…)."""
        return f"error({self.string(message)})"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """range(n)."""
        return f"SELECT CAST(range AS BIGINT) AS {column} FROM range({n})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string per column, unnested."""
        parts = (f"unnest({one(values)}) AS {name}" for name, values in columns.items())
        return f"SELECT {', '.join(parts)}{EMPTY}"

    def inserted(self, query: str, rows: int | None) -> str:
        """Less than a row group by a positional join. DuckDB writes other rows in parallel, and then copies them."""
        few = rows is not None and rows <= self.row_group
        return f"SELECT made.* FROM ({query}) made POSITIONAL JOIN range(0)" if few else query

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(CAST('0x' || md5({expression})[:15] AS BIGINT) % {P - 1})"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """63 bits of hash(…), which fit a BIGINT; NULL has a hash too. Collated texts that are equal have the same."""
        named = {self.quote(column.name): column.type for column in columns}
        texts = {name for name, kind in named.items() if not self.tells_all(kind)}
        return f"CAST(hash({', '.join(self.compared(name, texts) for name in named)}) >> 1 AS BIGINT)"

    def tells_all(self, type: ColumnType) -> bool:
        """The collation of a column is no part of what DuckDB calls its type."""
        return type.text != "VARCHAR"

    def exact(self, expression: str) -> str:
        """A BLOB; COLLATE is refused if the other side has another collation. Its hash is that of a text."""
        return f"encode({expression})"

    def missing(self, held: str, key: str, source: str, texts: Collection[str] = ()) -> str:
        """An anti join."""
        there = f"(SELECT {key} FROM {held}) held"
        same = f"{self.compared(key, texts, 'asked')} = {self.compared(key, texts, 'held')}"
        return f"SELECT held.{key} FROM {there} ANTI JOIN {source} asked ON {same}"

    def unlike(
        self,
        columns: Sequence[str],
        rows: str,
        key: str,
        marks: Sequence[str],
        held: str,
        texts: Collection[str] = (),
    ) -> str:
        """An anti join, which copies no columns of the rows that it drops."""
        there = f"(SELECT {', '.join([key, *marks])} FROM {held}) held"
        pairs = ((self.compared(c, texts, "held"), self.compared(c, texts, "asked")) for c in (key, *marks))
        same = " AND ".join(f"{a} = {b}" for a, b in pairs)
        return f"SELECT {', '.join(columns)}\nFROM {rows} ANTI JOIN {there} ON {same}"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a HUGEINT."""
        return f"CAST(sum({hashed}) % {HASHED} AS BIGINT)"

    def array_type(self, number: Number, size: int) -> str:
        """A fixed-size ARRAY up to 100,000 elements, else a LIST."""
        return f"{self.type_name(number)}[{size if size <= self.longest_vector else ''}]"

    def list_of(self, expressions: Sequence[str]) -> str:
        """[…]."""
        return f"[{', '.join(expressions)}]"

    def word_of_list(self, array: str, first: int, places: Sequence[int]) -> str:
        """list_sum over list_transform."""
        part = f"{array}[{first + 1}:{first + len(places)}]"
        place = f"CAST('[{', '.join(map(str, places))}]' AS BIGINT[])[i]"
        return f"CAST(list_sum(list_transform({part}, lambda e, i: {self.bit('e', place)})) AS BIGINT)"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """list_transform."""
        return array if factor is None else f"list_transform({array}, lambda e: {factor}*e)"

    def fixed(self, array: str, number: Number, size: int) -> str:
        """A cast of the list: array_value(…) boxes its elements. It is outside of CASE, which gives no ARRAY in 1.4."""
        return f"CAST({array} AS {self.array_type(number, size)})"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """list_resize adds the zeros."""
        return f"coalesce({array}, list_resize(CAST([] AS {self.type_name(number)}[]), {n}, {self.literal(0, number)}))"

    def length(self, array: str) -> str:
        """len(…)."""
        return f"len({array})"

    def complete(self, array: str, n: int) -> str:
        """list_position finds NULL too and reads only the validity mask: seven times as fast as list_count."""
        return f"{array} IS NOT NULL AND list_position({array}, NULL) IS NULL"

    def unnest(
        self, relation: str, columns: Sequence[str], array: str, position: str, value: str, filled: bool = False
    ) -> str:
        """Two unnests in one SELECT advance together, element by element."""
        return (
            f"SELECT {', '.join([*columns, f'unnest(range(len({array}))) AS {position}'])}, "
            f"unnest({array}) AS {value} FROM {relation}"
        )

    def collect(self, value: str, order: str) -> str:
        """list(… ORDER BY …)."""
        return f"list({value} ORDER BY {order} ASC)"

    def gathered(self, position: str, value: str, size: int, zero: str) -> str:
        """Positions of 16 bits, so that there is less to scan."""
        return f"list(CAST({position} AS SMALLINT)) AS f, list({value}) AS x"

    def filled(self, positions: str, values: str, size: int, zero: str) -> str | None:
        """list_position scans the list; up to 512 elements this is faster than a join with every position."""
        if size > 512:
            return None
        found = f"{values}[list_position({positions}, CAST(e AS SMALLINT))]"
        return f"list_transform(range({size}), lambda e: coalesce({found}, {zero}))"

    def appended(self, array: str, value: str) -> str:
        """list_append."""
        return f"list_append({array}, {value})"

    def index_lists(self, lists: list[list[int]]) -> str:
        """Positions count from 1."""
        return nested((",".join(str(i + 1) for i in inner) for inner in lists), "INTEGER")

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """list_select picks by position; list_sum of an empty list is NULL."""
        sides = [f"coalesce(list_sum(list_select({array}, {v})), 0)" for v in ("v", f"{minus}[i]")]
        return f"list_transform({plus}, lambda v, i: {self.narrow(f'({sides[0]} - {sides[1]})', number)})"

    def sums_by_bits(
        self, array: str, signs: npt.NDArray[Any], number: Number, first: int
    ) -> tuple[list[str], str] | None:
        """get_bit. To read a position of a list from its text takes as long as to add six elements by their bits."""
        n, k = signs.shape
        if number.exact or 6 * np.count_nonzero(signs) < signs.size:  # the least integer has no negative
            return None
        sides = [signs > 0] if signs.all() else [signs > 0, signs < 0]
        texts = [f"CAST('{''.join(map(str, side.T.astype(int).ravel().tolist()))}' AS BIT)" for side in sides]
        plus, minus = (f"get_bit(l{at}, CAST(v*{n}+i-1 AS INTEGER))=1" for at in (first, first + 1))
        other = "-e" if len(sides) == 1 else f"CASE WHEN {minus} THEN -e ELSE 0 END"
        signed = f"list_transform({array}, lambda e, i: CASE WHEN {plus} THEN e ELSE {other} END)"
        summed = f"coalesce(list_sum({signed}), 0)"
        return texts, f"list_transform(range({k}), lambda v: {self.narrow(summed, number)})"

    def weight_lists(self, lists: Sequence[npt.NDArray[np.float64]], number: Number) -> str:
        """Numbers as Python writes them."""
        return nested(map(text, lists), str(self.type_name(number)))

    def weighted_sums(self, array: str, weights: str, places: str | None) -> str:
        """list_dot_product accepts no NULL; of empty lists it is NULL."""
        if places is None:
            return f"list_transform({weights}, lambda w: list_dot_product({array}, w))"
        picked = f"list_dot_product(list_select({array}, {places}[i]), w)"
        return f"list_transform({weights}, lambda w, i: coalesce({picked}, 0))"

    def dot_from(self, array: str, other: str, place: int, n: int) -> str:
        """A slice, whose bounds count from 1."""
        return f"list_dot_product({array}, {other}[{place + 1}:{place + n}])"

    def convolved(self, array: str, n: int) -> tuple[str, str, str]:
        """b is the second half twice, reversed, so that each dot product reads a slice of it."""
        turned = f"list_reverse({array}[{n + 1}:{2 * n}])"
        dots = f"list_transform(range({n}), lambda c: list_dot_product(a, b[{n} - c:{2 * n - 1} - c]))"
        return f"{array}[1:{n}]", f"list_concat({turned}, {turned})", f"list_concat({dots}, {array}[{2 * n + 1}:])"

    def each(self, array: str, value: str) -> str:
        """list_transform."""
        return f"list_transform({array}, lambda e: {value})"

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """One product for every `degree` positions."""
        factors = "*".join(self.cast(f"{array}[v[i + {j + 1}]]", number) for j in range(degree))
        products = f"list_transform(range(0, len(v), {degree}), lambda i: {factors})"
        return f"list_transform({lists}, lambda v: {self.narrow(f'list_sum({products})', number)})"

    def looked_up(self, array: str, position: str, after: str | None) -> str:
        """A position past the end is NULL."""
        found = f"{array}[{position}+1]"
        return found if after is None else f"coalesce({found}, {after})"

    def numbers(self, values: Sequence[float]) -> str:
        """A list, from a text: one of expressions is planned number by number."""
        return f"CAST('{list(map(float, values))!r}' AS DOUBLE[])"

    def euclidean(self, a: str, b: str, size: int = 0) -> str:
        """list_distance, which takes no NULL, not even in a row that is not read; array_distance reads no such row."""
        if 0 < size <= self.longest_vector:
            return self._of_doubles("array_distance", a, b, size)
        return f"list_distance({_filled(a, b)}, {b})"

    def product(self, a: str, b: str) -> str:
        """list_inner_product."""
        return f"list_inner_product({a}, {b})"

    def whole_array(self, array: str, size: int) -> str:
        """An ARRAY of doubles, with 0 for NULL."""
        if not 0 < size <= self.longest_vector:
            return array
        return f"CAST({_with_zeros(array)} AS {self.array_type(DOUBLE, size)})"

    def filled_array(self, array: str, size: int) -> str:
        """An ARRAY, whose zeros need no other array to tell their number."""
        if not 0 < size <= self.longest_vector:
            return array
        return self.fixed(self.or_zeros(_with_zeros(array), size, DOUBLE), DOUBLE, size)

    def row_of(
        self, columns: Sequence[tuple[str, Number]], whole: Callable[[str], str], write: Callable[[str], str]
    ) -> str:
        """Parameters of lambdas. A list of floats is cast as a whole.

        In other lists one cast makes doubles of all numbers, but not of booleans.
        """
        if {have for _, have in columns} == {FLOAT}:
            array = f"CAST({self.list_of([column for column, _ in columns])} AS DOUBLE[])"
        else:
            array = self.list_of(
                [
                    self.widen(column, have, DOUBLE) if i == 0 or have == BOOLEAN else column
                    for i, (column, have) in enumerate(columns)
                ]
            )
        written, rows = write(_ROW), f"[{array}]"
        filled = self.fixed(whole("r"), DOUBLE, len(columns))
        if written.count(_ROW) > 1:
            rows, filled = f"list_transform({rows}, lambda r: {filled})", "r"
        return f"list_transform({rows}, lambda r: {written.replace(_ROW, filled)})[1]"

    def inner_product(self, a: str, b: str, size: int = 0) -> str:
        """list_inner_product, which takes no NULL either."""
        if 0 < size <= self.longest_vector:
            return self._of_doubles("array_inner_product", a, b, size)
        if a != b:
            return self.product(_filled(a, b), b)
        return f"list_sum(list_transform(CAST({a} AS DOUBLE[]), lambda e: e*e))"

    def _of_doubles(self, function: str, a: str, b: str, size: int) -> str:
        """A function of two arrays of doubles."""
        kind = self.array_type(DOUBLE, size)
        return f"{function}(CAST({a} AS {kind}), CAST({b} AS {kind}))"

    def vector_of(self, values: Sequence[float]) -> str:
        """An ARRAY of FLOAT."""
        return f"CAST({super().numbers(values)} AS FLOAT[{len(values)}])"

    def vector_distance(self, a: str, b: str, metric: str, vectors: str) -> str:
        """A function of arrays, by which the indexes of the extension vss order."""
        names = {"l2": "array_distance", "cosine": "array_cosine_distance", "inner": "array_negative_inner_product"}
        return f"{names[metric]}({a}, {b})"

    def bytes_as_vector(self, column: str, size: int) -> str:
        """A cast of the whole array."""
        return f"CAST({column} AS FLOAT[{size}])"

    def differing(self, a: str, b: str) -> str:
        """bit_count gives a TINYINT, and its sum would run over."""
        return f"CAST(bit_count(xor({a}, {b})) AS SMALLINT)"

    def texts(self, query: str, columns: Mapping[str, str]) -> str:
        """A query with these columns as text or arrays of text; each column's value is the suffix of its array type."""
        cast = (f"CAST({self.quote(c)} AS VARCHAR{array}) AS {self.quote(c)}" for c, array in columns.items())
        return f"SELECT * REPLACE ({', '.join(cast)}) FROM ({query})"


def _filled(array: str, other: str) -> str:
    """An array as a list of doubles, 0 for NULL, of the length of another list."""
    return f"coalesce({_with_zeros(array)}, list_transform({other}, lambda e: 0))"


def _with_zeros(array: str) -> str:
    """An array as a list of doubles, 0 for a NULL in it. A column is looked through for one first: most have none."""
    doubles = f"CAST({array} AS DOUBLE[])"
    filled = f"list_transform({doubles}, lambda e: coalesce(e, 0))"
    if _COLUMN.fullmatch(array) is None:  # what is computed would be computed again
        return filled
    return f"CASE WHEN list_position({doubles}, NULL) IS NULL THEN {doubles} ELSE {filled} END"
