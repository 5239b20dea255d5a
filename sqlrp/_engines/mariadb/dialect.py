"""MariaDB, from version 10.6 on.

Key differences: a common table expression is computed again at each use (so numbered rows go through a
temporary table); exact integers are BIGINT, then DECIMAL of 65 digits; there are no arrays; no function fails with a
given message (but the error of an overflow quotes the expression, which contains the message); all floats are summed
in DOUBLE. The sql_mode ORACLE, which has no operator %, is not supported.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import P
from sqlrp._core.names import Folding
from sqlrp._core.numbers import DOUBLE, SINGLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import (
    AT_ONCE,
    HASHED,
    OUT_OF_RANGE,
    Column,
    ColumnType,
    Costs,
    Dialect,
    Limits,
    Numbers,
    Swap,
    decimal,
)
from sqlrp._dialects.table_queries import aside

_INTEGERS = {"tinyint": 7, "smallint": 15, "mediumint": 23, "int": 31, "bigint": 63}
_BITS = {"bit": 1, "year": 16}
"""The bits of types that are no numbers by their name."""
_DECIMAL = re.compile(r"^decimal\((\d+),(\d+)\)")
_WORD = re.compile(r"^\w+")
_UNKNOWN = re.compile(r"^Unknown column '[^']*\?")
"""The name of a column with what stands for a character that the connection cannot read."""
_OWN = re.compile(r"(sqlrp: .*)',rand\(\)", re.DOTALL)
_NO_VECTORS = re.compile(r"\bVEC_FromText\b.* does not exist", re.IGNORECASE)
_DIGITS = 65
_TO_SINGLE = 2.0**896
"""The range of DOUBLE divided by that of FLOAT."""
IN_JSON = frozenset((1, 2, 3, 8, 9, 15, 252, 253, 254))
"""The protocol's codes of whole numbers and texts."""
ABSENT = "sqlrp_absent"
"""The column of the answer of a block that there is no such table, which has the number of the error."""
NOT_THERE = (1049, 1146, 1059, 1102, 1103)
"""The error numbers of an unknown database and an unknown table, and of names that none can have, such as `a `."""
_ON_ABSENT = " ".join(f"DECLARE CONTINUE HANDLER FOR {number} SELECT {number} AS {ABSENT};" for number in NOT_THERE)
_LACKS = "the user lacks a right: GRANT it, or connect as a user that has it"
_PRIMARY = "connect to the primary server"


