"""PostgreSQL, from version 12 on.

Key differences: there are arrays, but reading one element of a stored array costs a read of the whole array (so a
slice of the whole is taken once); numeric has any size, so that integers never overflow; sums of real are computed in
double precision, which costs no more; jit costs more than it gains; no function fails with a given message (but a cast
of the message does); IS NOT DISTINCT FROM joins only by nested loops.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from sqlrp.core.draw import P
from sqlrp.core.errors import SourceError, shorten
from sqlrp.core.numbers import BOOLEAN, DOUBLE, SINGLE, Number
from sqlrp.core.sources import TableName
from sqlrp.dialects.base import HASHED, Column, ColumnType, Costs, Dialect, Limits, Numbers, decimal
from sqlrp.dialects.costs import costs_of

_INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}
_TEXT = re.compile(r"^(text|name|citext|\"char\"|character( varying)?(\(\d+\))?)$")
_NUMERIC = re.compile(r"^numeric\((\d+),(\d+)\)$")
_VECTOR = re.compile(r"^(?:.*\.)?(?:vector|halfvec)(?:\((\d+)\))?$")
_NO_VECTORS = re.compile(r'type "(vector|halfvec)" does not exist')
_OWN = re.compile(r'"(sqlrp: .*)"$', re.MULTILINE)

_OTHERS = (
    "= ANY (ARRAY(SELECT s.oid FROM pg_catalog.pg_namespace s "
    "WHERE s.nspname = ANY (pg_catalog.current_schemas(false)) AND s.nspname <> 'pg_catalog'))"
)
"""The condition that selects the schemas of a role's search_path, without pg_catalog."""


