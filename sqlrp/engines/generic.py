"""Any other dialect of SQLAlchemy's: standard SQL, and the dialect's own way to quote, to cast and to divide.

Key differences: nothing is taken for granted but the standard, and SELECT without FROM. No arrays, no temporary
tables, no md5, no expression that fails with words (a position out of bounds makes its row NULL instead), no fact
about how often a common table expression is computed (so rows are numbered by all of their columns, which gives the
same numbers each time). Columns are what SQLAlchemy's inspector says. What the engine does not take fails with the
engine's words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

import pyarrow as pa
import sqlalchemy as sa

from sqlrp.core.errors import SourceError, UnsupportedError, shorten
from sqlrp.core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import ColumnType, Costs, Limits, Numbers
from sqlrp.engines.costs import costs_of
from sqlrp.engines.portable import Portable
from sqlrp.engines.sqlalchemy import SqlAlchemyEngine

_CHUNK = 250
"""SELECTs joined by one chain of UNION ALL: SQLite's limit of 500 is the least known."""


class Generic(Portable, SqlAlchemyEngine):
    """A dialect of SQLAlchemy's; without one, the SQL standard."""

    name: ClassVar[str] = "generic"
    has_temporary: ClassVar[bool] = False
    has_md5: ClassVar[bool] = False
    can_fail: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = True
    double: ClassVar[str] = "DOUBLE PRECISION"
    limits: ClassVar[Limits] = Limits(
        columns=1000,
        terms=10_000,
        source="columns: the least that a known engine states (Oracle's documentation); terms: an estimate",
    )
    costs: ClassVar[Costs] = costs_of("generic")

    def __init__(self, dialect: sa.Dialect | None = None) -> None:
        """The engine behind connections of a dialect."""
        self.dialect = dialect

    def quote(self, name: str) -> str:
        """By the dialect's own preparer, always; longer names some engines cut, and so take one for another."""
        if self.dialect is None:
            return super().quote(name)
        longest = self.dialect.max_identifier_length
        if len(name.encode()) > longest:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the {longest} of "
                f"{self.dialect.name}: rename"
            )
        folds = self.dialect.requires_name_normalize  # lower case then means no case
        return self._driven(
            self.dialect.identifier_preparer.quote_identifier(self.dialect.denormalize_name(name) if folds else name)
        )

    def string(self, text: str) -> str:
        """Single quotes, doubled within; a backslash may be an escape or none, which only the engine knows."""
        if "\\" in text:
            raise SourceError(f"text {shorten(text)} holds a backslash, which engines read in two ways: rename")
        return "'" + text.replace("'", "''") + "'"

    def read_type(self, text: str) -> ColumnType:
        """The standard's names."""
        types = {**vars(sa.types), "DOUBLE PRECISION": sa.DOUBLE_PRECISION}
        kind = types.get(re.sub(r"\(.*", "", text).strip().upper())
        return _column_type(kind() if isinstance(kind, type) else sa.types.NullType(), text)

    def cast(self, expression: str, number: Number) -> str:
        """To 64 bits or a double, under the dialect's names."""
        if self.dialect is None:
            return super().cast(expression, number)
        return self._written(sa.cast(sa.literal_column(expression), sa.BigInteger() if number.exact else sa.Double()))

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """The standard casts no boolean to a number."""
        return self.cast(
            f"CASE WHEN {feature} THEN 1 WHEN NOT {feature} THEN 0 END" if have == BOOLEAN else feature, want
        )

    def remainder(self, expression: str, divisor: int) -> str:
        """MOD(…), or the dialect's operator."""
        if self.dialect is None:
            return f"MOD({expression}, {divisor})"
        return f"({self._written(sa.literal_column(expression, sa.BigInteger()) % sa.literal_column(str(divisor)))})"

    def halved(self, expression: str) -> str:
        """An even number divided: whole, whether / divides as whole numbers or as floats do."""
        return self.cast(f"({expression} - {self.remainder(expression, 2)}) / 2", Number("int", 63))

    def same(self, a: str, b: str) -> str:
        """IS NOT DISTINCT FROM, or the dialect's operator."""
        if self.dialect is None:
            return super().same(a, b)
        return self._written(sa.literal_column(a).is_not_distinct_from(sa.literal_column(b)))

    def fail(self, message: str) -> str:
        """Nothing fails for certain: a cast of words to a number gives 0 or NULL on some engines."""
        raise UnsupportedError(
            f"{self.name} knows no expression that fails on every engine, so nulls = 'error' is not supported: "
            "use 'propagate' or 'zero'"
        )

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """SELECTs of a row each, joined by UNION ALL; not all engines have VALUES with names."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        cells = ([self.literal(v, DOUBLE if isinstance(v, float) else Number("int", 63)) for v in row] for row in rows)
        selects = ["SELECT " + ", ".join(f"{v} AS {n}" for v, n in zip(row, columns, strict=True)) for row in cells]
        while len(selects) > 1:
            chunks = [" UNION ALL ".join(selects[i : i + _CHUNK]) for i in range(0, len(selects), _CHUNK)]
            selects = [f"SELECT {', '.join(columns)} FROM ({chunk}) s" for chunk in chunks]
        return selects[0]

    def hash_name(self, expression: str) -> str:
        """Engines that have md5 call it differently."""
        raise UnsupportedError(f"{self.name} knows no md5, so text features are not supported: number them, from 0")

    def _written(self, expression: sa.ColumnElement[Any]) -> str:
        return self._driven(str(expression.compile(dialect=self.dialect)))

    def _driven(self, text: str) -> str:
        """What SQLAlchemy wrote, as statements without parameters go to the driver: percent signs are not doubled."""
        doubled = self.dialect is not None and "%%" in self.dialect.identifier_preparer.quote_identifier("%")
        return text.replace("%%", "%") if doubled else text

    # -- connection --------------------------------------------------------------------------

    def transaction(self, connection: Any, lock: str, makes: bool) -> NoReturn:
        """What holds a table against others is every engine's own."""
        raise self._refused("transactions: write the result of sqlrp.project, or of the text of sqlrp.sql, to a table")

    def commits_itself(self, connection: sa.Connection) -> bool:
        """Not asked, as there are no transactions of ours."""
        return False

    def transacting(self, connection: sa.Connection) -> bool:
        """As SQLAlchemy knows it."""
        return connection.in_transaction()

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """Never: see `transaction`."""

    def describe(self, connection: sa.Connection, name: TableName) -> list[tuple[str, ColumnType, bool]]:
        """SQLAlchemy's inspector."""
        *schema, table = name.parts
        if len(schema) > 1:
            raise SourceError(f"source {name} has more parts than schema.table, which is what {self.name} reads")
        try:
            found = sa.inspect(connection).get_columns(table, schema=schema[0] if schema else None)
        except sa.exc.NoSuchTableError:
            return []
        return [
            (column["name"], _column_type(column["type"], str(column["type"])), column.get("nullable", True))
            for column in found
        ]

    def count(self, connection: Any, name: TableName) -> int | None:
        """No engine need answer without a scan."""
        return None

    def arrow_type(self, code: Any) -> pa.DataType | None:
        """The values say it."""
        return None

    def fetch(self, connection: Any, sql: str) -> pa.Table:
        """The rows, their columns named as the inspector names them."""
        table = super().fetch(connection, sql)
        if self.dialect is None or not self.dialect.requires_name_normalize:
            return table
        return table.rename_columns([str(self.dialect.normalize_name(n)) for n in table.column_names])


def _column_type(kind: Any, text: str) -> ColumnType:
    """What a column of a type of SQLAlchemy's holds; an integer may be unsigned."""
    if isinstance(kind, sa.Boolean):
        return ColumnType(text, BOOLEAN)
    if isinstance(kind, sa.Integer):
        bits = 64 if isinstance(kind, sa.BigInteger) else 16 if isinstance(kind, sa.SmallInteger) else 32
        return ColumnType(text, Number("int", bits))
    if isinstance(kind, (sa.Numeric, sa.Float)):
        return ColumnType(text, DOUBLE)
    return ColumnType(text, is_text=isinstance(kind, sa.String))
