"""DuckDB: the embedded default.

Key differences: ARRAY and LIST columns with lambdas, files as tables, `query()` in table macros; integers of
8 to 128 bits that fail on overflow (so they are widened before a sum); no stated limit on columns, a
binder that costs about 35 µs and 15-20 kB a term of inline text.
"""

from __future__ import annotations

import atexit
import re
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import RLock
from typing import Any, ClassVar

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from duckdb.func import FunctionNullHandling, PythonUDFType

from sqlrp.core.draw import P
from sqlrp.core.errors import SourceError, StatementError, UnreachableError
from sqlrp.core.numbers import BOOLEAN, DOUBLE, FLOAT, Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import Column, ColumnType, Costs, Engine, Limits, Lowering, Numbers
from sqlrp.engines.costs import costs_of

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
SAVED = "sqlrp_saved "
"""What the names of the macros of saved projections begin with; the UTF-8 of their own follows in hexadecimal digits,
as DuckDB takes names that differ in case only for one."""

_ALONE = RLock()
_BATCH = 100_000  # rows a batch: streaming plans the text once, where a relation plans it twice
_ARRAY = re.compile(r"^(?P<element>.*)\[(?P<size>\d*)\]$", re.DOTALL)
_DECIMAL = re.compile(r"^DECIMAL\((\d+),(\d+)\)$")


