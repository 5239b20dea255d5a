"""SQLite, from version 3.35 on.

Key differences: types belong to values rather than columns, so that each whole number may have 64 bits; a sum beyond
them becomes REAL, or fails in an aggregate, and a cast of it to INTEGER would cut it off; NaN is NULL;
there are no arrays and no md5; "nope" in double quotes is a string if there is no such column, so names stand in
backticks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.names import Folding
from sqlrp._core.numbers import BOOLEAN, DOUBLE, WHOLE, Number
from sqlrp._core.sources import TableName
from sqlrp._dialects.costs import costs_beside
from sqlrp._dialects.dialect import AT_ONCE, Column, ColumnType, Costs, Dialect, Limits, Numbers
from sqlrp._dialects.phrases import whole_half

_NUMBERS = ("REAL", "FLOA", "DOUB", "NUM", "DEC", "MONEY", "CURRENCY", "FIXED", "BIT")
"""Parts of the names of types of numbers. By its rules every unknown name has the affinity NUMERIC, a date's too."""
_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "MEDIUMINT": 24, "INT2": 16, "BIGINT": 63, "INT8": 63}

_HALF = 30
"""Half of the bits of a hash."""

_ATOM = re.compile(r"[\w.]+|`(``|[^`])*`")
"""An expression that needs no parentheses: a name or a number."""

_NOT_WHOLE = (
    "which is no exact whole number of 64 bits: clean the rows, or project a view that casts the features to REAL, "
    "for sums as floats"
)

_CHAIN = 32
"""The values that one chain of texts joins: SQLite bounds the depth of an expression."""

_WRITABLE = "open the file for writing, without PRAGMA query_only, as a user that may write there"


