"""ClickHouse.

Key differences: columns and arrays accept NULL only if their type says so, and an array itself is never NULL (a row
without a result is an array of NULLs); an alias hides a column of the same name within the SELECT, and a cast drops
Nullable, so every query ends with settings that change both; integers wrap silently, so beyond 64 bits they are
Decimals, which do not wrap; sums of Float32 are computed in Float64; a common table expression is computed again at
each use; the limits on the size of a text are settings, which are raised while a projection runs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import P
from sqlrp._core.numbers import BOOLEAN, DOUBLE, SINGLE, Number
from sqlrp._core.script import Script, Setup, Statement
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import Column, ColumnType, Costs, Limits, Lowering, Numbers, decimal
from sqlrp._dialects.table_queries import HELPER
from sqlrp._engines.clickhouse.cluster import ClickHouseCluster

_INTEGER = re.compile(r"^(U?)Int(\d+)$")
_DECIMAL = re.compile(r"^Decimal\((\d+), *(\d+)\)$")
_TEXT = re.compile(r"^(String|FixedString\(\d+\)|Enum\d*\(.*\))$", re.DOTALL)
_WRAPPED = re.compile(
    r"^(?:Nullable\(|LowCardinality\(|SimpleAggregateFunction\(\w+(?:\([^()]*\))?, )(.*)\)$", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0"}

_READONLY = "connect as a user without the setting readonly to write; with readonly = 2 all that only reads runs as SQL"


class ClickHouse(ClickHouseCluster):
    """ClickHouse."""

    name: ClassVar[str] = "clickhouse"
    shifts_bits: ClassVar[bool] = True
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    name_parts: ClassVar[int | None] = 2
    has_distances: ClassVar[bool] = True
    has_searches: ClassVar[bool] = True
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "\\'"}
    reads_files: ClassVar[bool] = True
    making_temporary: ClassVar[str] = "CREATE OR REPLACE TEMPORARY TABLE {name} ENGINE = Memory AS"
    """in memory; OR REPLACE helps users who run the text by itself in a session that has the table"""
    dropping_temporary: ClassVar[str] = "DROP TEMPORARY TABLE IF EXISTS"
    """without TEMPORARY, a table of the database could be dropped"""
    making_again: ClassVar[str] = "CREATE OR REPLACE TEMPORARY TABLE "
    """how the making of a temporary table begins that drops another one of its name"""
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "indexed", "relational")
    remedies: ClassVar[Mapping[str, str]] = {"in readonly mode": _READONLY}
    restricted_query: ClassVar[str] = (
        "SELECT if(getSetting('readonly') = 1, 'the setting readonly = 1 allows no temporary tables, and no settings "
        f"of queries: {_READONLY}', NULL)"
    )
    has_dot: ClassVar[bool] = True
    scalar_lists: ClassVar[bool] = True
    adds_lists: ClassVar[bool] = True
    repeats: ClassVar[bool] = True
    single: ClassVar[str] = "Float32"
    array: ClassVar[str] = "Array(Nullable({number}))"
    array_of_text: ClassVar[str] = (  # no array is NULL, so the elements are
        "CAST(coalesce(toString({column}), concat('[', substring(repeat(',NULL', {size}), 2), ']')) "
        "AS Array(Nullable(Float64)))"
    )
    matches: ClassVar[str] = "match({text}, {pattern})"
    joins_arrays: ClassVar[str] = "arrayConcat"
    joins_numbers: ClassVar[bool] = False
    vectors_take_null: ClassVar[bool] = False
    has_array: ClassVar[str] = ""
    vector: ClassVar[str] = "Array(Float32)"
    stores: ClassVar[bool] = True
    argument: ClassVar[str] = "sqlrp_argument"
    transactional: ClassVar[bool] = False
    keeping_view: ClassVar[str] = (
        "CREATE MATERIALIZED VIEW {name} ENGINE = MergeTree ORDER BY tuple() POPULATE AS\n{query}"
    )
    view_noun: ClassVar[str] = "TABLE"
    renames_views: ClassVar[bool] = True
    views_see_inserts: ClassVar[bool] = True
    listing: ClassVar[str] = "SELECT name FROM system.tables WHERE database = currentDatabase()"
    row_group: ClassVar[int] = 8192
    """the rows of a granule: `settings` lets a thread read as few"""
    capacity_query: ClassVar[str] = "SELECT getSetting('max_threads')"
    settings: ClassVar[str] = (
        "\nSETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1,"
        " merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760"
    )
    """the first three for the same results everywhere; the last two, as by default one thread alone may read, and
    compute, a table of fewer than 163,840 rows or 250 MB: one granule is work enough for a thread of its own"""
    room: ClassVar[Mapping[str, int | str]] = {
        "max_query_size": 1 << 30,
        "max_ast_elements": 100_000_000,
        "max_expanded_ast_elements": 100_000_000,
        "prefer_global_in_and_join": 1,
        "cast_keep_nullable": 1,
        "join_default_strictness": "ALL",
        "limit": 0,
        "offset": 0,
        "output_format_arrow_string_as_string": 1,
        **{f"{kind}_overflow_mode": "throw" for kind in ("read", "result", "group_by", "sort", "distinct", "join")},
    }
    """the settings that bound a statement's text, which the text itself cannot set; one that keeps the servers of a
    Distributed table from looking for a table that is on this server alone; and those that would change what a
    statement means, or cut what it reads"""
    limits: ClassVar[Limits] = Limits(
        columns=10_000,
        terms=12_000,
        source="columns: 6 seconds for five rows of 10,000, and 65 for 30,000, measured; "
        "terms: what a max_query_size of 262,144 bytes and max_ast_elements of 50,000 hold: an estimate",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def quote(self, name: str) -> str:
        """Backticks, with backslashes as escapes."""
        return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"

    def table(self, name: TableName) -> str:
        """The quoted parts of the name, or the path of a file."""
        if name.is_file:
            return f"file({self.string(name.parts[0])})"
        return super().table(name)

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays of numbers, text; also Nullable and LowCardinality. Not every Int256 fits into a Decimal."""
        inner = bare(text)
        if inner.startswith("Array("):
            element = self.read_type(inner[len("Array(") : -1])
            return ColumnType(text, None if element.is_array else element.number, is_array=True)
        integer, exact = _INTEGER.match(inner), _DECIMAL.match(inner)
        if integer:
            bits = int(integer[2]) - (not integer[1])
            return ColumnType(text, Number("int", bits) if bits <= 128 else DOUBLE)
        if exact:
            return ColumnType(text, decimal(int(exact[1]), int(exact[2])))
        if inner == "Bool":
            return ColumnType(text, BOOLEAN)
        if inner in ("Float32", "Float64", "BFloat16"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=bool(_TEXT.match(inner)))

    def type_name(self, number: Number) -> str | None:
        """Int64, then Decimals: they fail on overflow, where Int128 and Int256 wrap, and Arrow has them."""
        if not number.exact:
            return self.single if number == SINGLE else "Float64"
        if number.kind == "int" and number.bits <= 63:
            return "Int64"
        return next(
            (f"Decimal({w}, {number.digits})" for w in (38, 76) if number.bits <= int(w * np.log2(10))),
            None,
        )

    def cast(self, expression: str, number: Number) -> str:
        """CAST, which makes no Decimal of integers of 128 bits; toDecimal256 does."""
        if str(self.type_name(number)).startswith("Decimal(76, "):
            return f"toDecimal256({expression}, {number.digits})"
        if not self.settings:  # as in `reading`: without the setting, a cast drops Nullable
            return f"CAST({expression} AS Nullable({self.type_name(number)}))"
        return super().cast(expression, number)

    def multiplies(self, number: Number) -> bool:
        """Products of Decimals add up their digits and run out of them, except for whole numbers."""
        return not number.exact or (number.kind == "int" and self.type_name(number) is not None)

    def halved(self, expression: str) -> str:
        """/ is a division of floats."""
        return f"intDiv({expression}, 2)"

    def finite(self, expression: str) -> str:
        """isFinite(…)."""
        return f"isFinite({expression})"

    def literal(self, value: float, number: Number) -> str:
        """An integer literal has the narrowest type that holds it, which both Decimal and Int64 accept."""
        if number.exact:
            return self.cast(str(int(value)), number) if self.type_name(number) != "Int64" else str(int(value))
        return super().literal(value, number)

    def fail(self, message: str) -> str:
        """throwIf(…). A CASE evaluates it only for the rows of its branch."""
        return f"throwIf(1, {self.string(message)})"

    def checked(self, wrong: str, message: str, value: str) -> str:
        """An array sliced from an offset that fails: a CASE cannot mix an array and a number."""
        return f"arraySlice({value}, 1 + throwIf({wrong}, {self.string(message)}))"

    def create_table(self, name: str, query: str, kind: str = "TABLE") -> str:
        """A MergeTree without a sorting key."""
        return f"CREATE {kind} {name} ENGINE = MergeTree ORDER BY tuple() AS {query}"

    def adding(self, target: str, query: str, helper: str) -> Script:
        """Fill a second table, whose parts the target takes over at once: an INSERT may stop between two blocks."""
        return Script(
            Statement(f"ALTER TABLE {target} ATTACH PARTITION tuple() FROM {helper}"),
            (
                Setup(f"CREATE TABLE {helper} AS {target}", f"DROP TABLE IF EXISTS {helper}"),
                Setup(f"INSERT INTO {helper} {query}"),
            ),
        )

    def replacing(
        self,
        target: TableName,
        columns: Sequence[str],
        keys: Sequence[str],
        query: str,
        helper: TableName,
        texts: Collection[str] = (),
    ) -> Script:
        """Change a copy of the target, whose parts the target then takes over at once; the copy shares its files.

        A deletion runs in the background, where no temporary tables are known and names have to be full.
        """
        key = columns[0]
        of = TableName((*helper.parts[:-1], f"{helper.parts[-1]}_keys"))
        new, gone, here = self.table(helper), self.table(of), self.table(target)
        listed = " UNION ALL ".join(f"SELECT {key} FROM {each}" for each in keys)
        return Script(
            Statement(f"ALTER TABLE {here} REPLACE PARTITION tuple() FROM {new}"),
            (
                Setup(f"CREATE TABLE {new} AS {here}", f"DROP TABLE IF EXISTS {new}"),
                Setup(
                    f"CREATE TABLE {gone} ENGINE = Memory COMMENT {self.string(HELPER)} AS {listed}",
                    f"DROP TABLE IF EXISTS {gone}",
                ),
                Setup(f"ALTER TABLE {new} ATTACH PARTITION tuple() FROM {here}"),
                Setup(self.removing(new, key, gone)),
                Setup(f"INSERT INTO {new} {query}"),
            ),
        )

    def updating(self, table: str, changes: str, where: str) -> str:
        """A mutation; the statement waits until it is done."""
        return f"ALTER TABLE {table} UPDATE {changes} WHERE {where} SETTINGS mutations_sync = 1"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """numbers(n), cast because an Int64 cannot be joined with its type."""
        return f"SELECT toInt64(number) AS {column} FROM numbers({n})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string per column, unnested together: an array literal would be a node for each element."""
        parts = [
            f"CAST('{[*values.tolist()]}' AS Array({'Float64' if values.dtype.kind == 'f' else 'Int64'})) AS {name}"
            for name, values in columns.items()
        ]
        return f"SELECT {', '.join(columns)} FROM (SELECT {', '.join(parts)}) s ARRAY JOIN {', '.join(columns)}"

    def row_number(self) -> str:
        """Cast to Int64, so that a row number minus 1 is an Int64 too."""
        return "toInt64(row_number() OVER ())"

    def hash_name(self, expression: str) -> str:
        """The first 60 bits of MD5, mod (P-1)."""
        first = f"reinterpretAsUInt64(reverse(substring(MD5(toString({expression})), 1, 8)))"
        return f"toInt64(bitShiftRight({first}, 4) % {P - 1})"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """cityHash64 of a tuple: of NULL alone it is NULL."""
        return f"cityHash64(tuple({', '.join(self.quote(column.name) for column in columns)}))"

    def missing(self, held: str, key: str, source: str, texts: Collection[str] = ()) -> str:
        """NOT IN makes a set of the source's keys; EXCEPT takes six times as long."""
        return f"SELECT {key} FROM (SELECT {key} FROM {held}) held WHERE {key} NOT IN (SELECT {key} FROM {source})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum of an UInt64 wraps."""
        return f"sum({hashed})"

    def encoded(self, text: str) -> bool:
        """Arrow has the numbers of an enumeration and of an address."""
        return bare(text).startswith(("Enum", "IPv4", "IPv6"))

    @staticmethod
    def names_of(text: str) -> dict[int, str]:
        """The names of an enumeration by their numbers."""
        pairs = re.findall(r"'((?:[^'\\]|\\.)*)' = (-?\d+)", bare(text), re.DOTALL)
        return {int(number): _ESCAPED.sub(lambda found: _PLAIN.get(found[1], found[1]), name) for name, number in pairs}

    def as_text(self, expression: str) -> str:
        """toString keeps NULL; a cast to String refuses it."""
        return f"toString({expression})"

    # -- arrays ------------------------------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """[…]."""
        return f"[{','.join(expressions)}]"

    def typed(self, array: str, size: int, output: str, half: bool) -> str:
        """Cast every element. A vector accepts no NULL, so a row without a result is a vector of NaN."""
        return self.cast_array(f"arrayMap(e -> coalesce(e, nan), {array})" if output == "vector" else array, SINGLE)

    def array_for(self, text: str) -> str:
        """QBit has such a cast."""
        return "Array(Float32)"

    def cast_array(self, array: str, number: Number) -> str:
        """Cast every element to a type that accepts NULL."""
        return f"arrayMap(e -> {self.cast('e', number)}, {array})"

    def array_or_null(self, array: str, ok: str) -> str:
        """An array is never NULL, so every element becomes NULL."""
        return f"arrayMap(e -> e + 0 * {ok}, {array})"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """arrayMap."""
        return array if factor is None else f"arrayMap(e -> {factor}*e, {array})"

    def arrays_are_there(self, column: str) -> str:
        """Arrays are never NULL, so their elements are, or NaN in vectors."""
        return f"arrayAll(e -> coalesce(e = e, false), {column})"

    def euclidean(self, a: str, b: str, size: int = 0) -> str:
        """L2Distance, which takes no NULL."""
        return f"L2Distance({_present(a)}, {_present(b)})"

    def inner_product(self, a: str, b: str, size: int = 0) -> str:
        """dotProduct, which takes no NULL."""
        return f"dotProduct({_present(a)}, {_present(b)})"

    def vector_distance(self, a: str, b: str, metric: str, vectors: str) -> str:
        """A function by which the engine's indexes order; they have none for inner products."""
        return f"{ {'l2': 'L2Distance', 'cosine': 'cosineDistance', 'inner': '-dotProduct'}[metric] }({a}, {b})"

    def field(self, word: str, at: int, width: int) -> str:
        """bitAnd and bitShiftRight."""
        return f"bitAnd(bitShiftRight({word}, {at}), {(1 << width) - 1})"

    def differing(self, a: str, b: str) -> str:
        """bitCount and bitXor."""
        return f"bitCount(bitXor({a}, {b}))"

    def length(self, array: str) -> str:
        """length(…)."""
        return f"length({array})"

    def complete(self, array: str, n: int) -> str:
        """No element is NULL."""
        return f"NOT arrayExists(e -> e IS NULL, {array})"

    def unnest(
        self, relation: str, columns: Sequence[str], array: str, position: str, value: str, filled: bool = False
    ) -> str:
        """ARRAY JOIN of the array and its positions."""
        return (
            f"SELECT {', '.join([*columns, f'toInt64(o) - 1 AS {position}', f'e AS {value}'])}\n"
            f"FROM {relation} ARRAY JOIN {array} AS e, arrayEnumerate({array}) AS o"
        )

    def collect(self, value: str, order: str) -> str:
        """Sort pairs: groupArray alone has no order and leaves out NULL."""
        return f"arrayMap(p -> p.2, arraySort(p -> p.1, groupArray(({order}, {value}))))"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """The array itself: it is never NULL."""
        return array

    def appended(self, array: str, value: str) -> str:
        """arrayPushBack."""
        return f"arrayPushBack({array}, {value})"

    def each(self, array: str, value: str) -> str:
        """arrayMap."""
        return f"arrayMap(e -> {value}, {array})"

    def multiplies_lists(self, number: Number) -> bool:
        """arrayDotProduct has no Decimals."""
        return self.type_name(number) in ("Int64", "Float64")

    def dots(self, array: str, weights: npt.NDArray[Any], number: Number, first: int) -> tuple[list[str], str]:
        """One arrayDotProduct for each column, because arrayMap over the columns would copy the array for each.

        0 times infinity is NaN, so a row whose sum is not finite is summed over the positions of the weights.
        """
        type_, (n, k) = self.type_name(number), weights.shape
        places = [np.flatnonzero(column) for column in weights.T]
        dots = ", ".join(f"arrayDotProduct({array}, l{first}[{c + 1}])" for c in range(k))
        if number.exact or all(len(p) == n for p in places):
            return [_list_of_lists(weights.T, type_)], f"[{dots}]"
        values = [column[p] for column, p in zip(weights.T, places, strict=True)]
        listed = [_list_of_lists(values, type_), _list_of_lists([p + 1 for p in places], "Int32")]
        summed = f"arraySum(arrayMap((i, w) -> w * {array}[i], p, v))"
        picked = f"arrayMap((p, v) -> {summed}, l{first + 2}, l{first + 1})"
        # indexOf is 0 for a position that is not there, and so is the element at that index.
        found = f"arrayMap(i -> v[indexOf(p, i)], range(1, {n + 1}))"
        full = f"arrayMap((p, v) -> {found}, {listed[1]}, {listed[0]})"
        return [full, *listed], f"if(isFinite(arraySum({array})), [{dots}], {picked})"

    def small_blocks(self, n: int) -> str:
        """Some 800 kB: with blocks of millions of bytes, 488 dot products of 784 numbers take twice as long."""
        return f", max_block_size = {max(100_000 // n, 16)}"

    def parts_of(self, array: str, signs: str, n: int, length: int) -> tuple[str, list[str]]:
        """arrayResize pads with zeros."""
        starts = range(1, n + 1, length)
        whole = f"arrayResize(arrayMap((v, s) -> v * s, {array}, {signs}), {len(starts) * length})"
        return whole, [f"arraySlice(x, {start}, {length})" for start in starts]

    def weighing(self, flips: npt.NDArray[Any], signs: npt.NDArray[Any], number: Number) -> list[str]:
        """In the type of the sums."""
        type_ = self.type_name(number)
        return [f"{_list_of_lists(flips[None, :], type_)}[1]", _list_of_lists(signs.T, type_)]

    def dot(self, array: str, lists: str, place: int) -> str:
        """arrayDotProduct."""
        return f"arrayDotProduct({array}, {lists}[{place + 1}])"

    # -- sessions ------------------------------------------------------------------------------

    def settings_query(self, names: Sequence[str]) -> str:
        """One row of the values. The table system.settings would take five times as long."""
        return f"SELECT {', '.join(f'getSetting({self.string(name)})' for name in names)}"

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """SET changes the session; there are no transactions."""
        written = {name: self.string(value) if isinstance(value, str) else value for name, value in values.items()}
        return f"SET {', '.join(f'{name} = {value}' for name, value in written.items())}"


def _list_of_lists(lists: Iterable[npt.NDArray[Any]], type_: str | None) -> str:
    """One string, as in `literal_table`."""
    return f"CAST('{str([x.tolist() for x in lists]).replace(' ', '')}' AS Array(Array({type_})))"


def bare(text: str) -> str:
    wrapped = _WRAPPED.match(text)
    return bare(wrapped[1]) if wrapped else text


def _present(array: str) -> str:
    """An array of doubles, 0 for NULL."""
    return f"arrayMap(e -> coalesce(toFloat64(e), 0), {array})"
