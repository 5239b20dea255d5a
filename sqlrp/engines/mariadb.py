"""MariaDB, from 10.6 on, by SQLAlchemy (its dialects `mariadb` and `mysql`).

Key differences: a common table expression is computed anew wherever it is named (so numbered rows go through a
temporary table); exact integers are BIGINT, then DECIMAL of 65 digits; no arrays; nothing fails with words of one's own
(an overflow names the expression, words and all); floats are summed in DOUBLE whatever they are. The sql_mode ORACLE,
which has no operator %, is not supported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from sqlrp.core.draw import P
from sqlrp.core.errors import StatementError, UnsupportedError
from sqlrp.core.numbers import DOUBLE, Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import ColumnType, Costs, Limits, Numbers
from sqlrp.engines.costs import costs_of
from sqlrp.engines.sqlalchemy import SqlAlchemyEngine

_INTEGERS = {"tinyint": 7, "smallint": 15, "mediumint": 23, "int": 31, "bigint": 63}
_DECIMAL = re.compile(r"^decimal\((\d+),(\d+)\)")
_WORD = re.compile(r"^\w+")
_OWN = re.compile(r"(sqlrp: .*)',rand\(\)", re.DOTALL)
_DIGITS = 65
_NOT_THERE = (1049, 1146)
"""The numbers of the errors for an unknown database and an unknown table."""
_ARROW = {1: pa.int64(), 2: pa.int64(), 3: pa.int64(), 9: pa.int64(), 4: pa.float64(), 5: pa.float64()}
"""Arrow types by the protocol's type codes; what may be unsigned and of 64 bits is left to the values."""


