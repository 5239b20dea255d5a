"""What a PostgreSQL database has, the statements that make and drop functions, and the settings of a session."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import ClassVar

from sqlrp._core.sources import TableName
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._dialects.distances import SearchFunction
from sqlrp._dialects.table_queries import MARK
from sqlrp._engines.postgresql.trust import creators_query, overloads_query, unsafe_query

_IS, _IS_NOT, _BELOW = (f"OPERATOR(pg_catalog.{sign})" for sign in ("=", "<>", "<"))
"""Operators that no schema of the search_path can replace."""

_OTHERS = (
    f"{_IS} ANY (ARRAY(SELECT s.oid FROM pg_catalog.pg_namespace s "
    f"WHERE s.nspname {_IS} ANY (pg_catalog.current_schemas(false)) AND s.nspname {_IS_NOT} 'pg_catalog'))"
)
"""The condition that selects the schemas of a role's search_path, without pg_catalog."""

_FIRST = "CAST(16384 AS pg_catalog.oid)"  # of what users make
_OWN = "CAST(CAST('pg_catalog' AS pg_catalog.regnamespace) AS pg_catalog.oid)"

_TYPE = (
    "CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) "
    "ELSE format_type(a.atttypid, a.atttypmod) END"
)
"""The type of a column `a` whose row of pg_type is `t`; a domain is replaced by its base type."""

PRIMARY = "connect to the primary server, or SET TRANSACTION READ WRITE"

_OVERLOAD = "/* sqlrp passes its arguments on */"
"""The beginning of the text of a function that `overloading` makes."""

_IN_JSON = frozenset((16, 18, 19, 20, 21, 23, 25, 26, 1009, 1043))
"""bool, "char", name, bigint, smallint, int, text, oid, text[], varchar"""