class SQLite(Dialect):
    """SQLite."""

    name: ClassVar[str] = "sqlite"
    shifts_bits: ClassVar[bool] = True
    repeats: ClassVar[bool] = False
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    aliases_may_hide: ClassVar[bool] = False
    numbers_by_columns: ClassVar[bool] = False
    name_parts: ClassVar[int | None] = 2
    quotes: ClassVar[str] = "`"
    equals: ClassVar[str] = "IS"  # it uses an index
    temporary: ClassVar[str] = "temp."
    has_types: ClassVar[bool] = False
    remedies: ClassVar[Mapping[str, str]] = {
        "integer overflow": f"in a sum, {_NOT_WHOLE}",
        "write a readonly database": _WRITABLE,
        "is locked": f"{AT_ONCE}, or raise the timeout of the driver",
    }
    restricted_query: ClassVar[str] = (
        f"SELECT CASE WHEN query_only THEN 'the connection may only read: {_WRITABLE}' END FROM pragma_query_only"
    )
    folding: ClassVar[Folding] = "ascii"
    materialized: ClassVar[str] = "MATERIALIZED "
    fence: ClassVar[str] = " LIMIT -1 OFFSET 0"
    has_arrays: ClassVar[bool] = False
    cells_of_text: ClassVar[str] = (
        "SELECT t.{key}, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value "
        "FROM {table} t, json_each(t.{column}) j"
    )
    has_lists: ClassVar[bool] = False
    has_md5: ClassVar[bool] = False
    key_function: ClassVar[str] = "sqlrp_key_number"
    nests: ClassVar[bool] = True
    begins: ClassVar[str] = "BEGIN IMMEDIATE"  # it waits for other writers
    begins_reading: ClassVar[str] = "BEGIN"
    renaming_setting: ClassVar[str] = "legacy_alter_table"  # otherwise renaming a table that has a view fails
    uncounted: ClassVar[str] = "no such column: rowid"
    listing: ClassVar[str] = "SELECT name FROM sqlite_master WHERE type = 'table'"
    row_hash_function: ClassVar[str] = "sqlrp_row_hash"
    limits: ClassVar[Limits] = Limits(
        columns=2000,
        terms=100_000,
        levels=3,
        source="columns: https://sqlite.org/limits.html, SQLITE_MAX_COLUMN; terms: measured; levels: a "
        "parser takes 15, measured, of which a score takes 7 and a result 4",
    )
    costs: ClassVar[Costs] = costs_beside(__file__)

    def same_name(self, a: str, b: str) -> str:
        """NOCASE folds ASCII letters; an extension may give the function lower another meaning."""
        return f"{a} = {b} COLLATE NOCASE"

    def read_type(self, text: str) -> ColumnType:
        """Read the words of the declared type by SQLite's rules of affinity."""
        word = text.upper().split("(")[0].strip()
        if word.startswith("BOOL"):
            return ColumnType(text, BOOLEAN)
        if "INT" in word:
            return ColumnType(text, Number("int", _INTEGERS.get(word, 31)))
        if any(part in word for part in ("CHAR", "CLOB", "TEXT")):
            return ColumnType(text, is_text=True)
        if any(part in word for part in _NUMBERS):
            return ColumnType(text, DOUBLE)
        return ColumnType(text)

    def type_name(self, number: Number) -> str | None:
        """64-bit integers and REAL."""
        if not number.exact:
            return "REAL"
        return "INTEGER" if number.kind == "int" and number.bits <= 63 else None

    def bounded(self, number: Number) -> Number:
        """The 64 bits of an integer: `whole` finds a sum beyond them."""
        return Number("int", min(number.bits, WHOLE.bits)) if number.kind == "int" else number

    def cast(self, expression: str, number: Number) -> str:
        """A cast to REAL. Whole numbers stay as they are: a cast to INTEGER would change what is none of 64 bits."""
        if not number.exact:
            return super().cast(expression, number)
        return expression if _ATOM.fullmatch(expression) else f"({expression})"

    def as_word(self, expression: str) -> str:
        """A cast to INTEGER: `floor` gives a REAL, whose products beyond 2^53 lose their last bits."""
        return f"CAST({expression} AS INTEGER)"

    def exact_whole(self, value: str) -> str:
        """A sum that is no integer of 64 bits is REAL."""
        words = f"'sqlrp: a sum is ' || ({value}) || ', {_NOT_WHOLE}'"
        return f"CASE WHEN typeof({value}) = 'real' THEN json_type('{{}}', {words}) ELSE {value} END"

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """Compare with text, as a cast would read text as 0: every number sorts before every text."""
        fail = self.fail(f"sqlrp: a feature in {feature} is text, not a number: clean the row, or leave the column out")
        return f"CASE WHEN {feature} >= '' THEN {fail} ELSE {self.cast(feature, want)} END"

    halved = whole_half

    def differing(self, a: str, b: str) -> str:
        """There is no xor, and no function that counts."""
        return self.ones(f"(({a}|{b})-({a}&{b}))", lambda x, y: f"({x}&{y})", lambda x, n: f"({x}>>{n})")

    def floor(self, x: str) -> str:
        """floor(…), which may be a function of Python that takes no NULL."""
        return f"CASE WHEN {x} IS NOT NULL THEN floor({x}) END"

    def greatest(self, expressions: Sequence[str]) -> str:
        """max of several arguments."""
        return f"max({', '.join(expressions)})"

    def fail(self, message: str) -> str:
        """A malformed JSON path fails and quotes the path. random() keeps the engine from computing it in advance."""
        return f"json_type('{{}}', {self.string(message)} || substr(random(), 1, 0))"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """A recursive common table expression."""
        step = f"SELECT 0 AS {column} UNION ALL SELECT {column} + 1 FROM counted WHERE {column} < {n - 1}"
        return f"WITH RECURSIVE counted AS ({step}) SELECT {column} FROM counted"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """A string of JSON, one array per row."""
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        text = ",".join(f"[{','.join(map(repr, row))}]" for row in rows)
        kinds = ("INTEGER" if values.dtype.kind in "iu" else "REAL" for values in columns.values())
        # The cast is for parsers that read json_extract as ->, which gives a text.
        listed = enumerate(zip(columns, kinds, strict=True))
        parts = (f"CAST(json_extract(value, '$[{i}]') AS {kind}) AS {name}" for i, (name, kind) in listed)
        return f"SELECT {', '.join(parts)} FROM json_each('[{text}]')"

    def hash_name(self, expression: str) -> str:
        """Refuse: there is no md5."""
        raise UnsupportedError("sqlite has no md5, so text features are not supported: number them, from 0")

    def row_hash(self, columns: Sequence[Column]) -> str:
        """A function of this process, of the values as literals: SQLite has no hash. Short chains: depth is limited."""
        values = [self._literal(column) for column in columns]
        comma = " || ',' || "
        chains = (f"({comma.join(values[i : i + _CHAIN])})" for i in range(0, len(values), _CHAIN))
        return f"{self.row_hash_function}({comma.join(chains)})"

    def _literal(self, column: Column) -> str:
        """A value as a literal, which ends at the first NUL character of a text; then all of its bytes follow."""
        name = self.quote(column.name)
        if column.type.number is not None:
            return f"quote({name})"
        cut = f"typeof({name}) = 'text' AND instr(CAST({name} AS BLOB), x'00') > 0"
        return f"quote({name}) || CASE WHEN {cut} THEN hex({name}) ELSE '' END"

    def tells_all(self, type: ColumnType) -> bool:
        """Columns of any type hold texts, and a column may have the collation NOCASE or RTRIM."""
        return type.number is not None

    def exact(self, expression: str) -> str:
        """The collation of bytes."""
        return f"{expression} COLLATE BINARY"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sums of both halves of the bits: a sum beyond 64 bits fails."""
        half = 1 << _HALF
        low, high = f"sum({hashed} & {half - 1}) % {half}", f"sum({hashed} >> {_HALF}) % {half}"
        return f"(({high}) << {_HALF}) + ({low})"

    def said(self, message: str) -> str:
        """The message given to `fail` is the JSON path, with its quotes doubled."""
        at = message.find("'sqlrp: ")
        return super().said(message) if at < 0 else message[at:].strip("'").replace("''", "'")

    # -- existing tables -----------------------------------------------------------------------

    def places_query(self) -> str:
        """Those of attached databases, too."""
        return "SELECT file FROM pragma_database_list WHERE file <> ''"

    def columns_query(self, name: TableName) -> str:
        """pragma_table_xinfo; a view's column may have no declared type."""
        *schema, table = name.parts
        arguments = ", ".join(self.string(part) for part in (table, *schema))
        return (
            "SELECT name, type, CASE \"notnull\" WHEN 0 THEN 'YES' ELSE 'NO' END "
            f"FROM pragma_table_xinfo({arguments}) WHERE hidden <> 1"
        )

    def place_query(self, name: TableName) -> str | None:
        """The schema main, then those of attached files."""
        *path, _ = name.parts
        table = self.string(name.parts[-1])
        if len(path) > 1:
            return None
        where = f"name = {self.string(path[0])} COLLATE NOCASE" if path else "name <> 'temp'"
        found = f"EXISTS (SELECT 1 FROM pragma_table_xinfo({table}, d.name))"
        hidden = f"EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = {table} COLLATE NOCASE)"
        return (
            f"SELECT {found} AS there, {'0' if path else hidden}, d.name, {table} FROM pragma_database_list d "
            f"WHERE d.{where} ORDER BY there DESC, d.seq LIMIT 1"
        )

    def spelling_query(self, name: TableName) -> str:
        """The query of a table's name as it was spelled when the table was made."""
        *path, table = name.parts
        master = f"{self.quote(path[0])}.sqlite_master"
        return (
            f"SELECT name FROM {master} WHERE type IN ('table', 'view') AND name = {self.string(table)} COLLATE NOCASE"
        )

    def marking(self, name: TableName, mark: str, kind: str) -> str:
        """An index of no rows with the mark as its name: there are no comments.

        It follows the table in a RENAME, a VACUUM and a dump, and goes with it in DROP TABLE.
        """
        *schema, table = name.parts
        return f"CREATE INDEX {self.table(TableName((*schema, mark)))} ON {self.quote(table)}(1) WHERE 0"

    def mark_query(self, name: TableName) -> str:
        """The names of the table's indexes."""
        *schema, table = name.parts
        master = f"{self.quote(schema[0])}.sqlite_master" if schema else "sqlite_master"
        return (
            f"SELECT group_concat(name) FROM {master} "
            f"WHERE type = 'index' AND tbl_name = {self.string(table)} COLLATE NOCASE AND name LIKE 'sqlrp%'"
        )

    answers_in_one: ClassVar[bool] = True

    def in_one(self, questions: Sequence[tuple[str, int]]) -> str:
        """The rows of all as literals. An empty query before each names its columns."""
        rows: list[str] = []
        for query, count in questions:
            names = [f"c{i}" for i in range(count)]
            empty = f"SELECT {', '.join(f'NULL AS {name}' for name in names)} WHERE 0"
            row = " || ',' || ".join([f"'{len(rows)}'", *(f"quote({name})" for name in names)])
            rows.append(f"SELECT {row} AS c FROM ({empty} UNION ALL SELECT * FROM ({query}))")
        return f"SELECT group_concat(c, ';') AS answers FROM ({' UNION ALL '.join(rows)})"

    def shape_query(self, name: TableName) -> str:
        """pragma_table_xinfo. Of a view it has the types that are declared."""
        *schema, table = name.parts
        return f"SELECT name, type FROM pragma_table_xinfo({', '.join(map(self.string, (table, *schema)))})"

    def first_kind_query(self, name: TableName, column: str) -> str:
        """typeof(…)."""
        quoted = self.quote(column)
        return f"SELECT typeof({quoted}) FROM {self.table(name)} WHERE {quoted} IS NOT NULL LIMIT 1"

    def dependents_query(self, name: TableName) -> str:
        """Foreign keys, enforced or not, and triggers. Views refer to a table by its name."""
        *schema, table = map(self.string, name.parts)
        master = f"{self.quote(name.parts[0])}.sqlite_master" if schema else "sqlite_master"
        arguments, referenced = ", ".join(["m.name", *schema]), f"f.{self.quote('table')}"
        triggers = (
            f"SELECT 'trigger', {self.quoting('name')} FROM {which} "
            f"WHERE type = 'trigger' AND {self.same_name('tbl_name', table)}"
            for which in (master, "sqlite_temp_master")
        )
        return (
            f"SELECT DISTINCT 'foreign key of table', {self.quoting('m.name')} "
            f"FROM {master} m JOIN pragma_foreign_key_list({arguments}) f "
            f"WHERE m.type = 'table' AND {self.same_name(referenced, table)} "
            f"AND NOT {self.same_name('m.name', table)} "
            f"UNION ALL {' UNION ALL '.join(triggers)} ORDER BY 1, 2"
        )

    def kinds_query(self, name: TableName, column: str) -> str:
        """typeof(…); integers and reals are both numbers, as they compare as numbers."""
        quoted = self.quote(column)
        kind = f"replace(typeof({quoted}), 'real', 'integer')"
        return f"SELECT DISTINCT {kind} FROM {self.table(name)} WHERE {quoted} IS NOT NULL"

    def unsafe_query(self, name: TableName) -> str:
        """A view, a virtual table or a trigger runs the functions that it names."""
        table = f"name = {self.string(name.parts[-1])} COLLATE NOCASE"
        master = f"{self.quote(name.parts[0])}.sqlite_master" if len(name.parts) > 1 else "sqlite_master"
        plain = f"SELECT 1 FROM {master} WHERE {table} AND type = 'table' AND sql LIKE 'CREATE TABLE%'"
        triggers = (
            f"SELECT 1 FROM {which} WHERE type = 'trigger' AND tbl_{table}" for which in (master, "sqlite_temp_master")
        )
        return (
            f"SELECT CASE WHEN NOT EXISTS ({plain}) THEN 'is no plain table' "
            f"WHEN EXISTS ({' UNION ALL '.join(triggers)}) THEN 'has a trigger' END"
        )

    def count_query(self, name: TableName) -> str:
        """The last rowid, which is found without a scan. Views and tables without rowids have none."""
        return f"SELECT max(rowid) FROM {self.table(name)}"

    def settings_query(self, names: Sequence[str]) -> str:
        """A PRAGMA reads one value."""
        (name,) = names
        return f"PRAGMA {name}"

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """A PRAGMA sets one value."""
        ((name, value),) = values.items()
        return f"PRAGMA {name} = {value}"