class MariaDB(SqlAlchemyEngine):
    """MariaDB."""

    name: ClassVar[str] = "mariadb"
    folds_case: ClassVar[bool] = True
    repeats: ClassVar[bool] = True
    fence: ClassVar[str] = " LIMIT 18446744073709551615"
    has_arrays: ClassVar[bool] = False
    transactional: ClassVar[bool] = False
    for_update: ClassVar[str] = " FOR UPDATE"
    listing: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = database()"
    limits: ClassVar[Limits] = Limits(
        columns=4096,
        terms=100_000,
        stored=2000,
        source="columns: MariaDB's documentation (limits of SQL); stored: numbers of up to 30 bytes in a row of "
        "65,535; terms: measured",
    )
    costs: ClassVar[Costs] = costs_of("mariadb")

    def quote(self, name: str) -> str:
        """Backticks, doubled within."""
        return "`" + name.replace("`", "``") + "`"

    def string(self, text: str) -> str:
        """Single quotes and backslashes doubled, which ends nowhere else where backslashes mean nothing."""
        return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"

    def read_type(self, text: str) -> ColumnType:
        """Numbers and text."""
        word = _WORD.match(text.lower())
        kind = word[0] if word else ""
        if kind in _INTEGERS:
            return ColumnType(text, Number("int", _INTEGERS[kind] + ("unsigned" in text.lower())))
        decimal = _DECIMAL.match(text.lower())
        if decimal:
            return ColumnType(text, Number("decimal", int(np.ceil(int(decimal[1]) * np.log2(10))), int(decimal[2])))
        if kind in ("float", "double"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=kind.endswith(("char", "text")) or kind == "enum")

    def type_name(self, number: Number) -> str | None:
        """BIGINT (called SIGNED in a cast), then DECIMAL of 65 digits, 38 of them behind the point at most."""
        if not number.exact:
            return "DOUBLE"
        if number.kind == "int" and number.bits <= 63:
            return "SIGNED"
        return f"DECIMAL({_DIGITS},{number.digits})" if number.bits <= int(_DIGITS * np.log2(10)) else None

    def multiplies(self, number: Number) -> bool:
        """Products of decimals keep 38 digits behind the point."""
        return self.type_name(number) is not None and number.digits <= 38

    def fail(self, message: str) -> str:
        """An overflow, whose message names the expression; rand() keeps it from being computed ahead."""
        return f"(9223372036854775807 + char_length(concat({self.string(message)}, rand())))"

    def halved(self, expression: str) -> str:
        """/ divides as decimals do."""
        return f"({expression} DIV 2)"

    def as_text(self, expression: str) -> str:
        """CHAR."""
        return f"CAST({expression} AS CHAR)"

    def text_type(self, length: int | None) -> str:
        """A key needs a length; names that differ in case, accents or trailing spaces are several."""
        exact = "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
        return f"VARCHAR({length}) {exact}" if length else "LONGTEXT"

    def same(self, a: str, b: str) -> str:
        """NULL-safe equality."""
        return f"{a} <=> {b}"

    def create_temporary(self, name: str, query: str, numbered: bool = True) -> str:
        """Aria, as InnoDB's rows fit a page of 16 kB only; r is joined on."""
        return f"CREATE TEMPORARY TABLE {name} {'(KEY (r)) ' if numbered else ''}ENGINE=Aria AS {query}"

    def drop_temporary(self, name: str) -> str:
        """Without TEMPORARY it would commit the caller's transaction."""
        return f"DROP TEMPORARY TABLE IF EXISTS {name}"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """A table of the sequence engine, whose unsigned numbers would fail below zero."""
        return f"SELECT CAST(seq AS SIGNED) AS {column} FROM seq_0_to_{n - 1}"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """A string of JSON, one array a row."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        text = ",".join(f"[{','.join(map(repr, row))}]" for row in rows)
        parts = (
            f"{name} {'DOUBLE' if values.dtype.kind == 'f' else 'BIGINT'} PATH '$[{i}]'"
            for i, (name, values) in enumerate(columns.items())
        )
        return f"SELECT {', '.join(columns)} FROM JSON_TABLE('[{text}]', '$[*]' COLUMNS ({', '.join(parts)})) listed"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        digits = f"substr(md5(convert({expression} USING utf8mb4)), 1, 15)"
        return f"(CAST(conv({digits}, 16, 10) AS SIGNED) % {P - 1})"

    # -- connection --------------------------------------------------------------------------

    def commits_itself(self, connection: sa.Connection) -> bool:
        """The server knows."""
        return bool(self.rows(connection, "SELECT @@autocommit")[0][0])

    def transacting(self, connection: sa.Connection) -> bool:
        """The server knows."""
        return bool(self.rows(connection, "SELECT @@in_transaction")[0][0])

    def check_makes(self) -> None:
        """CREATE TABLE and RENAME TABLE commit what is open."""
        raise UnsupportedError(
            "mariadb commits an open transaction when a table is made: commit it first, or pass a SQLAlchemy engine"
        )

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """A lock of the connection, as a transaction's would end where a table is made."""
        wait = f"SELECT GET_LOCK({self._lock(lock)}, 31536000)"
        if self.rows(connection, wait)[0][0] != 1:
            raise StatementError(wait, "another connection holds the lock of sqlrp: try again")
        if alone:
            self.execute(connection, "BEGIN")

    def unlock(self, connection: sa.Connection, lock: str) -> None:
        """Free the next."""
        self.rows(connection, f"SELECT RELEASE_LOCK({self._lock(lock)})")

    def _lock(self, name: str) -> str:
        """Locks are the server's, not a database's, and have names of 64 characters."""
        return f"concat('sqlrp_', md5(concat_ws(' ', database(), {self.string(name)})))"

    def swap(self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None) -> None:
        """One RENAME, which is atomic, lets both tables change their names; and back, where the old one stays."""
        here, beside = self.table(name), self.table(new)
        if not old:
            self.execute(connection, f"RENAME TABLE {beside} TO {here}")
            return
        between = self.table(TableName((*new.parts[:-1], f"{new.parts[-1]}_old")))
        exchange = f"RENAME TABLE {here} TO {between}, {beside} TO {here}, {between} TO {beside}"
        self.execute(connection, exchange)
        try:
            self.execute(connection, f"DROP TABLE {beside}")
        except StatementError:
            self.execute(connection, exchange)
            raise

    def mark(self, connection: Any, name: TableName, text: str) -> None:
        """The table's comment."""
        self.execute(connection, f"ALTER TABLE {self.table(name)} COMMENT = {self.string(text)}")

    def mark_of(self, connection: Any, name: TableName) -> str:
        """The table's comment."""
        *schema, table = name.parts
        database = self.string(schema[-1]) if schema else "database()"
        found = self.rows(
            connection,
            "SELECT table_comment FROM information_schema.tables "
            f"WHERE table_schema = {database} AND table_name = {self.string(table)}",
        )
        return str(found[0][0]) if found else ""

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """Foreign keys, of other databases too, and triggers; views know a table by its name."""
        *schema, last = name.parts
        database, table = self.string(schema[-1]) if schema else "database()", self.string(last)
        found = self.rows(
            connection,
            "SELECT 'foreign key of table' AS kind, constraint_schema AS place, table_name AS other "
            "FROM information_schema.referential_constraints "
            f"WHERE unique_constraint_schema = {database} AND referenced_table_name = {table} "
            f"AND NOT (constraint_schema = {database} AND table_name = {table}) "
            "UNION SELECT 'trigger', trigger_schema, trigger_name FROM information_schema.triggers "
            f"WHERE event_object_schema = {database} AND event_object_table = {table} ORDER BY kind, place, other",
        )
        return [f"{kind} {self.quote(place)}.{self.quote(other)}" for kind, place, other in found]

    def describe(self, connection: sa.Connection, name: TableName) -> list[tuple[str, ColumnType, bool]]:
        """SHOW COLUMNS."""
        if not getattr(connection.dialect, "is_mariadb", False):
            raise UnsupportedError(
                "the connection is to MySQL, which lacks MariaDB's sequence tables: use MariaDB 10.6 on"
            )
        try:
            found = self.rows(connection, f"SHOW COLUMNS FROM {self.table(name)}")
        except StatementError as error:
            if _code(error) in _NOT_THERE:
                return []
            raise
        return [(column, self.read_type(text), null != "NO") for column, text, null, *_ in found]

    def count(self, connection: Any, name: TableName) -> int | None:
        """The storage engine's estimate; None for a view or a temporary table."""
        *schema, table = name.parts
        database = self.string(schema[-1]) if schema else "database()"
        found = self.rows(
            connection,
            "SELECT table_rows FROM information_schema.tables "
            f"WHERE table_schema = {database} AND table_name = {self.string(table)}",
        )
        return None if not found or found[0][0] is None else int(found[0][0])

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """A view or a trigger runs the functions that it names."""
        text = self.string(name.parts[-1])
        if not self.rows(
            connection,
            "SELECT 1 FROM information_schema.tables WHERE table_schema = database() "
            f"AND table_name = {text} AND table_type = 'BASE TABLE'",
        ):
            return "is no plain table"
        triggers = self.rows(
            connection,
            "SELECT 1 FROM information_schema.triggers WHERE event_object_schema = database() "
            f"AND event_object_table = {text}",
        )
        return "has a trigger" if triggers else None

    def arrow_type(self, code: Any) -> pa.DataType | None:
        """By the protocol's code."""
        return _ARROW.get(code)

    def words(self, message: str) -> str:
        """sqlrp's own words stand in the expression, with their quotes escaped."""
        own = _OWN.search(message)
        return own[1].replace("\\'", "'") if own else message


def _code(error: StatementError) -> object:
    """The server's number of an error."""
    driver = getattr(error.__cause__, "orig", None)
    return driver.args[0] if driver is not None and driver.args else None
