"""PostgreSQL, from 12 on, by SQLAlchemy and psycopg.

Key differences: arrays, but an element of a stored one costs a read of all of it (so a slice of all is taken, once);
numeric of any size, so that integers never overflow; sums of real are taken in double precision, which costs no
more; jit, which costs more than it brings; no function that fails with words of one's own (a cast of the words
does); IS NOT DISTINCT FROM joins by nested loops only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from sqlrp.core.draw import P
from sqlrp.core.errors import SourceError, StatementError, shorten
from sqlrp.core.numbers import BOOLEAN, DOUBLE, Number
from sqlrp.core.sources import TableName
from sqlrp.engines.base import ColumnType, Costs, Limits, Numbers
from sqlrp.engines.costs import costs_of
from sqlrp.engines.sqlalchemy import SqlAlchemyEngine

_INTEGERS = {"smallint": 15, "integer": 31, "bigint": 63}
_TEXT = re.compile(r"^(text|name|citext|\"char\"|character( varying)?(\(\d+\))?)$")
_NUMERIC = re.compile(r"^numeric\((\d+),(\d+)\)$")
_VECTOR = re.compile(r"^(?:.*\.)?(?:vector|halfvec)(?:\((\d+)\))?$")
_OWN = re.compile(r'"(sqlrp: .*)"$', re.MULTILINE)
_ARROW = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    25: pa.string(),
    1043: pa.string(),
    700: pa.float32(),
    701: pa.float64(),
    1016: pa.list_(pa.int64()),
    1007: pa.list_(pa.int32()),
    1021: pa.list_(pa.float32()),
    1022: pa.list_(pa.float64()),
}
"""Arrow types by the OIDs of pg_type, which are the same in every database."""
_BROKEN = 3  # PQTRANS_INERROR of libpq


class PostgreSQL(SqlAlchemyEngine):
    """PostgreSQL."""

    name: ClassVar[str] = "postgresql"
    temporary: ClassVar[str] = "pg_temp."
    materialized: ClassVar[str] = "MATERIALIZED "
    fence: ClassVar[str] = " OFFSET '0'"  # with OFFSET 0, a cast until it is planned, no workers would share the rows
    keeps_text: ClassVar[bool] = True
    nests: ClassVar[bool] = True
    functions: ClassVar[str] = "SELECT DISTINCT CAST(proname AS text) FROM pg_proc"
    for_update: ClassVar[str] = " FOR UPDATE"
    has_materialized_views: ClassVar[bool] = True
    limits: ClassVar[Limits] = Limits(
        columns=1664,
        terms=100_000,
        stored=980,
        source="columns: PostgreSQL's documentation, appendix K (entries of a target list); stored: numbers of 8 "
        "bytes in a page of 8 kB; terms: measured",
    )
    costs: ClassVar[Costs] = costs_of("postgresql")

    def quote(self, name: str) -> str:
        """Double quotes, doubled within; longer names the engine would cut, and so take one for another."""
        if len(name.encode()) > 63:
            raise SourceError(
                f"name {shorten(name)} has {len(name.encode())} bytes, more than the 63 of PostgreSQL: rename"
            )
        return '"' + name.replace('"', '""') + '"'

    def string(self, text: str) -> str:
        """Single quotes, doubled within; E'…' where a setting could give backslashes a meaning."""
        quoted = "'" + text.replace("'", "''") + "'"
        return "E" + quoted.replace("\\", "\\\\") if "\\" in text else quoted

    def read_type(self, text: str) -> ColumnType:
        """Numbers, arrays of them, pgvector's vectors, text."""
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
            return ColumnType(text, Number("decimal", int(np.ceil(int(numeric[1]) * np.log2(10))), int(numeric[2])))
        if text in ("real", "double precision", "numeric"):
            return ColumnType(text, DOUBLE)
        return ColumnType(text, is_text=bool(_TEXT.match(text)))

    def type_name(self, number: Number) -> str | None:
        """Integer, bigint, numeric: as far as the 76 digits that Arrow brings back."""
        if not number.exact:
            return "double precision"
        if number.kind == "decimal" or number.bits > 63:
            return "numeric" if number.bits <= int(76 * np.log2(10)) else None
        return "integer" if number.bits <= 31 else "bigint"

    def widen(self, feature: str, have: Number, want: Number) -> str:
        """A boolean becomes a number by way of integer only."""
        return self.cast(self.cast(feature, Number("int", 31)) if have == BOOLEAN else feature, want)

    def finite(self, expression: str) -> str:
        """Neither of the three."""
        return f"({expression} NOT IN ('NaN', 'Infinity', '-Infinity'))"

    def literal(self, value: float, number: Number) -> str:
        """0.5e0 is a numeric: doubles are cast."""
        return super().literal(value, number) if number.exact else f"CAST('{float(value)!r}' AS double precision)"

    def exp(self, x: str) -> str:
        """0 where it would be too small for a double, which is an error here."""
        return f"CASE WHEN {x} < -700 THEN 0 ELSE exp({x}) END"

    def fail(self, message: str) -> str:
        """A cast of the words to a number fails with them; the time keeps the planner from trying it."""
        return f"CAST({self.string(message)} || left(CAST(clock_timestamp() AS text), 0) AS bigint)"

    def checked(self, wrong: str, message: str, value: str) -> str:
        """The failing expression is a number, which a CASE beside an array does not take."""
        return f"CASE WHEN {wrong} THEN CASE WHEN {self.fail(message)} = 0 THEN {value} END ELSE {value} END"

    def same(self, a: str, b: str) -> str:
        """Arrays are equal where NULL meets NULL, and are hashed."""
        return f"ARRAY[{a}] = ARRAY[{b}]"

    def numbers_from_zero(self, n: int, column: str) -> str:
        """generate_series."""
        return f"SELECT {column} FROM generate_series(CAST(0 AS bigint), {n - 1}) g({column})"

    def literal_table(self, columns: Mapping[str, Numbers]) -> str:
        """One string a column, unnested side by side."""
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

    # -- arrays ------------------------------------------------------------------------------

    def array_of(self, expressions: Sequence[str], number: Number) -> str:
        """ARRAY[…]."""
        return self.list_of(expressions)

    def list_of(self, expressions: Sequence[str]) -> str:
        """ARRAY[…]."""
        return f"ARRAY[{','.join(expressions)}]"

    def cast_array(self, array: str, number: Number) -> str:
        """A cast of every element."""
        return f"CAST({array} AS {self.type_name(number)}[])"

    def scaled(self, array: str, factor: str | None, number: Number, size: int) -> str:
        """Unnested and collected again."""
        if factor is None:
            return array
        return f"ARRAY(SELECT {factor}*e FROM unnest({array}) WITH ORDINALITY u(e, o) ORDER BY o)"

    def element(self, array: str, position: int) -> str:
        """Positions from 1."""
        return f"{array}[{position + 1}]"

    def stored_array(self, column: str, cast: str | None) -> str:
        """A slice of all of it is read once, and its elements count from 1."""
        return f"(CAST({column} AS {cast}))[:]" if cast else f"({column})[:]"

    def length(self, array: str) -> str:
        """cardinality(…); 0 for an array of arrays, which has no row of elements."""
        return f"(CASE WHEN array_ndims({array}) > 1 THEN 0 ELSE cardinality({array}) END)"

    def complete(self, array: str) -> str:
        """array_position finds NULL as well."""
        return f"{array} IS NOT NULL AND array_position({array}, NULL) IS NULL"

    def unnest(self, relation: str, columns: Sequence[str], array: str, position: str, value: str) -> str:
        """The array is read once, whatever its length."""
        return (
            f"SELECT {', '.join([*columns, f'o - 1 AS {position}', f'e AS {value}'])}\n"
            f"FROM {relation} CROSS JOIN LATERAL unnest({array}) WITH ORDINALITY u(e, o)"
        )

    def collect(self, value: str, order: str) -> str:
        """array_agg(… ORDER BY …)."""
        return f"array_agg({value} ORDER BY {order})"

    # -- connection --------------------------------------------------------------------------

    @contextmanager
    def session(self, connection: Any) -> Iterator[sa.Connection]:
        """`settled`, once nothing on the search_path takes the place of what statements name."""
        with self.settled(connection) as opened:
            self._check_shadows(opened)
            yield opened

    @contextmanager
    def settled(self, connection: Any) -> Iterator[sa.Connection]:
        """Without jit, which compiles every term of the text: longer than running it takes, measured to 20,000 rows.

        And with pg_catalog before every other schema, so that no name means another user's function.
        """
        with super().session(connection) as opened:
            path, plain = self.rows(
                opened,
                "SELECT pg_catalog.current_setting('search_path'), "
                "pg_catalog.array_to_string(ARRAY(SELECT pg_catalog.quote_ident(s) FROM pg_catalog.unnest("
                "pg_catalog.current_schemas(false)) s WHERE s OPERATOR(pg_catalog.<>) 'pg_catalog'), ', ')",
            )[0]
            # Where the path does not name pg_catalog it comes first, and new tables go to the first schema named.
            with self.setting(opened, {"jit": "off"} | ({"search_path": plain} if "pg_catalog" in path else {})):
                yield opened

    @contextmanager
    def setting(self, opened: sa.Connection, values: Mapping[str, str]) -> Iterator[None]:
        """Settings with these values for a while.

        In a transaction they hold for it alone, so that they end with it even where they cannot be put back.
        """
        local = "true" if self.transacting(opened) or not self.commits_itself(opened) else "false"
        names = ", ".join(f"coalesce(pg_catalog.current_setting({self.string(name)}, true), '')" for name in values)
        before = dict(zip(values, self.rows(opened, f"SELECT {names}")[0], strict=True))

        def put(settings: Mapping[str, str]) -> None:
            calls = (
                f"pg_catalog.set_config({self.string(name)}, {self.string(value)}, {local})"
                for name, value in settings.items()
            )
            self.rows(opened, f"SELECT {', '.join(calls)}")

        try:
            put(values)
            yield
        except BaseException:
            with suppress(StatementError):  # of a broken transaction: its rollback puts the settings back
                put(before)
            raise
        # Where this fails, it breaks the transaction: no error here, and COMMIT would silently roll back.
        put(before)

    def _check_shadows(self, opened: sa.Connection) -> None:
        """Raise SourceError where an operator or a function of another role takes the place of a built-in one.

        One for the very types of its arguments is preferred to one of pg_catalog that needs a cast, such as
        *(double precision, integer). Superusers, and the members of the current role, could do as much without it.
        """
        others = (
            "= ANY (ARRAY(SELECT s.oid FROM pg_catalog.pg_namespace s "
            "WHERE s.nspname = ANY (pg_catalog.current_schemas(false)) AND s.nspname <> 'pg_catalog'))"
        )
        found = self.rows(
            opened,
            "SELECT n.nspname, o.oprname, pg_catalog.pg_get_userbyid(o.oprowner) FROM pg_catalog.pg_operator o "
            f"JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace AND o.oprnamespace {others} "
            "WHERE NOT pg_catalog.pg_has_role(o.oprowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
            "pg_catalog.pg_operator b JOIN pg_catalog.pg_namespace c ON c.oid = b.oprnamespace "
            "WHERE b.oprname = o.oprname AND c.nspname = 'pg_catalog') "
            "AND o.oprleft < 16384 AND o.oprright < 16384 UNION ALL "  # from 16384 on are types of users
            "SELECT n.nspname, p.proname, pg_catalog.pg_get_userbyid(p.proowner) FROM pg_catalog.pg_proc p "
            f"JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace AND p.pronamespace {others} "
            "WHERE NOT pg_catalog.pg_has_role(p.proowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
            "pg_catalog.pg_proc b JOIN pg_catalog.pg_namespace c ON c.oid = b.pronamespace "
            "WHERE b.proname = p.proname AND c.nspname = 'pg_catalog') AND NOT EXISTS (SELECT 1 FROM "
            "pg_catalog.unnest(p.proargtypes) t WHERE t >= 16384) LIMIT 1",
        )
        if found:
            schema, name, owner = found[0]
            raise SourceError(
                f"{name} of role {owner} in schema {schema} could take the place of PostgreSQL's own {name}: drop it, "
                "or SET search_path to schemas where no one else may create"
            )

    def commits_itself(self, connection: sa.Connection) -> bool:
        """psycopg's autocommit."""
        return bool(getattr(connection.connection.driver_connection, "autocommit", False))

    def transacting(self, connection: sa.Connection) -> bool:
        """What psycopg knows of the server's state."""
        return bool(connection.connection.driver_connection.info.transaction_status)  # type: ignore[union-attr]

    def commit(self, connection: sa.Connection) -> None:
        """COMMIT of a transaction that an error broke is a ROLLBACK, and no error."""
        info: Any = connection.connection.driver_connection.info  # type: ignore[union-attr]
        if info.transaction_status == _BROKEN:
            raise StatementError("COMMIT", "an error broke the transaction, so that nothing was committed: try again")
        super().commit(connection)

    def begin(self, connection: sa.Connection, lock: str, alone: bool) -> None:
        """An advisory lock ends with the transaction."""
        if alone:
            self.execute(connection, "BEGIN")
        self.rows(connection, f"SELECT pg_advisory_xact_lock(hashtextextended({self.string(lock)}, 0))")

    def dependents(self, connection: Any, name: TableName) -> list[str]:
        """Foreign keys, views and triggers; what else depends on a table keeps PostgreSQL from dropping it."""
        table = f"to_regclass({self.string(self.table(name))})"
        found = self.rows(
            connection,
            "SELECT 'foreign key of table', CAST(CAST(conrelid AS regclass) AS text) FROM pg_constraint "
            f"WHERE contype = 'f' AND confrelid = {table} AND conrelid <> confrelid "
            "UNION SELECT 'view', CAST(CAST(r.ev_class AS regclass) AS text) "
            "FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid WHERE d.classid = CAST('pg_rewrite' AS regclass) "
            f"AND d.refclassid = CAST('pg_class' AS regclass) AND d.refobjid = {table} AND r.ev_class <> {table} "
            f"UNION SELECT 'trigger', quote_ident(tgname) FROM pg_trigger WHERE tgrelid = {table} AND NOT tgisinternal "
            "ORDER BY 1, 2",
        )
        return [f"{kind} {other}" for kind, other in found]

    def why_unsafe(self, connection: Any, name: TableName) -> str | None:
        """Views, rules, triggers, row security, children and the expressions of a table run functions of its owner.

        Plain text of another role is safe to read, but only the owner of the schema may keep it for others.
        """
        found = self.rows(
            connection,
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
            f"WHERE c.oid = pg_catalog.to_regclass({self.string(self.table(name))})",
        )
        return str(found[0][0]) if found and found[0][0] else None

    def refreshing(self, connection: Any, name: TableName) -> str:
        """CONCURRENTLY, which lets others read meanwhile, needs a unique index."""
        unique = self.rows(
            connection,
            f"SELECT 1 FROM pg_index WHERE indrelid = to_regclass({self.string(self.table(name))}) "
            "AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL",
        )
        return f"REFRESH MATERIALIZED VIEW {'CONCURRENTLY ' if unique else ''}{self.table(name)}"

    def describe(self, connection: sa.Connection, name: TableName) -> list[tuple[str, ColumnType, bool]]:
        """pg_attribute, a domain as the type it is made of."""
        found = self.rows(
            connection,
            "SELECT a.attname, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) "
            "ELSE format_type(a.atttypid, a.atttypmod) END, t.typtype = 'e', a.attnotnull OR t.typnotnull "
            "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            f"WHERE a.attrelid = to_regclass({self.string(self.table(name))}) AND a.attnum > 0 AND NOT a.attisdropped "
            "ORDER BY a.attnum",
        )
        return [
            (column, ColumnType(text, is_text=True) if enum else self.read_type(text), not required)
            for column, text, enum, required in found
        ]

    def array_length(self, connection: Any, name: TableName, column: str) -> int | None:
        """The length of the first array, or vector, that is not NULL."""
        cast = next((c.type.cast for c in self.columns(connection, name) if c.name == column), None)
        quoted = self.quote(column)
        array = self.length(f"CAST({quoted} AS {cast})" if cast else quoted)
        found = self.rows(connection, f"SELECT {array} FROM {self.table(name)} WHERE {quoted} IS NOT NULL LIMIT 1")
        return int(found[0][0]) if found else None

    def count(self, connection: Any, name: TableName) -> int | None:
        """The estimate of the last ANALYZE or VACUUM; None for what had none, such as a view."""
        found = self.rows(
            connection,
            "SELECT reltuples FROM pg_class "
            f"WHERE oid = to_regclass({self.string(self.table(name))}) AND reltuples > 0",
        )
        return int(found[0][0]) if found else None

    def arrow_type(self, code: Any) -> pa.DataType | None:
        """By OID."""
        return _ARROW.get(code)

    def words(self, message: str) -> str:
        """sqlrp's own words stand between quotes at the end."""
        own = _OWN.search(message)
        return own[1] if own else message