class PostgreSQL(Dialect):
    """PostgreSQL."""

    name: ClassVar[str] = "postgresql"
    casts_booleans: ClassVar[bool] = False
    temporary: ClassVar[str] = "pg_temp."
    materialized: ClassVar[str] = "MATERIALIZED "
    fence: ClassVar[str] = " OFFSET '0'"  # OFFSET 0 is a cast until it is planned: no workers would share the rows
    keeps_text: ClassVar[bool] = True
    nests: ClassVar[bool] = True
    functions: ClassVar[str] = "SELECT DISTINCT CAST(proname AS text) FROM pg_proc"
    for_update: ClassVar[str] = " FOR UPDATE"
    renames_views: ClassVar[bool] = True
    keeping_view: ClassVar[str] = "CREATE MATERIALIZED VIEW {name} AS\n{query}"
    jit: ClassVar[Mapping[str, str]] = {"jit": "off"}
    """the setting that turns off compilation, which takes longer than running the text, measured up to 20,000 rows"""
    path_query: ClassVar[str] = (
        "SELECT pg_catalog.current_setting('search_path'), "
        "pg_catalog.array_to_string(ARRAY(SELECT pg_catalog.quote_ident(s) FROM pg_catalog.unnest("
        "pg_catalog.current_schemas(false)) s WHERE s OPERATOR(pg_catalog.<>) 'pg_catalog'), ', ')"
    )
    """the query of the search_path, and of its schemas without pg_catalog"""
    shadows_query: ClassVar[str] = (
        "SELECT n.nspname, o.oprname, pg_catalog.pg_get_userbyid(o.oprowner) FROM pg_catalog.pg_operator o "
        f"JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace AND o.oprnamespace {_OTHERS} "
        "WHERE NOT pg_catalog.pg_has_role(o.oprowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
        "pg_catalog.pg_operator b JOIN pg_catalog.pg_namespace c ON c.oid = b.oprnamespace "
        "WHERE b.oprname = o.oprname AND c.nspname = 'pg_catalog' OFFSET 0) "
        "AND o.oprleft < 16384 AND o.oprright < 16384 UNION ALL "  # types of users start at 16384
        "SELECT n.nspname, p.proname, pg_catalog.pg_get_userbyid(p.proowner) FROM pg_catalog.pg_proc p "
        f"JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace AND p.pronamespace {_OTHERS} "
        "WHERE NOT pg_catalog.pg_has_role(p.proowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
        "pg_catalog.pg_proc b JOIN pg_catalog.pg_namespace c ON c.oid = b.pronamespace "
        "WHERE b.proname = p.proname AND c.nspname = 'pg_catalog' OFFSET 0) AND NOT EXISTS (SELECT 1 FROM "
        "pg_catalog.unnest(p.proargtypes) t WHERE t >= 16384) LIMIT 1"
    )
    """the query of schema, name and owner of an operator or a function that may take the place of a built-in one

    PostgreSQL prefers one with exactly the types of the arguments to one of pg_catalog that needs a cast, such as
    *(double precision, integer). Superusers and members of the current role could do as much without it. OFFSET 0
    makes PostgreSQL look for built-in ones only where it found another role's: a join reads all of pg_catalog."""
    argument: ClassVar[str] = "$1"
    fails_as_number: ClassVar[bool] = True
    single: ClassVar[str] = "real"
    array: ClassVar[str] = "{number}[]"
    joins_arrays: ClassVar[str] = "array_cat"
    vector: ClassVar[str] = "vector({k})"
    half_vector: ClassVar[str] = "halfvec({k})"
    longest_vector: ClassVar[int | None] = 16_000
    """of pgvector's documentation (storage; an index holds up to 2,000, or 4,000 of 16 bits)"""
    limits: ClassVar[Limits] = Limits(
        columns=1664,
        terms=100_000,
        stored=980,
        source="columns: PostgreSQL's documentation, appendix K (entries of a target list); stored: numbers of 8 "
        "bytes in a page of 8 kB; terms: measured",
    )
    costs: ClassVar[Costs] = costs_of("postgresql")

    def quote(self, name: str) -> str:
        """Double quotes, doubled within. Long names are refused: the engine would cut them and confuse two."""
        if len(name.encode()) > 63:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the 63 of PostgreSQL: rename"
            )
        return super().quote(name)

    def string(self, text: str) -> str:
        """Single quotes, doubled within; E'…' if a setting could make a backslash an escape."""
        quoted = super().string(text)
        return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays of numbers, pgvector's vectors, text."""
        if text.endswith("[]"):
            element = self.read_type(text[:-2]).number
            return ColumnType(text, None if element == BOOLEAN else element, is_array=True)
        vector = _VECTOR.match(text)
        if vector:
            return ColumnType(text, DOUBLE, is_array=True, size=int(vector[1]) if vector[1] else None, cast="real[]")
        if text in _INTEGERS or text == "boolean":
            return ColumnType(text, BOOLEAN if text == "boolean" else Number("int", _INTEGERS[text]))
        numeric = _NUMERIC.match(text)
        if numeric:
            return ColumnType(text, decimal(int(numeric[1]), int(numeric[2])))
        if text in ("real", "double precision", "numeric"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=bool(_TEXT.match(text)))

    def type_name(self, number: Number) -> str | None:
        """Integer, bigint, then numeric up to the 76 digits of Arrow's decimals."""
        if not number.exact:
            return self.single if number == SINGLE else "double precision"
        if number.kind == "decimal" or number.bits > 63:
            return "numeric" if number.bits <= int(76 * np.log2(10)) else None
        return "integer" if number.bits <= 31 else "bigint"

    def finite(self, expression: str) -> str:
        """The condition that the number is none of NaN, Infinity and -Infinity."""
        return f"({expression} NOT IN ('NaN', 'Infinity', '-Infinity'))"

    def literal(self, value: float, number: Number) -> str:
        """A double is cast, because 0.5e0 is a numeric."""
        return super().literal(value, number) if number.exact else f"CAST('{float(value)!r}' AS double precision)"

    def exp(self, x: str) -> str:
        """0 if the result would be too small for a double, which is an error on this engine."""
        return f"CASE WHEN {x} < -700 THEN 0 ELSE exp({x}) END"

    def fail(self, message: str) -> str:
        """A cast of the message to a number fails and quotes it. The time keeps the planner from trying it."""
        return f"CAST({self.string(message)} || left(CAST(clock_timestamp() AS text), 0) AS bigint)"

    def same(self, a: str, b: str) -> str:
        """Compare arrays of one element: NULL equals NULL in arrays, and they can be hashed."""
        return f"ARRAY[{a}] = ARRAY[{b}]"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """generate_series."""
        return f"SELECT {column} FROM generate_series(CAST(0 AS bigint), {n - 1}) g({column})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string per column, unnested together."""
        parts = (
            f"unnest(CAST('{{{','.join(map(str, values.tolist()))}}}' AS "
            f"{'double precision' if values.dtype.kind == 'f' else 'bigint'}[])) AS {name}"
            for name, values in columns.items()
        )
        return f"SELECT {', '.join(parts)}"

    def hash_name(self, expression: str) -> str:
        """The first 15 hexadecimal digits of md5 of the UTF-8 bytes, mod (P-1)."""
        digits = f"substr(md5(convert_to(CAST({expression} AS text), 'UTF8')), 1, 15)"
        return f"(CAST(CAST('x' || {digits} AS bit(60)) AS bigint) % {P - 1})"

    def row_hash(self, columns: Sequence[Column]) -> str:
        """The first 60 bits of md5 of the row in binary form: its text would depend on settings."""
        row = f"ROW({', '.join(self.quote(column.name) for column in columns)})"
        return f"CAST(CAST('x' || substr(md5(record_send({row})), 1, 15) AS bit(60)) AS bigint)"

    def missing(self, held: str, key: str, source: str) -> str:
        """NOT EXISTS is an anti join. EXCEPT would sort, and NOT IN is slow if the keys do not fit work_mem."""
        there = f"SELECT 1 FROM {source} asked WHERE asked.{key} = held.{key}"
        return f"SELECT {key} FROM (SELECT {key} FROM {held}) held WHERE NOT EXISTS ({there})"

    def sum_of_hashes(self, hashed: str) -> str:
        """The sum is a numeric."""
        return f"CAST(mod(sum({hashed}), {HASHED}) AS bigint)"

    # -- arrays ------------------------------------------------------------------------------

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY[…]."""
        return f"ARRAY[{','.join(expressions)}]"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """Unnest the array, scale its elements and collect them again."""
        if factor is None:
            return array
        return f"ARRAY(SELECT {factor}*e FROM unnest({array}) WITH ORDINALITY u(e, o) ORDER BY o)"

    def stored_array(self, column: str, cast: str | None) -> str:
        """A slice of the whole array is read once, and its elements count from 1."""
        return f"(CAST({column} AS {cast}))[:]" if cast else f"({column})[:]"

    def length(self, array: str) -> str:
        """cardinality(…); 0 for an array of arrays, which is not one row of numbers."""
        return f"(CASE WHEN array_ndims({array}) > 1 THEN 0 ELSE cardinality({array}) END)"

    def complete(self, array: str, n: int) -> str:
        """array_position finds NULL too."""
        return f"{array} IS NOT NULL AND array_position({array}, NULL) IS NULL"

    def unnest(self, relation: str, columns: Sequence[str], array: str, position: str, value: str) -> str:
        """The array is read once, at any length."""
        return (
            f"SELECT {', '.join([*columns, f'o - 1 AS {position}', f'e AS {value}'])}\n"
            f"FROM {relation} CROSS JOIN LATERAL unnest({array}) WITH ORDINALITY u(e, o)"
        )

    def collect(self, value: str, order: str) -> str:
        """array_agg(… ORDER BY …)."""
        return f"array_agg({value} ORDER BY {order})"

    def said(self, message: str) -> str:
        """The message given to `fail` stands between quotes at the end."""
        own = _OWN.search(message)
        if _NO_VECTORS.search(message):
            return f"{message} (run CREATE EXTENSION vector, or add the extension's schema to search_path)"
        return own[1] if own else message

    # -- existing tables -----------------------------------------------------------------------

    def _oid(self, name: TableName) -> str:
        """The oid of a table, or NULL if there is no such table."""
        return f"to_regclass({self.string(self.table(name))})"

    def columns_query(self, name: TableName) -> str:
        """pg_attribute; a domain is replaced by its base type."""
        return (
            "SELECT a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) "
            "ELSE format_type(a.atttypid, a.atttypmod) END, t.typtype = 'e', a.attnotnull OR t.typnotnull "
            "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            f"WHERE a.attrelid = {self._oid(name)} AND a.attnum > 0 AND NOT a.attisdropped "
            "ORDER BY a.attnum"
        )

    def described(self, *row: object) -> Column:
        """An enumeration of any name is text."""
        name, text, enum, required = row
        kind = ColumnType(str(text), is_text=True) if enum else self.read_type(str(text))
        return Column(str(name), kind, not required)

    def count_query(self, name: TableName) -> str:
        """The estimate of the last ANALYZE or VACUUM; no row for a view or another object that had none."""
        return f"SELECT CAST(reltuples AS bigint) FROM pg_class WHERE oid = {self._oid(name)} AND reltuples > 0"

    def no_rows(self, query: str) -> str:
        """The query without its rows, which tells the types of its columns."""
        return f"SELECT * FROM ({query}) q LIMIT 0"

    def copied_out(self, query: str) -> str:
        """The rows of a query as CSV."""
        return f"COPY ({query}) TO STDOUT (FORMAT csv)"

    def creating_function(self, name: TableName, body: str, returns: str, mark: str) -> str:
        """A function in SQL. It reads no table, so it is immutable and parallel-safe."""
        mark = "$sqlrp$"
        while mark in body:
            mark = f"{mark[:-1]}_$"
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}(features double precision[]) RETURNS {returns} "
            f"LANGUAGE sql IMMUTABLE PARALLEL SAFE AS {mark}{body}{mark}"
        )

    def dropping_function(self, name: TableName) -> str:
        """DROP FUNCTION."""
        return f"DROP FUNCTION {self.table(name)}(double precision[])"

    def named_function_query(self, name: TableName) -> str:
        """pg_proc, by the name and the type of the argument."""
        signature = self.string(f"{self.table(name)}(double precision[])")
        return f"SELECT 1 WHERE pg_catalog.to_regprocedure({signature}) IS NOT NULL"

    def dependents_query(self, name: TableName) -> str:
        """Foreign keys, views and triggers. PostgreSQL refuses to drop a table on which other objects depend."""
        at = self._oid(name)
        return (
            "SELECT 'foreign key of table', CAST(CAST(conrelid AS regclass) AS text) FROM pg_constraint "
            f"WHERE contype = 'f' AND confrelid = {at} AND conrelid <> confrelid "
            "UNION SELECT 'view', CAST(CAST(r.ev_class AS regclass) AS text) "
            "FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid WHERE d.classid = CAST('pg_rewrite' AS regclass) "
            f"AND d.refclassid = CAST('pg_class' AS regclass) AND d.refobjid = {at} AND r.ev_class <> {at} "
            f"UNION SELECT 'trigger', quote_ident(tgname) FROM pg_trigger WHERE tgrelid = {at} AND NOT tgisinternal "
            "ORDER BY 1, 2"
        )

    def dependent(self, kind: str, *name: str) -> str:
        """The query has quoted the names."""
        return f"{kind} {'.'.join(name)}"

    def unsafe_query(self, name: TableName) -> str:
        """Views, rules, triggers, row security, children and the expressions of a table run functions of its owner.

        Plain text of another role is safe to read, but only the owner of the schema may store it for others.
        """
        return (
            "SELECT CASE WHEN c.relkind <> 'r' THEN 'is no plain table' "
            "WHEN c.relowner <> n.nspowner AND NOT pg_catalog.pg_has_role(c.relowner, current_user, 'MEMBER') "
            "THEN 'belongs to another role' "
            "WHEN c.relrowsecurity THEN 'has row security' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) "
            "THEN 'has a trigger' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid) THEN 'has a rule' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attrdef d WHERE d.adrelid = c.oid) "
            "THEN 'has a default or a generated column' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid OR i.inhparent = c.oid) "
            "THEN 'has a parent or child table' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c') "
            "THEN 'has a check constraint' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_index x WHERE x.indrelid = c.oid "
            "AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)) THEN 'has an index of an expression' "
            "WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid "
            "WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
            "AND NOT (y.typname IN ('text', 'varchar') AND y.oid < 16384)) THEN 'has a column that is no text' END "
            "FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace "
            f"WHERE c.oid = pg_catalog.to_regclass({self.string(self.table(name))})"
        )

    def unique_query(self, name: TableName) -> str:
        """pg_index."""
        return (
            f"SELECT 1 FROM pg_index WHERE indrelid = {self._oid(name)} "
            "AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL"
        )

    def refresh(self, name: TableName, unique: bool) -> str:
        """CONCURRENTLY lets others read meanwhile, but needs a unique index."""
        return f"REFRESH MATERIALIZED VIEW {'CONCURRENTLY ' if unique else ''}{self.table(name)}"

    # -- sessions ------------------------------------------------------------------------------

    def lock_query(self, lock: str) -> str:
        """An advisory lock; it ends with the transaction."""
        return f"SELECT pg_advisory_xact_lock(hashtextextended({self.string(lock)}, 0))"

    def settings_query(self, names: Sequence[str]) -> str:
        """current_setting(…), which is empty for an unknown setting."""
        values = (f"coalesce(pg_catalog.current_setting({self.string(name)}, true), '')" for name in names)
        return f"SELECT {', '.join(values)}"

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """set_config(…)."""
        calls = (
            f"pg_catalog.set_config({self.string(name)}, {self.string(str(value))}, {'true' if local else 'false'})"
            for name, value in values.items()
        )
        return f"SELECT {', '.join(calls)}"