class MariaDB(Dialect):
    """MariaDB."""

    name: ClassVar[str] = "mariadb"
    has_types: ClassVar[bool] = True
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    name_parts: ClassVar[int | None] = 2
    counts_bits: ClassVar[bool] = True
    shifts_bits: ClassVar[bool] = True
    quotes: ClassVar[str] = "`"
    escapes: ClassVar[Mapping[str, str]] = {"\\": "\\\\", "'": "''"}  # safe even if backslashes are not escapes
    equals: ClassVar[str] = "<=>"
    making_temporary: ClassVar[str] = "CREATE TEMPORARY TABLE {name} {key}ENGINE=Aria AS"
    """Aria, because InnoDB's rows must fit a page of 16 kB; the row number r is the key of joins"""
    dropping_temporary: ClassVar[str] = "DROP TEMPORARY TABLE IF EXISTS"
    """without TEMPORARY, the statement would commit the caller's transaction"""
    folding: ClassVar[Folding] = "letters"
    repeats: ClassVar[bool] = True
    fence: ClassVar[str] = " LIMIT 18446744073709551615"
    has_arrays: ClassVar[bool] = False
    cells_of_text: ClassVar[str] = (
        "SELECT t.{key}, j.feature - 1 AS feature, j.value FROM {table} t, "
        "JSON_TABLE(t.{column}, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j"
    )
    single: ClassVar[str] = "FLOAT"
    vector: ClassVar[str] = "VECTOR({k})"
    types_when_made: ClassVar[bool] = True
    remedies: ClassVar[Mapping[str, str]] = {
        "value is out of range": OUT_OF_RANGE,
        "command denied to user": _LACKS,
        "try restarting transaction": AT_ONCE,
        "execution was interrupted": "raise the setting max_statement_time, or max_execution_time in MySQL",
        "Table definition has changed": "the transaction began before the table was replaced: end it first",
        "to database '": _LACKS,
        "safe update mode": "SET SESSION sql_safe_updates = 0",
        "READ ONLY transaction": f"the session may only read: SET SESSION TRANSACTION READ WRITE, or {_PRIMARY}",
        "read-only option": f"the server may only read: {_PRIMARY}",
    }
    longest_vector: ClassVar[int | None] = 16_383
    """of MariaDB's documentation (VECTOR, since 11.7)"""
    block: ClassVar[str] = "BEGIN NOT ATOMIC\n{statements};\nEND"
    """how several statements are one; empty if they cannot be"""
    trying: ClassVar[tuple[str, ...]] = (
        "DROP TEMPORARY TABLE IF EXISTS sqlrp_tried",
        "CREATE TEMPORARY TABLE sqlrp_tried (r INT)",
        "DROP TEMPORARY TABLE sqlrp_tried",
    )
    """statements that fail where a session may make no temporary table: rights come from roles, too, and the tables of
    rights do not say which"""
    has_lists: ClassVar[bool] = False
    decimals: ClassVar[int] = 38
    """the most digits after the point"""
    exact_text: ClassVar[str] = "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"
    """the end of a type of text: names that differ in case, accents or trailing spaces are different names"""
    transactional: ClassVar[bool] = False
    stored_as: ClassVar[str] = " ENGINE = InnoDB"
    reaches_hidden: ClassVar[bool] = False
    for_update: ClassVar[str] = " FOR UPDATE"
    asks_at_once: ClassVar[bool] = True
    answers_in_one: ClassVar[bool] = True
    locks_all: ClassVar[bool] = True
    collates: ClassVar[bool] = True
    parted: ClassVar[tuple[str, ...]] = ("Deadlock found", "modified by concurrent DDL")
    latest: ClassVar[str] = " LOCK IN SHARE MODE"
    listing: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = database()"
    reading_query: ClassVar[str] = "SELECT @@sql_mode, @@sql_select_limit"
    """the settings that change what a query means or gives"""
    committing_query: ClassVar[str] = "SELECT @@autocommit"
    """whether a statement outside a transaction is committed"""
    transacting_query: ClassVar[str] = "SELECT @@in_transaction"
    """whether a transaction is open"""
    limits: ClassVar[Limits] = Limits(
        columns=4096,
        terms=100_000,
        stored=1900,
        row=15_400,
        levels=30,
        named=64,
        source="columns: MariaDB's documentation (limits of SQL); stored and row: two pages of 8,192 bytes, past which "
        "temporary tables on disk lose numbers, measured; terms: measured; levels: half of the 63 that MariaDB takes, "
        "measured; named: measured",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def read_type(self, text: str) -> ColumnType:
        """Numbers and text."""
        word = _WORD.match(text.lower())
        kind = word[0] if word else ""
        if kind in _INTEGERS:
            return ColumnType(text, Number("int", _INTEGERS[kind] + ("unsigned" in text.lower())))
        if kind in ("bit", "year"):  # numbers in SQL, though the driver passes a bit field as bytes
            size = re.search(r"\d+", text)
            if size and int(size[0]) == 64:
                return ColumnType(text)  # a cast to DOUBLE takes its first bit for a sign
            return ColumnType(text, Number("int", int(size[0]) if kind == "bit" and size else _BITS[kind]))
        exact = _DECIMAL.match(text.lower())
        if exact:
            return ColumnType(text, decimal(int(exact[1]), int(exact[2])))
        if kind in ("float", "double"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=kind.endswith(("char", "text")) or kind == "enum")

    def bytes_of(self, number: Number) -> int:
        """8, or those of a decimal of 65 digits."""
        return 30 if str(self.type_name(number)).startswith("DECIMAL") else 8

    def type_name(self, number: Number) -> str | None:
        """BIGINT (called SIGNED in a cast), then DECIMAL of 65 digits."""
        if not number.exact:
            return self.single if number == SINGLE else "DOUBLE"
        if number.kind == "int" and number.bits <= 63:
            return "SIGNED"
        return f"DECIMAL({_DIGITS},{number.digits})" if number.bits <= int(_DIGITS * np.log2(10)) else None

    def multiplies(self, number: Number) -> bool:
        """Products of decimals keep so many digits after the point."""
        return self.type_name(number) is not None and number.digits <= self.decimals

    def cast(self, expression: str, number: Number) -> str:
        """A product of DOUBLE that fails beyond the range of FLOAT, to which a cast cuts off; it is exact."""
        if number == SINGLE:
            expression = f"({expression})*{_TO_SINGLE!r}/{_TO_SINGLE!r}"
        return super().cast(expression, number)

    def doubled(self, query: str, columns: Mapping[str, bool]) -> str:
        """The query with DOUBLE for FLOAT, of which six digits are written. `columns`: whether each is FLOAT."""
        names = {self.quote(name): single for name, single in columns.items()}
        chosen = (f"{self.cast(name, DOUBLE)} AS {name}" if single else name for name, single in names.items())
        return f"SELECT {', '.join(chosen)} FROM ({query}) q"

    def square(self, x: str) -> str:
        """NULL beyond the range: a product that runs over fails, and there is no infinity."""
        return f"CASE WHEN abs({x})<1e150 THEN {x}*{x} END"

    def root_of_squares(self, total: str) -> str:
        """The largest double, as there is no infinity."""
        return f"coalesce(sqrt({total}), {sys.float_info.max!r})"

    def fail(self, message: str) -> str:
        """An overflow; its error quotes the expression. rand() keeps the engine from computing it in advance."""
        return f"(9223372036854775807 + char_length(concat({super().string(message)}, rand())))"

    def string(self, text: str) -> str:
        """In hexadecimal digits with a backslash, which is an escape or, by a setting of the session, none."""
        return f"_utf8mb4 X'{text.encode().hex()}'" if "\\" in text else super().string(text)

    def halved(self, expression: str) -> str:
        """/ is a division of decimals. Some parsers take DIV for a division that rounds."""
        return f"CAST(({expression} - {expression} % 2) / 2 AS SIGNED)"

    def as_text(self, expression: str) -> str:
        """A cast to CHAR."""
        return f"CAST({expression} AS CHAR)"

    def text_type(self, length: int | None) -> str:
        """A key needs a length."""
        return f"VARCHAR({length}) {self.exact_text}" if length else "LONGTEXT"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """A table of the sequence engine, cast because its unsigned numbers would fail below zero."""
        return f"SELECT CAST(seq AS SIGNED) AS {column} FROM seq_0_to_{n - 1}"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """A string of JSON, one array per row."""
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

    def row_hash(self, columns: Sequence[Column]) -> str:
        """The first 60 bits of a digest of the values as text; of long text the digest, so that all fits a packet.

        As text, a FLOAT has six digits and a DOUBLE all of its digits.
        """
        values: list[str] = []
        for column in columns:
            value, number = self.quote(column.name), column.type.number
            if number is None:
                values.append(f"coalesce({self.digest(value)}, '-')")
            else:
                values.append(f"coalesce(CAST({self.cast(value, DOUBLE) if number == DOUBLE else value} AS CHAR), '-')")
        joined = f"concat_ws(',', {', '.join(values)})"
        digest = self.digest(joined)
        return f"CAST(conv(substr({digest}, 1, 15), 16, 10) AS SIGNED)"

    def digest(self, text: str) -> str:
        """A digest of a text, in hexadecimal digits."""
        return f"md5({text})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a DECIMAL."""
        return f"CAST(MOD(SUM({hashed}), {HASHED}) AS SIGNED)"

    def exact(self, expression: str) -> str:
        """Bytes, in any character set."""
        return f"CAST({expression} AS BINARY)"

    def by_key(self, key: str, texts: Collection[str], held: str, asked: str) -> tuple[str, str]:
        """By a digest of a text, too: MariaDB makes no index of a VARCHAR(255), and would read all keys each time."""
        keyed, same = super().by_key(key, texts, held, asked)
        if key not in texts:
            return keyed, same
        return f"{keyed}, {self._digested(key)} AS sqlrp_digest", (
            f"{held}.sqlrp_digest = {self._digested(f'{asked}.{key}')} AND {same}"
        )

    def _digested(self, text: str) -> str:
        return f"CAST(unhex(substr({self.digest(text)}, 1, 32)) AS BINARY(16))"

    def removing(self, target: str, key: str, keys: str, texts: Collection[str] = ()) -> str:
        """A join with a derived table, for which MariaDB makes an index; for an IN it would read all keys each time."""
        keyed, by_key = self.by_key(key, texts, "gone", "held")
        return f"DELETE held FROM {target} held JOIN (SELECT DISTINCT {keyed} FROM {keys}) gone ON {by_key}"

    def said(self, message: str) -> str:
        """The message given to `fail` stands in the expression, with its quotes escaped."""
        own = _OWN.search(message)
        if _NO_VECTORS.search(message):
            return f"{message} (output = 'vector' needs MariaDB 11.7 or newer: use 'columns' or 'long')"
        if _UNKNOWN.search(message):
            return f"{message} (if its name is another, the connection's character set has not all: use utf8mb4)"
        return own[1].replace("\\'", "'") if own else super().said(message)

    # -- vectors -------------------------------------------------------------------------------

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """A vector, from its text; a NULL among the numbers makes it NULL."""
        numbers = ", ',', ".join(expressions)
        return f"VEC_FromText(concat('[', {numbers}, ']'))"

    def vector_of(self, values: Sequence[float]) -> str:
        """A vector, from its text."""
        return f"VEC_FromText('[{','.join(repr(float(value)) for value in values)}]')"

    def vector_distance(self, a: str, b: str, metric: str, vectors: str) -> str:
        """A function by which the engine's indexes order; they have none for inner products."""
        if metric == "inner":
            raise self._refused("inner products of vectors")
        return f"{ {'l2': 'VEC_DISTANCE_EUCLIDEAN', 'cosine': 'VEC_DISTANCE_COSINE'}[metric] }({a}, {b})"

    # -- existing tables -----------------------------------------------------------------------

    def lock_query(self, lock: str, wait: bool = True) -> str:
        """A lock of the connection: a transaction's lock would end when a table is made."""
        return f"SELECT GET_LOCK({self._lock(lock)}, {31536000 if wait else 0})"

    def unlocks(self, lock: str) -> str:
        """RELEASE_LOCK(…)."""
        return f"DO RELEASE_LOCK({self._lock(lock)})"

    def _lock(self, name: str) -> str:
        """Locks belong to the server, not to a database. Their names have at most 64 characters."""
        text = f"concat_ws(' ', database(), {self.string(name)})"
        return f"concat('sqlrp_', {self.digest(text)})"

    def swapping(self, new: TableName, name: TableName, kind: str, old: str | None) -> Swap:
        """One atomic RENAME swaps the names of both tables; a second one undoes it if the DROP fails."""
        here, made = self.table(name), self.table(new)
        if not old:
            return Swap((f"RENAME TABLE {made} TO {here}",))
        between = self.table(aside(new))
        exchange = f"RENAME TABLE {here} TO {between}, {made} TO {here}, {between} TO {made}"
        return Swap((exchange, f"DROP TABLE {made}"), undo=exchange)

    def making(self, name: TableName, query: str, mark: str) -> list[str]:
        """One statement with the table's comment."""
        return [f"CREATE TABLE {self.table(name)}{self.stored_as} COMMENT = {self.string(mark)} AS {query}"]

    def marking(self, name: TableName, mark: str, kind: str) -> str:
        """The table's comment."""
        return f"ALTER {kind} {self.table(name)} COMMENT = {self.string(mark)}"

    def place_query(self, name: TableName) -> str:
        """The database. `Connector.place` asks whether a temporary table hides the name."""
        database, table = self._place(name)
        return f"SELECT EXISTS (SELECT 1 FROM information_schema.tables WHERE {self._at(name)}), 0, {database}, {table}"

    def definition_query(self, name: TableName) -> str:
        """The statement that would make the table, which says whether it is a temporary one."""
        return f"SHOW CREATE TABLE {self.table(name)}"

    def mark_query(self, name: TableName) -> str:
        """The table's comment."""
        return f"SELECT table_comment FROM information_schema.tables WHERE {self._at(name)}"

    def count_query(self, name: TableName) -> str:
        """The storage engine's estimate; NULL for a view, and no row for a temporary table."""
        return f"SELECT table_rows FROM information_schema.tables WHERE {self._at(name)}"

    def _at(self, name: TableName) -> str:
        """The condition that selects the row of a table in information_schema."""
        database, table = self._place(name)
        return f"table_schema = {database} AND table_name = {table}"

    def _place(self, name: TableName) -> tuple[str, str]:
        """The database and the table, as expressions."""
        *schema, table = name.parts
        return self.string(schema[-1]) if schema else "database()", self.string(table)

    def dependents_query(self, name: TableName) -> str:
        """Foreign keys, also in other databases, and triggers. Views refer to a table by its name."""
        database, table = self._place(name)
        key, trigger = (
            f"concat_ws('.', {', '.join(map(self.quoting, parts))})"
            for parts in (("constraint_schema", "table_name"), ("trigger_schema", "trigger_name"))
        )
        return (
            f"SELECT 'foreign key of table' AS kind, {key} AS other "
            "FROM information_schema.referential_constraints "
            f"WHERE unique_constraint_schema = {database} AND referenced_table_name = {table} "
            f"AND NOT (constraint_schema = {database} AND table_name = {table}) "
            f"UNION SELECT 'trigger', {trigger} FROM information_schema.triggers "
            f"WHERE event_object_schema = {database} AND event_object_table = {table} ORDER BY kind, other"
        )

    def quoting(self, name: str) -> str:
        """In backticks."""
        return f"concat('`', replace({name}, '`', '``'), '`')"

    def joinable(self, query: str, kinds: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
        """By the protocol's codes. Bytes have those of texts, and a subquery locks no rows."""
        locks = query.endswith((self.for_update, self.latest))
        read = all(value is None or isinstance(value, (int, str)) for row in rows for value in row)
        return query.startswith("SELECT ") and not locks and IN_JSON.issuperset(kinds) and read

    def at_once(self, questions: Sequence[tuple[str, int]]) -> str:
        """As JSON, each by a subquery. An empty query before it names its columns."""
        texts = [f"(SELECT {self._in_json(query, count)}) AS a{at}" for at, (query, count) in enumerate(questions)]
        return f"SELECT {', '.join(texts)}"

    def _in_json(self, query: str, columns: int) -> str:
        """The rows of a query as one array, and where they are from, after SELECT."""
        names = [f"c{i}" for i in range(columns)]
        empty = ", ".join(f"NULL AS {name}" for name in names)
        rows = f"SELECT {empty} FROM DUAL WHERE FALSE UNION ALL ({query})"
        return f"JSON_ARRAYAGG(JSON_ARRAY({', '.join(names)})) FROM ({rows}) q"

    def asking(self, stages: Sequence[Sequence[tuple[str, int, str | None]]]) -> str:
        """A block that asks the questions of stages, each stage if those before it are answered as they were.

        A question has its text, its number of columns and, if it is joined with others of its stage, the answer as it
        was. The others have a result each, which has the column ABSENT where there is no such table.
        """
        after = ""
        for number, stage in reversed([*enumerate(stages)]):
            asked, variables, met = [], [], []
            for at, (query, columns, answer) in enumerate(stage):
                if answer is None:
                    asked.append(f"BEGIN {_ON_ABSENT} {query}; END;")
                    continue
                variable = f"sqlrp_answer_{number}_{at}"
                # SET would lock the rows that its query reads.
                asked.append(f"SELECT coalesce((SELECT {self._in_json(query, columns)}), '[]') INTO {variable};")
                variables.append(variable)
                met.append(f"JSON_EQUALS({variable}, {self.string(answer)})")
            if variables:
                asked.insert(0, f"DECLARE {', '.join(variables)} LONGTEXT CHARACTER SET utf8mb4;")
                asked.append(f"SELECT {', '.join(variables)};")
            if after:
                asked.append(f"IF {' AND '.join(met) or 'TRUE'} THEN {after} END IF;")
            after = f"BEGIN {' '.join(asked)} END;" if number else " ".join(asked)
        return self.block.format(statements=after.removesuffix(";"))

    def shape_query(self, name: TableName) -> str:
        """information_schema.columns: SHOW COLUMNS is no query of another one."""
        return f"SELECT column_name, column_type FROM information_schema.columns WHERE {self._at(name)}"

    def columns_query(self, name: TableName) -> str:
        """SHOW COLUMNS."""
        return f"SHOW COLUMNS FROM {self.table(name)}"

    def unsafe_query(self, name: TableName) -> str:
        """A view or a trigger runs the functions that it names."""
        database, table = self._place(name)
        plain = f"SELECT 1 FROM information_schema.tables WHERE {self._at(name)} AND table_type = 'BASE TABLE'"
        triggers = (
            f"SELECT 1 FROM information_schema.triggers WHERE event_object_schema = {database} "
            f"AND event_object_table = {table}"
        )
        return (
            f"SELECT CASE WHEN NOT EXISTS ({plain}) THEN 'is no plain table' "
            f"WHEN EXISTS ({triggers}) THEN 'has a trigger' END"
        )