class DuckDB(Engine):
    """DuckDB, by its Python package."""

    name: ClassVar[str] = "duckdb"
    temporary: ClassVar[str] = "temp."
    folds_case: ClassVar[bool] = True
    materialized: ClassVar[str] = "MATERIALIZED "
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "indexed", "relational")
    has_kernel: ClassVar[bool] = True
    has_dot: ClassVar[bool] = True
    listing: ClassVar[str] = (
        "SELECT table_name FROM information_schema.tables "
        "WHERE table_catalog = current_database() AND table_schema = current_schema()"
    )
    functions: ClassVar[str] = "SELECT DISTINCT function_name FROM duckdb_functions()"
    limits: ClassVar[Limits] = Limits(
        columns=32_000,
        terms=100_000,
        expressions=32_000,
        source="columns: 5 seconds to plan them, and 1 GB, measured; terms: 2 GB of planner memory at 20 kB a term, "
        "measured; expressions: a block of 262,136 bytes a row",
    )
    costs: ClassVar[Costs] = costs_of("duckdb")

    def quote(self, name: str) -> str:
        """Double quotes, doubled within."""
        return '"' + name.replace('"', '""') + '"'

    def string(self, text: str) -> str:
        """Single quotes, doubled within; DuckDB reads backslashes as they are."""
        return "'" + text.replace("'", "''") + "'"

    def table(self, name: TableName) -> str:
        """Quoted parts, or a file's path as a string."""
        if name.is_file:
            return self.string(name.parts[0])
        return ".".join(self.quote(part) for part in name.parts)

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays and lists of numbers, text; everything else is neither."""
        array = _ARRAY.match(text)
        if array:
            element = self.read_type(array["element"])
            size = int(array["size"]) if array["size"] else None
            number = None if element.is_array else element.number
            return ColumnType(text, number, is_array=True, size=size)
        if text in _INTEGERS:
            return ColumnType(text, BOOLEAN if text == "BOOLEAN" else Number("int", _INTEGERS[text]))
        if text in ("FLOAT", "DOUBLE"):
            return ColumnType(text, FLOAT if text == "FLOAT" else DOUBLE)
        if text == "BIGNUM":
            return ColumnType(text, DOUBLE)
        decimal = _DECIMAL.match(text)
        if decimal:
            width, digits = int(decimal[1]), int(decimal[2])
            return ColumnType(text, Number("decimal", int(np.ceil(width * np.log2(10))), digits))
        return ColumnType(text, is_text=text == "VARCHAR" or text.startswith("ENUM("))

    def type_name(self, number: Number) -> str | None:
        """INTEGER to HUGEINT, then BIGNUM (which adds, but does not multiply); DECIMAL up to 38 digits."""
        if not number.exact:
            return number.kind.upper()
        if number.kind == "decimal":
            return next(
                (f"DECIMAL({w},{number.digits})" for w in (18, 38) if number.bits <= int(w * np.log2(10))),
                None,
            )
        return next(
            (t for t, bits in (("INTEGER", 31), ("BIGINT", 63), ("HUGEINT", 127)) if number.bits <= bits),
            "BIGNUM",
        )

    def multiplies(self, number: Number) -> bool:
        """BIGNUM times BIGNUM is a DOUBLE, and DECIMAL products run out of digits."""
        return not number.exact or (number.kind == "int" and number.bits <= 127)

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A BOOLEAN becomes a BIGNUM by way of INTEGER only."""
        return self.cast(self.cast(feature, Number("int", 31)) if have == BOOLEAN else feature, want)

    def narrow(self, total: str, number: Number) -> str:
        """Sums of FLOAT are DOUBLE; a cast back would refuse what IEEE calls infinite."""
        if number != FLOAT:
            return self.cast(total, number)
        return f"coalesce(TRY_CAST({total} AS FLOAT), CAST('inf'::DOUBLE * {total} AS FLOAT))"

    def halved(self, expression: str) -> str:
        """/ divides as floats do; // does not."""
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
        """One string a column, unnested: a constant that costs the binder nothing, whatever its length."""
        parts = (
            f"unnest(CAST('{list_text(values)}' AS {'DOUBLE' if values.dtype.kind == 'f' else 'BIGINT'}[])) AS {name}"
            for name, values in columns.items()
        )
        return f"SELECT {', '.join(parts)}"

    def saving(self, name: str, text: str) -> list[str]:
        """A macro that gives the text: `project_with` is bound before any table could be read."""
        return [f"CREATE OR REPLACE MACRO {self.quote(SAVED + name.encode().hex())}() AS {self.string(text)}"]

    def row_number(self) -> str:
        """row_number() without an order streams."""
        return "row_number() OVER ()"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5, mod (P-1)."""
        return f"(CAST('0x' || md5({expression})[:15] AS BIGINT) % {P - 1})"

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """A fixed-size ARRAY up to 100,000 elements, else a LIST; array_value(…) is slow: it boxes every element."""
        size = len(expressions)
        return f"CAST({self.list_of(expressions)} AS {self.type_name(number)}[{size if size <= 100_000 else ''}])"

    def list_of(self, expressions: Sequence[str]) -> str:
        """[…]."""
        return f"[{', '.join(expressions)}]"

    def cast_array(self, array: str, number: Number) -> str:
        """An ARRAY or LIST as a LIST."""
        return f"CAST({array} AS {self.type_name(number)}[])"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """list_transform, then a fixed-size ARRAY up to 100,000 elements."""
        list_ = array if factor is None else f"list_transform({array}, lambda e: {factor}*e)"
        return f"CAST({list_} AS {self.type_name(number)}[{size if size <= 100_000 else ''}])"

    def or_zeros(self, array: str, n: int, number: Number) -> str:
        """list_resize fills up."""
        return f"coalesce({array}, list_resize(CAST([] AS {self.type_name(number)}[]), {n}, {self.literal(0, number)}))"

    def element(self, array: str, position: int) -> str:
        """Positions from 1."""
        return f"{array}[{position + 1}]"

    def length(self, array: str) -> str:
        """len(…)."""
        return f"len({array})"

    def complete(self, array: str) -> str:
        """list_position finds NULL as well, by a look at the validity alone: seven times as fast as list_count."""
        return f"{array} IS NOT NULL AND list_position({array}, NULL) IS NULL"

    def unnest(self, relation: str, columns: Sequence[str], array: str, position: str, value: str) -> str:
        """Two unnests in one SELECT run side by side."""
        return (
            f"SELECT {', '.join([*columns, f'unnest(range(len({array}))) AS {position}'])}, "
            f"unnest({array}) AS {value} FROM {relation}"
        )

    def collect(self, value: str, order: str) -> str:
        """list(… ORDER BY …)."""
        return f"list({value} ORDER BY {order})"

    def gathered(self, position: str, value: str) -> str:
        """Positions of 16 bits: the less to scan."""
        return f"list(CAST({position} AS SMALLINT)) AS f, list({value}) AS x"

    def filled(self, positions: str, values: str, size: int, zero: str) -> str | None:
        """list_position scans the list: up to 512 elements that is faster than a join with every position."""
        if size > 512:
            return None
        found = f"{values}[list_position({positions}, CAST(e AS SMALLINT))]"
        return f"list_transform(range({size}), lambda e: coalesce({found}, {zero}))"

    def appended(self, array: str, value: str) -> str:
        """list_append."""
        return f"list_append({array}, {value})"

    def index_lists(self, lists: list[list[int]]) -> str:
        """One string: a constant that costs the binder nothing, whatever its length. Positions from 1."""
        text = ",".join(f"[{','.join(str(i + 1) for i in inner)}]" for inner in lists)
        return f"CAST('[{text}]' AS INTEGER[][])"

    def signed_sums(self, array: str, plus: str, minus: str, number: Number) -> str:
        """list_select picks by position; list_sum of nothing is NULL."""
        sides = [f"coalesce(list_sum(list_select({array}, {v})), 0)" for v in ("v", f"{minus}[i]")]
        return f"list_transform({plus}, lambda v, i: {self.narrow(f'({sides[0]} - {sides[1]})', number)})"

    def weight_lists(self, lists: Sequence[npt.NDArray[np.float64]], number: Number) -> str:
        """One string, as `index_lists`."""
        return f"CAST('[{','.join(map(list_text, lists))}]' AS {self.type_name(number)}[][])"

    def weighted_sums(self, array: str, weights: str, places: str | None) -> str:
        """list_dot_product, which takes no NULL; of nothing it is NULL."""
        if places is None:
            return f"list_transform({weights}, lambda w: list_dot_product({array}, w))"
        picked = f"list_dot_product(list_select({array}, {places}[i]), w)"
        return f"list_transform({weights}, lambda w, i: coalesce({picked}, 0))"

    def each(self, array: str, value: str) -> str:
        """list_transform."""
        return f"list_transform({array}, lambda e: {value})"

    def sums_of_products(self, array: str, lists: str, degree: int, number: Number) -> str:
        """A product for each step of `degree` positions."""
        factors = "*".join(self.cast(f"{array}[v[i + {j + 1}]]", number) for j in range(degree))
        products = f"list_transform(range(0, len(v), {degree}), lambda i: {factors})"
        return f"list_transform({lists}, lambda v: {self.narrow(f'list_sum({products})', number)})"

    # -- connection --------------------------------------------------------------------------

    @contextmanager
    def transaction(self, connection: Any, lock: str, makes: bool) -> Iterator[Any]:
        """Two that change one row conflict, so no lock is needed. A BEGIN within a transaction would break it."""
        first, second = (_rows(connection, "SELECT txid_current()") for _ in range(2))
        if first == second:
            yield connection
            return
        try:
            self.execute(connection, "BEGIN")
            yield connection
            self.execute(connection, "COMMIT")
        except BaseException:
            with suppress(StatementError):  # there is nothing to roll back where BEGIN or COMMIT was refused
                self.execute(connection, "ROLLBACK")
            raise

    def saved_beside(self, connection: Any) -> dict[str, object]:
        """The macros' texts."""
        found = _rows(
            connection,
            "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = current_database() "
            f"AND schema_name = current_schema() AND starts_with(function_name, {self.string(SAVED)})",
        )
        texts: dict[str, object] = {}
        for (macro,) in found:
            with suppress(ValueError, StatementError):  # not one that `saving` makes
                name = bytes.fromhex(macro.removeprefix(SAVED)).decode()
                texts[name] = _rows(connection, f"SELECT {self.quote(macro)}()")[0][0]
        return texts

    def alone(self) -> AbstractContextManager[Any]:
        """A lock: of two transactions that make one table, macro or function DuckDB refuses the second at once."""
        return _ALONE

    def exists(self, connection: Any, name: TableName) -> bool:
        """information_schema: a DESCRIBE of a table that is not there breaks the transaction."""
        if len(name.parts) > 3:
            return False  # catalogue, schema and table are all that a name has
        at = self._at(name, "table_catalog", "table_schema", "table_name")
        return bool(_rows(connection, f"SELECT 1 FROM information_schema.tables WHERE {at}"))

    def _at(self, name: TableName, catalogue: str, schema: str, table: str) -> str:
        """The condition that columns of these names are those of the table."""
        *path, last = map(self.string, name.parts)
        here = ["current_database()", "current_schema()"]
        # One part before the table is a schema, or a catalogue whose schema is main.
        places = {0: [here], 1: [[here[0], *path], [*path, "'main'"]]}.get(len(path), [path])
        at = " OR ".join(f"(lower({catalogue}) = lower({c}) AND lower({schema}) = lower({s}))" for c, s in places)
        return f"lower({table}) = lower({last}) AND ({at})"

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """Foreign keys and triggers; views know a table by its name."""
        place = "database_name", "schema_name"
        keys = f"constraint_type = 'FOREIGN KEY' AND {self._at(name, *place, 'referenced_table')}"
        found = _rows(
            connection,
            "SELECT 'foreign key of table', table_name FROM duckdb_constraints() "
            f"WHERE {keys} AND NOT ({self._at(name, *place, 'table_name')}) "
            f"UNION SELECT 'trigger', trigger_name FROM duckdb_triggers() "
            f"WHERE {self._at(name, *place, 'table_name')} ORDER BY 1, 2",
        )
        return [f"{kind} {self.quote(other)}" for kind, other in found]

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """A view runs what it names, which may read files."""
        views = (
            "SELECT 1 FROM information_schema.tables WHERE table_catalog = current_database() AND table_type = 'VIEW' "
            f"AND table_schema = current_schema() AND lower(table_name) = lower({self.string(name.parts[-1])})"
        )
        return "is no plain table" if _rows(connection, views) else None

    def add_function(
        self, connection: Any, name: str, function: Any, arguments: list[str], returns: str, arrow: bool = True
    ) -> None:
        """A function is the database's, for as long as the process has it open; NULL reaches it."""
        known = "SELECT count(*) FROM duckdb_functions() WHERE function_name = ? AND function_type = 'scalar'"
        with self.alone():
            if _rows(connection, known, [name]) == [(0,)]:
                kind = PythonUDFType.ARROW if arrow else PythonUDFType.NATIVE
                special = FunctionNullHandling.SPECIAL
                with _words(f"CREATE FUNCTION {name}"):
                    connection.create_function(name, function, arguments, returns, type=kind, null_handling=special)
                atexit.register(_forget, weakref.ref(connection), name)

    def columns(self, connection: Any, name: TableName) -> list[Column]:
        """DESCRIBE."""
        try:
            rows = _rows(connection, f"DESCRIBE SELECT * FROM {self.table(name)}")
        except UnreachableError:
            raise
        except StatementError as error:
            raise SourceError(f"source {name} cannot be read: {error.words}") from error
        return [self.described(*row[:3]) for row in rows]

    def described(self, name: str, type_text: str, null: str) -> Column:
        """A column from one row of DESCRIBE."""
        return Column(name, self.read_type(type_text), null != "NO")

    def count(self, connection: Any, name: TableName) -> int | None:
        """count(*): tables and Parquet files answer from their metadata; other files are not read for it."""
        if name.is_file and not name.parts[0].lower().endswith(".parquet"):
            return None
        return int(_rows(connection, f"SELECT count(*) FROM {self.table(name)}")[0][0])

    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """The length of the first list that is not NULL."""
        quoted = self.quote(column)
        rows = _rows(connection, f"SELECT len({quoted}) FROM {self.table(name)} WHERE {quoted} IS NOT NULL LIMIT 1")
        return int(rows[0][0]) if rows else None

    def execute(self, connection: Any, sql: str) -> None:
        """Run a statement."""
        with _words(sql):
            connection.execute(sql)

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """Run a query, by Arrow; BIGNUM columns arrive as decimal256."""
        with _words(sql):
            result = connection.execute(sql)
            big = {d[0]: str(d[1])[len("BIGNUM") :] for d in result.description if str(d[1]).startswith("BIGNUM")}
            if big:
                texts = (f"CAST({self.quote(c)} AS VARCHAR{array}) AS {self.quote(c)}" for c, array in big.items())
                result = connection.execute(f"SELECT * REPLACE ({', '.join(texts)}) FROM ({sql})")
            with warnings.catch_warnings():
                # It advises a relation instead, which plans the text twice; the copy is the cheaper of the two.
                warnings.filterwarnings("ignore", message="Arrow output on a DB-API result")
                table = result.to_arrow_reader(_BATCH).read_all()
        for name, array in big.items():
            at = table.schema.get_field_index(name)
            wide = pa.decimal256(76, 0)
            kind = pa.list_(wide, table.schema.field(at).type.list_size) if array else wide
            table = table.set_column(at, name, table.column(at).cast(kind))
        return table


@contextmanager
def _words(sql: str) -> Iterator[None]:
    """DuckDB's errors, and Arrow's as its rows are read, as our own."""
    try:
        yield
    except (duckdb.ConnectionException, duckdb.FatalException) as error:
        raise UnreachableError(sql, f"the connection to the database is closed (open a new one): {error}") from error
    except (duckdb.Error, pa.ArrowException) as error:
        raise StatementError(sql, str(error)) from error


def _rows(connection: Any, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    """All rows: a result that is not read to its end keeps the connection busy."""
    with _words(sql):
        return list(connection.execute(sql, parameters).fetchall())


def _forget(connection: weakref.ref[duckdb.DuckDBPyConnection], name: str) -> None:
    """Take a function off a connection still open as the process ends: DuckDB's binding reports it as leaked."""
    alive = connection()
    if alive is not None:
        with suppress(duckdb.Error):  # closed, or removed with its transaction
            alive.remove_function(name)


def list_text(values: np.ndarray[Any, Any]) -> str:
    """A (nested) numpy array as the text of a DuckDB list."""
    return (
        "[" + ",".join(map(repr, values.tolist())) + "]"
        if values.ndim == 1
        else "[" + ",".join(map(list_text, values)) + "]"
    )