class PostgreSQLCatalogue(Dialect):
    """The queries of what is there, the functions, and the session."""

    alive_query: ClassVar[str] = "SELECT 1"
    for_update: ClassVar[str] = " FOR UPDATE"
    locks_all: ClassVar[bool] = True
    renames_views: ClassVar[bool] = True
    keeping_view: ClassVar[str] = "CREATE MATERIALIZED VIEW {name} AS\n{query}"
    jit: ClassVar[Mapping[str, str]] = {"jit": "off"}
    """the setting that turns off compilation, which takes longer than running the text, measured up to 20,000 rows"""
    restricted_query: ClassVar[str] = (
        "SELECT CASE WHEN pg_catalog.current_setting('transaction_read_only') OPERATOR(pg_catalog.=) 'on' THEN "
        f"'the transaction is read-only: {PRIMARY}' WHEN NOT pg_catalog.has_database_privilege("
        "pg_catalog.current_database(), 'TEMP') THEN pg_catalog.concat('the role ', current_user, ' lacks the right "
        "to make temporary tables: GRANT TEMP ON DATABASE ', pg_catalog.quote_ident(pg_catalog.current_database()), "
        "' TO ', pg_catalog.quote_ident(current_user)) END"
    )
    vector_types_query: ClassVar[str] = (
        "SELECT pg_catalog.quote_ident(n.nspname), pg_catalog.quote_ident(t.typname) FROM pg_catalog.pg_extension e "
        "JOIN pg_catalog.pg_depend d ON d.refclassid = CAST('pg_catalog.pg_extension' AS regclass) "
        "AND d.refobjid = e.oid AND d.classid = CAST('pg_catalog.pg_type' AS regclass) AND d.deptype = 'e' "
        "JOIN pg_catalog.pg_type t ON t.oid = d.objid JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace "
        "WHERE e.extname = 'vector' AND t.typname IN ('vector', 'halfvec') ORDER BY 2 ASC"
    )
    """the query of pgvector's types of dense vectors, by schema and name"""
    opened: ClassVar[str] = (
        "pg_catalog.current_setting('search_path'), "
        "pg_catalog.array_to_string(ARRAY(SELECT pg_catalog.quote_ident(s) FROM pg_catalog.unnest("
        f"pg_catalog.current_schemas(false)) s WHERE s {_IS_NOT} 'pg_catalog'), ', '), "
        "coalesce(pg_catalog.current_setting('jit', true), ''), "
        "CAST(pg_catalog.current_setting('extra_float_digits') AS integer), "
        "found.*, pg_catalog.set_config('jit', 'off', true)"
    )
    """what the query that begins a session asks"""
    opened_from: ClassVar[str] = (
        "(SELECT 1) one LEFT JOIN (SELECT CAST(CAST(o.oprnamespace AS pg_catalog.regnamespace) AS text), "
        "o.oprname, pg_catalog.pg_get_userbyid(o.oprowner) FROM pg_catalog.pg_operator o "
        f"WHERE o.oprnamespace {_OTHERS} AND NOT o.oid {_BELOW} {_FIRST} "
        "AND NOT pg_catalog.pg_has_role(o.oprowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
        f"pg_catalog.pg_operator b WHERE b.oprname {_IS} o.oprname AND b.oprnamespace {_IS} {_OWN} OFFSET 0) "
        f"AND o.oprleft {_BELOW} {_FIRST} AND o.oprright {_BELOW} {_FIRST} UNION ALL "
        "SELECT CAST(CAST(p.pronamespace AS pg_catalog.regnamespace) AS text), p.proname, "
        "pg_catalog.pg_get_userbyid(p.proowner) FROM pg_catalog.pg_proc p "
        f"WHERE p.pronamespace {_OTHERS} AND NOT p.oid {_BELOW} {_FIRST} "
        "AND NOT pg_catalog.pg_has_role(p.proowner, current_user, 'MEMBER') AND EXISTS (SELECT 1 FROM "
        f"pg_catalog.pg_proc b WHERE b.proname {_IS} p.proname AND b.pronamespace {_IS} {_OWN} OFFSET 0) "
        f"AND NOT EXISTS (SELECT 1 FROM pg_catalog.unnest(p.proargtypes) t WHERE NOT t {_BELOW} {_FIRST}) "
        "LIMIT 1) found ON true"
    )
    """Where it asks.

    PostgreSQL prefers one with exactly the types of the arguments to one of pg_catalog that needs a cast, such as
    *(double precision, integer). Superusers and members of the current role could do as much without it. OFFSET 0
    makes PostgreSQL look for built-in ones only where it found another role's: a join reads all of pg_catalog. By the
    number of the first object that a user makes it reads none of its own functions."""
    saves: ClassVar[str] = "SAVEPOINT sqlrp_{}"
    """the statement that sets a savepoint of a number"""
    releases: ClassVar[str] = "RELEASE SAVEPOINT sqlrp_{}"
    restores: ClassVar[str] = "ROLLBACK TO SAVEPOINT sqlrp_{}"
    """the statement that takes the transaction back to it"""
    asks_at_once: ClassVar[bool] = True
    asks_in_turn: ClassVar[bool] = True
    answers_in_one: ClassVar[bool] = True

    def collated_query(self, name: TableName) -> str:
        """Columns with a collation that is not deterministic, and those of the extension citext."""
        return (
            "SELECT a.attname FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            "LEFT JOIN pg_type b ON b.oid = t.typbasetype LEFT JOIN pg_collation c ON c.oid = a.attcollation "
            f"WHERE a.attrelid = {self._oid(name)} AND a.attnum > 0 AND NOT a.attisdropped "
            "AND (NOT c.collisdeterministic OR coalesce(b.typname, t.typname) = 'citext')"
        )

    def creating_search(self, name: TableName, body: Callable[[str, str, str], str], made: SearchFunction) -> str:
        """A function in SQL, which finds no function or operator of other roles.

        An index of pgvector looks at hnsw.ef_search rows, 1,000 at most.
        """
        text = _dollar_quoted(f"/* {made.mark} */ {body('$1', '$2', '$3')}")
        width = f" SET hnsw.ef_search = {min(made.candidates, 1000)}" if made.vectors else ""
        return (
            f"CREATE FUNCTION {self.table(name)}(query double precision[], n bigint DEFAULT 10, "
            f"candidates bigint DEFAULT {made.candidates}) RETURNS "
            f"TABLE({made.columns(self.quote(made.key), 'double precision')}) LANGUAGE sql STABLE PARALLEL SAFE "
            f"SET search_path = pg_catalog, pg_temp{width} AS {text}"
        )

    def dropping_search(self, name: TableName) -> str:
        """DROP FUNCTION, with the types of its arguments."""
        return f"DROP FUNCTION {self.table(name)}(double precision[], bigint, bigint)"

    def search_query(self, name: TableName) -> str:
        """The functions of the name, of any arguments: a call that leaves some out may mean each of two.

        Those that `overloading` made are not among them.
        """
        plain = f"left(p.prosrc, {len(_OVERLOAD)}) <> {self.string(_OVERLOAD)}"
        return f"SELECT 1, p.prosrc {self._functions(name)} AND {plain}"

    def overloadable_query(self, name: TableName) -> str:
        """The schema, the name, the arguments, their number, the result and the volatility of the functions of a name.

        Only those that take an array of doubles first.
        """
        return (
            "SELECT pg_catalog.quote_ident(n.nspname), pg_catalog.quote_ident(p.proname), "
            "pg_catalog.pg_get_function_arguments(p.oid), CAST(p.pronargs AS integer), "
            "pg_catalog.pg_get_function_result(p.oid), CASE p.provolatile WHEN 'i' THEN 'IMMUTABLE' ELSE 'STABLE' END, "
            f"p.proretset {self._functions(name)} AND p.proargtypes[0] = CAST('double precision[]' AS regtype)"
        )

    def dropping_overload(self, function: str) -> str:
        """DROP FUNCTION of one that `overloaded_query` names, with the types of its arguments."""
        return f"DROP FUNCTION {function}"

    def overloaded_query(self, name: TableName) -> str:
        """Those that `overloading` made, each with the type of its first argument, by schema and name."""
        made = f"left(p.prosrc, {len(_OVERLOAD)}) = {self.string(_OVERLOAD)}"
        of = (
            "SELECT pg_catalog.concat(pg_catalog.quote_ident(s.nspname), '.', pg_catalog.quote_ident(t.typname)) "
            "FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace s ON s.oid = t.typnamespace "
            "WHERE t.oid = p.proargtypes[0]"
        )
        return f"SELECT CAST(CAST(p.oid AS regprocedure) AS text), ({of}) {self._functions(name)} AND {made}"

    def _functions(self, name: TableName) -> str:
        """FROM and WHERE of the functions of a name in its schema."""
        return (
            "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
            f"WHERE n.nspname = {self._schema_of_function(name)} AND p.proname = {self.string(name.parts[-1])}"
        )

    def overloading(
        self,
        types: Sequence[Sequence[str]],
        there: Collection[str],
        schema: str,
        name: str,
        arguments: str,
        count: int,
        result: str,
        kind: str,
        rows: bool,
    ) -> list[str]:
        """A function for each of some types, given by schema and name, that passes its arguments on to that of doubles.

        With them, a text without a type could be any of them. Text is preferred then, so there is one for text, too,
        which takes {1,2} and [1,2]. `there`: the types, by schema and name, for which there is such a function.
        """
        casts = {f"{place}.{of}": "CAST(CAST($1 AS real[]) AS double precision[])" for place, of in types}
        casts["pg_catalog.text"] = "CAST(translate($1, '[]', '{}') AS double precision[])"
        others = "".join(f", ${i}" for i in range(2, count + 1))
        call = f"{_OVERLOAD} SELECT {'* FROM ' if rows else ''}{schema}.{name}"
        return [
            f"CREATE FUNCTION {schema}.{name}({arguments.replace('double precision[]', of, 1)}) RETURNS {result} "
            f"LANGUAGE sql {kind} PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS "
            f"{_dollar_quoted(f'{call}({cast}{others})')}"
            for of, cast in casts.items()
            if of not in there
        ]

    def _oid(self, name: TableName) -> str:
        """The oid of a table, or NULL if there is no such table."""
        return f"to_regclass({self.string(self.table(name))})"

    def place_query(self, name: TableName) -> str | None:
        """The schemas of the search_path, without that of temporary tables."""
        *path, table = map(self.string, name.parts)
        if len(path) > 1:
            return None
        schemas = "pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY u(s, o)"
        searched = f"(SELECT {path[0]} AS s, 1 AS o) u" if path else schemas
        plain = "WHERE left(u.s, 8) <> 'pg_temp_' ORDER BY u.o LIMIT 1"
        hiding = f"SELECT 1 FROM pg_class WHERE relname = {table} AND relnamespace = pg_my_temp_schema()"
        return (
            f"SELECT found.s IS NOT NULL, {'false' if path else f'EXISTS ({hiding})'}, coalesce(found.s, here.s), "
            f"{table} FROM (SELECT u.s FROM {searched} {plain}) here LEFT JOIN (SELECT u.s FROM {searched} "
            "JOIN pg_namespace n ON n.nspname = u.s JOIN pg_class c ON c.relnamespace = n.oid "
            f"AND c.relname = {table} AND c.relkind IN ('r', 'v', 'm', 'f', 'p') {plain}) found ON true"
        )

    def unseen_query(self, name: TableName) -> str:
        """A name means the table of now, even in a transaction that reads pg_class as it was at its beginning."""
        oid = self._oid(name)
        return f"SELECT {oid} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = {oid})"

    def mark_query(self, name: TableName) -> str:
        """The comment of the table or view."""
        return f"SELECT pg_catalog.obj_description({self._oid(name)}, 'pg_class')"

    def updating_or_inserting(self, update: str, into: str, values: Sequence[str], there: str) -> str:
        """By a common table expression that changes the row."""
        found = f"WITH changed AS ({update} RETURNING 1)"
        return f"{found} INSERT INTO {into} SELECT {', '.join(values)} WHERE NOT EXISTS (SELECT 1 FROM changed)"

    def joinable(self, query: str, kinds: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
        """By the OIDs of pg_type."""
        return query.startswith("SELECT ") and _IN_JSON.issuperset(kinds)

    def at_once(self, questions: Sequence[tuple[str, int]]) -> str:
        """As JSON, each by a subquery. A name of a column may come twice in a query, so that its columns are named."""
        texts: list[str] = []
        for query, count in questions:
            names = ", ".join(f"c{i}" for i in range(count))
            rows = f"pg_catalog.json_agg(pg_catalog.json_build_array({names}))"
            texts.append(f"(SELECT CAST({rows} AS text) FROM ({query}) q({names})) AS a{len(texts)}")
        return f"SELECT {', '.join(texts)}"

    def side_by_side(self, queries: Sequence[str]) -> str:
        """The rows of several queries as one, each after its number: a row of one has NULL in the columns of others."""
        each = [
            f"(SELECT row_number() OVER () AS sqlrp_row, q.* FROM ({query}) q) s{at}"
            for at, query in enumerate(queries)
        ]
        joined = (f" FULL JOIN {own} ON s0.sqlrp_row = -s{at}.sqlrp_row" for at, own in enumerate(each[1:], start=1))
        return f"SELECT * FROM {each[0]}{''.join(joined)}"

    def in_turn(self, questions: Sequence[tuple[str, int]], answered: str, then: str) -> str:
        """By query_to_xml, which plans its text only when it runs it: a plan may run functions that a view names."""
        names = [f"s.a{i}" for i in range(len(questions))]
        listed = list(names)
        if then:
            said = ", ',', ".join(f"coalesce({name}, '[]')" for name in names)
            found = f"CAST(pg_catalog.concat('[', {said}, ']') AS jsonb)"  # as JSON may have white space
            same = f"{found} OPERATOR(pg_catalog.=) CAST({self.string(answered)} AS jsonb)"
            coded = "pg_catalog.encode(pg_catalog.convert_to(q.answers, 'UTF8'), 'hex')"
            run = f"pg_catalog.query_to_xml({self.string(f'SELECT {coded} AS x FROM ({then}) q')}, true, true, '')"
            listed.append(f"CASE WHEN {same} THEN CAST({run} AS text) END")
        return (
            f"SELECT CAST(pg_catalog.json_build_array({', '.join(listed)}) AS text) AS answers "
            f"FROM ({self.at_once(questions)} OFFSET 0) s"
        )

    def same_table_queries(self, catalogue: TableName, table: TableName, mark: str) -> list[tuple[str, int]]:
        """What pg_class says of both. Who may write the catalogue is not asked again: its rows are to be the same."""
        has = ", ".join(f"c.relhas{what}" for what in ("rules", "subclass", "triggers"))
        said = f"c.oid, c.relkind, c.relowner, c.relnatts, {has}, c.relrowsecurity, obj_description(c.oid, 'pg_class')"
        places = f"{self._oid(catalogue)}, {self._oid(table)}"
        return [(f"SELECT {said} FROM pg_class c WHERE c.oid IN ({places}) ORDER BY c.oid", 9)]

    def shape_query(self, name: TableName) -> str:
        """pg_attribute."""
        return (
            f"SELECT a.attname, {_TYPE} FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid "
            f"WHERE a.attrelid = {self._oid(name)} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )

    def survey_query(self) -> str:
        """pg_attribute with the comments, of the schemas that are not PostgreSQL's own."""
        return (
            "SELECT ARRAY[CAST(n.nspname AS text), CAST(c.relname AS text)], c.relpersistence = 't', "
            "array_position(CAST(current_schemas(false) AS text[]), CAST(n.nspname AS text)), "
            "array_agg(CAST(a.attname AS text) ORDER BY a.attnum ASC), "
            f"array_agg({_TYPE} ORDER BY a.attnum ASC), obj_description(c.oid, 'pg_class') "
            "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid "
            "JOIN pg_type t ON t.oid = a.atttypid WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND a.attnum > 0 "
            "AND NOT a.attisdropped AND n.nspname NOT IN ('pg_catalog', 'information_schema') "
            "GROUP BY n.nspname, c.oid, c.relname, c.relpersistence"
        )

    def columns_query(self, name: TableName) -> str:
        """pg_attribute, and the estimate of `count_query`; a domain is replaced by its base type."""
        return (
            f"SELECT a.attname, {_TYPE}, t.typtype = 'e', a.attnotnull OR t.typnotnull, "
            "CASE WHEN c.reltuples > 0 THEN CAST(c.reltuples AS bigint) END "
            "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid JOIN pg_class c ON c.oid = a.attrelid "
            f"WHERE a.attrelid = {self._oid(name)} AND a.attnum > 0 AND NOT a.attisdropped "
            "ORDER BY a.attnum"
        )

    def described(self, *row: object) -> Column:
        """An enumeration of any name is text."""
        name, text, enum, required, *_ = row
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
        """A function in SQL. It reads no table, so it is immutable and parallel-safe.

        The search_path keeps it from finding functions and operators of other roles. PostgreSQL inlines no function
        with a setting, but it inlines none with a FROM either. The mark is in its text: CREATE OR REPLACE by someone
        else would leave a comment of the function.
        """
        text = _dollar_quoted(f"/* {mark} */ {body}" if MARK.fullmatch(mark) else body)
        return (
            f"CREATE OR REPLACE FUNCTION {self.table(name)}(features double precision[]) RETURNS {returns} "
            f"LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS {text}"
        )

    def creators_query(self, name: TableName) -> str:
        """The roles with CREATE on the schema, which may put an overload before the function."""
        return creators_query(self._schema(name))

    def overloads_query(self, name: TableName) -> str:
        """pg_proc, by the name."""
        return overloads_query(self._schema(name), self.string(name.parts[-1]))

    def _schema(self, name: TableName) -> str:
        """An expression for the name of the schema of an object that is to be made."""
        return self.string(name.parts[-2]) if len(name.parts) > 1 else "pg_catalog.current_schema()"

    def dropping_function(self, name: TableName) -> str:
        """DROP FUNCTION."""
        return f"DROP FUNCTION {self.table(name)}(double precision[])"

    def named_function_query(self, name: TableName) -> str:
        """As for a search, in the first schema of the search path that has the name."""
        return self.search_query(name)

    def function_place(self, name: TableName, catalogue: TableName) -> TableName:
        """In the schema of the catalogue: PostgreSQL would make it in the first schema of the search path."""
        return name if len(name.parts) > 1 else TableName((*catalogue.parts[:-1], *name.parts))

    def _schema_of_function(self, name: TableName) -> str:
        """An expression for the schema in which a function of that name is, or is to be made."""
        if len(name.parts) > 1:
            return self._schema(name)
        return (
            "coalesce((SELECT u.s FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY u(s, o) "
            "JOIN pg_catalog.pg_namespace m ON m.nspname = u.s JOIN pg_catalog.pg_proc f ON f.pronamespace = m.oid "
            f"WHERE f.proname = {self.string(name.parts[-1])} AND left(u.s, 8) <> 'pg_temp_' ORDER BY u.o LIMIT 1), "
            f"{self._schema(name)})"
        )

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

    def unsafe_query(self, name: TableName) -> str:
        """Others may have put code into the table, or may write it."""
        return unsafe_query(self.string(self.table(name)))

    def unique_query(self, name: TableName) -> str:
        """pg_index."""
        return (
            f"SELECT 1 FROM pg_index WHERE indrelid = {self._oid(name)} "
            "AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL"
        )

    def refresh(self, name: TableName, unique: bool) -> str:
        """CONCURRENTLY lets others read meanwhile, but needs a unique index."""
        return f"REFRESH MATERIALIZED VIEW {'CONCURRENTLY ' if unique else ''}{self.table(name)}"

    def opening(self, lock: str = "") -> str:
        """The query that begins a session, and takes a lock if one is named.

        It gives the search_path, its schemas without pg_catalog, jit, which it turns off until the transaction ends,
        and the digits of floats. Then follow schema, name and owner of an operator or a function that may take the
        place of a built-in one, and NULL if there is none. Nothing in this query can be replaced so.
        """
        locked = f", {self._locked(lock)}" if lock else ""
        return f"SELECT {self.opened}{locked} FROM {self.opened_from}"

    def lock_query(self, lock: str, wait: bool = True) -> str:
        """An advisory lock; it ends with the transaction."""
        return f"SELECT {self._locked(lock, wait)}"

    def _locked(self, lock: str, wait: bool = True) -> str:
        function = "pg_advisory_xact_lock" if wait else "pg_try_advisory_xact_lock"
        return f"pg_catalog.{function}(pg_catalog.hashtextextended({self.string(lock)}, 0))"

    def set_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """set_config(…)."""
        return f"SELECT {', '.join(self._set(values, local))}"

    def changing_values(self, values: Mapping[str, object], local: bool = False) -> str:
        """The values as they were, empty for an unknown setting; then it sets them. Columns are computed in order."""
        return f"SELECT {', '.join([*self._values(values), *self._set(values, local)])}"

    def entering(self, schema: str | None, values: Mapping[str, object], local: bool) -> str:
        """The name of a schema, by default the current one, and the search_path; then as `changing_values`.

        The search_path then has the schema alone. NULL if the schema is not there, and the search_path stays.
        """
        of = "" if schema is None else f" FROM pg_catalog.pg_namespace WHERE nspname {_IS} {self.string(schema)}"
        place = f"(SELECT CAST({'nspname' if of else 'pg_catalog.current_schema()'} AS text){of})"
        path = "CASE WHEN p.s IS NULL THEN pg_catalog.current_setting('search_path') "
        path += "ELSE pg_catalog.concat(pg_catalog.quote_ident(p.s), ', pg_temp') END"
        said = self._values(["search_path", *values])
        done = [
            f"pg_catalog.set_config('search_path', {path}, {'true' if local else 'false'})",
            *self._set(values, local),
        ]
        return f"SELECT p.s, {', '.join([*said, *done])} FROM (SELECT {place} AS s OFFSET 0) p"

    def _values(self, names: Iterable[str]) -> list[str]:
        """The values of settings, empty for an unknown one."""
        return [f"coalesce(pg_catalog.current_setting({self.string(name)}, true), '')" for name in names]

    def _set(self, values: Mapping[str, object], local: bool) -> list[str]:
        """The calls that set values."""
        ends = "true" if local else "false"
        return [
            f"pg_catalog.set_config({self.string(name)}, {self.string(str(value))}, {ends})"
            for name, value in values.items()
        ]


def _dollar_quoted(text: str) -> str:
    """The text between dollar signs, with a word between them that the text does not contain."""
    quote = "$sqlrp$"
    while quote in text:
        quote = f"{quote[:-1]}_$"
    return f"{quote}{text}{quote}"


__all__ = ["PRIMARY", "PostgreSQLCatalogue"]
