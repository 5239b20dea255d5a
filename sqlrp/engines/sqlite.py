"""SQLite, from 3.35 on, by SQLAlchemy.

Key differences: a value has a type where a column has hardly any (the declared one is taken at its word; INTEGER
means 32 bits, and an overflow of 64 bits fails in a sum of the relational lowering or goes on as REAL); no NaN, which
is NULL; no arrays, no md5; "nope" in double quotes is a string where there is no such column, so names stand in
backticks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pyarrow as pa
import sqlalchemy as sa

from sqlrp.core.errors import StatementError, UnsupportedError
from sqlrp.core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import ColumnType, Costs, Limits, Numbers
from sqlrp.engines.costs import costs_of
from sqlrp.engines.sqlalchemy import SqlAlchemyEngine

_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT2": 16, "BIGINT": 63, "INT8": 63}


class SQLite(SqlAlchemyEngine):
    """SQLite."""

    name: ClassVar[str] = "sqlite"
    temporary: ClassVar[str] = "temp."
    folds_case: ClassVar[bool] = True
    materialized: ClassVar[str] = "MATERIALIZED "
    fence: ClassVar[str] = " LIMIT -1 OFFSET 0"
    has_arrays: ClassVar[bool] = False
    has_md5: ClassVar[bool] = False
    nests: ClassVar[bool] = True
    listing: ClassVar[str] = "SELECT name FROM sqlite_master WHERE type = 'table'"
    limits: ClassVar[Limits] = Limits(
        columns=2000,
        terms=100_000,
        source="columns: https://sqlite.org/limits.html, SQLITE_MAX_COLUMN; terms: measured",
    )
    costs: ClassVar[Costs] = costs_of("sqlite")

    def quote(self, name: str) -> str:
        """Backticks, doubled within: never a string."""
        return "`" + name.replace("`", "``") + "`"

    def string(self, text: str) -> str:
        """Single quotes, doubled within."""
        return "'" + text.replace("'", "''") + "'"

    def read_type(self, text: str) -> ColumnType:
        """By the words of the declared type, as SQLite's own rules of affinity."""
        word = text.upper().split("(")[0].strip()
        if word.startswith("BOOL"):
            return ColumnType(text, BOOLEAN)
        if "INT" in word:
            return ColumnType(text, Number("int", _INTEGERS.get(word, 31)))
        if any(part in word for part in ("CHAR", "CLOB", "TEXT")):
            return ColumnType(text, is_text=True)
        if any(part in word for part in ("REAL", "FLOA", "DOUB", "NUMERIC", "DECIMAL")):
            return ColumnType(text, DOUBLE)
        return ColumnType(text)

    def type_name(self, number: Number) -> str | None:
        """64-bit integers and REAL."""
        if not number.exact:
            return "REAL"
        return "INTEGER" if number.kind == "int" and number.bits <= 63 else None

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A cast would read text as 0; every number stands before every text."""
        fail = self.fail(f"sqlrp: a feature in {feature} is text, not a number: clean the row, or leave the column out")
        return f"CASE WHEN {feature} >= '' THEN {fail} ELSE {self.cast(feature, want)} END"

    def greatest(self, expressions: Sequence[str]) -> str:
        """max of several arguments."""
        return f"max({', '.join(expressions)})"

    def fail(self, message: str) -> str:
        """A malformed JSON path fails with its words; random() keeps it from being computed once, ahead."""
        return f"json_extract('{{}}', {self.string(message)} || substr(random(), 1, 0))"

    def same(self, a: str, b: str) -> str:
        """IS, which uses an index."""
        return f"{a} IS {b}"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """A recursive common table expression."""
        step = f"SELECT 0 UNION ALL SELECT {column} + 1 FROM counted WHERE {column} < {n - 1}"
        return f"WITH RECURSIVE counted({column}) AS ({step}) SELECT {column} FROM counted"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """A string of JSON, one array a row."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        text = ",".join(f"[{','.join(map(repr, row))}]" for row in rows)
        parts = (f"json_extract(value, '$[{i}]') AS {name}" for i, name in enumerate(columns))
        return f"SELECT {', '.join(parts)} FROM json_each('[{text}]')"

    def hash_name(self, expression: str) -> str:
        """There is no md5."""
        raise UnsupportedError("sqlite has no md5, so text features are not supported: number them, from 0")

    # -- connection --------------------------------------------------------------------------

    def commits_itself(self, connection: sa.Connection) -> bool:
        """sqlite3 begins a transaction of its own at an INSERT only, and with isolation_level None never."""
        return getattr(connection.connection.driver_connection, "isolation_level", None) is None

    def transacting(self, connection: sa.Connection) -> bool:
        """sqlite3 knows."""
        return bool(getattr(connection.connection.driver_connection, "in_transaction", False))

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """IMMEDIATE waits for other writers; in a caller's transaction too, which sqlite3 may not have begun yet."""
        if not self.transacting(connection):
            self.execute(connection, "BEGIN IMMEDIATE")

    def swap(self, connection: Any, new: TableName, name: TableName, kind: str, old: str | None) -> None:
        """By the old manner of renaming: the new one fails over a view of the table, which it finds missing."""
        pragma = "PRAGMA legacy_alter_table"
        before = self.rows(connection, pragma)[0][0]
        try:
            self.execute(connection, f"{pragma} = ON")
            super().swap(connection, new, name, kind, old)
        finally:
            # The setting outlives the transaction: on a connection of a pool, others would have it.
            connection.exec_driver_sql(f"{pragma} = {before}")

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """Foreign keys, whether they are enforced now or not, and triggers; views know a table by its name."""
        *schema, table = map(self.string, name.parts)
        master = f"{self.quote(name.parts[0])}.sqlite_master" if schema else "sqlite_master"
        arguments = ", ".join(["m.name", *schema])
        triggers = (
            f"SELECT 'trigger', name FROM {which} WHERE type = 'trigger' AND lower(tbl_name) = lower({table})"
            for which in (master, "sqlite_temp_master")
        )
        found = self.rows(
            connection,
            "SELECT DISTINCT 'foreign key of table', m.name "
            f"FROM {master} m JOIN pragma_foreign_key_list({arguments}) f "
            f"WHERE m.type = 'table' AND lower(f.\"table\") = lower({table}) AND lower(m.name) <> lower({table}) "
            f"UNION ALL {' UNION ALL '.join(triggers)} ORDER BY 1, 2",
        )
        return [f"{kind} {self.quote(other)}" for kind, other in found]

    def key_kinds(self, connection: Any, name: TableName, column: str) -> set[str]:
        """typeof(…); whole numbers and others are compared as numbers."""
        kind = f"replace(typeof({self.quote(column)}), 'real', 'integer')"
        return {
            str(found)
            for (found,) in self.rows(connection, f"SELECT DISTINCT {kind} FROM {self.table(name)}")
            if found != "null"
        }

    def describe(self, connection: sa.Connection, name: TableName) -> list[tuple[str, ColumnType, bool]]:
        """pragma_table_xinfo; a column without a declared type, such as a view's, by its first value."""
        *schema, table = name.parts
        arguments = ", ".join(self.string(part) for part in (table, *schema))
        found = self.rows(
            connection, f'SELECT name, type, "notnull" FROM pragma_table_xinfo({arguments}) WHERE hidden <> 1'
        )
        return [
            (column, self.read_type(text or self._first_type(connection, name, column)), not required)
            for column, text, required in found
        ]

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """A view, a virtual table or a trigger runs the functions that it names."""
        table = f"name = {self.string(name.parts[-1])} COLLATE NOCASE"
        if not self.rows(
            connection, f"SELECT 1 FROM sqlite_master WHERE {table} AND type = 'table' AND sql LIKE 'CREATE TABLE%'"
        ):
            return "is no plain table"
        triggers = f"SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_{table}"
        return "has a trigger" if self.rows(connection, triggers) else None

    def _first_type(self, connection: sa.Connection, name: TableName, column: str) -> str:
        quoted = self.quote(column)
        kinds = self.rows(
            connection, f"SELECT typeof({quoted}) FROM {self.table(name)} WHERE {quoted} IS NOT NULL LIMIT 1"
        )
        return str(kinds[0][0]) if kinds else ""

    def count(self, connection: Any, name: TableName) -> int | None:
        """The last rowid, which is found without a scan; None for a view or a table without rowids."""
        try:
            found = self.rows(connection, f"SELECT max(rowid) FROM {self.table(name)}")
        except StatementError as error:
            if "no such column: rowid" not in error.words:
                raise
            return None
        return found[0][0] if isinstance(found[0][0], int) else None

    def arrow_type(self, code: Any) -> pa.DataType | None:
        """SQLite types values, not columns."""
        return None

    def words(self, message: str) -> str:
        """sqlrp's own words are the JSON path, with its quotes doubled."""
        at = message.find("'sqlrp: ")
        return message if at < 0 else message[at:].strip("'").replace("''", "'")
