"""The functions of `install` that a schema has, and functions of the same names that sqlrp did not make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import md5

from sqlrp._core import shipped_files
from sqlrp._core.errors import ParameterError
from sqlrp._core.names import folded
from sqlrp._core.shipped_files import digest
from sqlrp._core.sources import TableName
from sqlrp._core.values import dataclass
from sqlrp._core.version import VERSION
from sqlrp._dialects.dialect import Dialect
from sqlrp._projections import REGISTRY
from sqlrp._store.table import Catalogue

NOT_OURS = "is not the function that sqlrp.install made under this name"
"""What an error or a finding says of a function without a mark."""
MADE = f"sqlrp {VERSION}"
"""The comment of a macro of this release. CREATE OR REPLACE by someone else takes it away."""
_COMMENTED = "sqlrp "
"""The text that the comments of every release begin with."""
_CALLS_OURS = re.compile(r"\bsqlrp_\w+\(")
"""What the texts of all macros for callers have."""
_FUNCTION = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)", re.MULTILINE)
_CREATED = re.compile(r"^CREATE OR REPLACE MACRO (\w+)\([^()]*\) AS( TABLE)?\b", re.MULTILINE)
_HELPER = "sqlrp_"

_MAIN = "main"
"""The schema of the macros in that file."""

SET = "ARRAY['search_path=pg_catalog, pg_temp', 'jit=off', 'extra_float_digits=1']"
"""The settings of the functions of PostgreSQL. CREATE OR REPLACE by someone else takes them away, but no comment."""
OWN_IN_POSTGRESQL = (
    f"coalesce(p.proconfig @> {SET}, p.proname = 'sqlrp_schema' AND starts_with(p.prosrc, 'SELECT CAST('))"
)
"""Whether a row `p` of pg_proc is one of `install`, as SQL."""


@dataclass(frozen=True)
class Macro:
    """A macro that the file makes, or another one in its place."""

    name: str
    """as the database has it"""
    table: bool
    """whether it is a table macro"""
    own: bool
    """whether sqlrp made it"""


def macros(text: str) -> list[tuple[str, bool]]:
    """The names of the macros that a file creates, and whether each is a table macro; the last one comes first."""
    return [(found[1], found[2] is not None) for found in reversed(list(_CREATED.finditer(text)))]


def macros_there(catalogue: Catalogue, made: Sequence[tuple[str, bool]]) -> list[Macro]:
    """The macros of the current schema that have names of a file's, the last one of the file first.

    A macro for callers is sqlrp's if it has the comment, or calls macros of sqlrp. EXPORT DATABASE loses comments. A
    macro that only others call is sqlrp's if it has the comment; if none has one, as after EXPORT DATABASE or in a
    schema where another program ran the file, all are, if there is one for callers.
    """
    there = {
        (folded(macro.name, "ascii"), macro.is_table): (macro.name, macro.comment.startswith(_COMMENTED), macro.text)
        for macro in catalogue.connector.macros(catalogue.session)
    }
    found = [(name, table, *there[name, table]) for name, table in made if (name, table) in there]
    callers = any(
        not name.startswith(_HELPER) and (marked or _CALLS_OURS.search(text)) for name, _, _, marked, text in found
    )
    unmarked = callers and not any(marked for name, _, _, marked, _ in found if name.startswith(_HELPER))

    def is_own(name: str, marked: bool, text: str) -> bool:
        other = unmarked if name.startswith(_HELPER) else _CALLS_OURS.search(text) is not None
        return marked or other

    return [Macro(as_is, table, is_own(name, marked, text)) for name, table, as_is, marked, text in found]


def marking(made: Iterable[tuple[str, bool]]) -> str:
    """The statements that mark the macros which only others call; those for callers have a comment."""
    kinds = [("TABLE " if table else "", name) for name, table in made if name.startswith(_HELPER)]
    return ";\n".join(f"COMMENT ON MACRO {kind}{name} IS '{MADE}'" for kind, name in kinds)


def own_macros(catalogue: Catalogue, made: Sequence[tuple[str, bool]]) -> list[Macro]:
    """The macros of the current schema that have names of a file's, all of which sqlrp made.

    Raises ParameterError for one that it did not make.
    """
    schema = catalogue.connector.dialect.table(TableName(catalogue.place.parts[:-1]))
    there = macros_there(catalogue, made)
    for macro in there:
        if not macro.own:
            raise ParameterError(
                f"a macro {macro.name} exists already in schema {schema}, and sqlrp.install did not make it: it is "
                "never replaced; rename it, or USE another schema"
            )
    return there


def marked_by(catalogue: Catalogue, text: str) -> str:
    """The mark of an installation that a text made, with a digest of its macros as they are there now."""
    listed = (
        (macro.name, "table_macro" if macro.is_table else "macro", macro.comment, macro.text)
        for macro in catalogue.connector.macros(catalogue.session)
        if macro.comment.startswith(_COMMENTED)
    )
    each = sorted(md5("|".join(parts).encode(), usedforsecurity=False).hexdigest() for parts in listed)
    return f"{digest(text)}-{md5(''.join(each).encode(), usedforsecurity=False).hexdigest()}"


def marking_query(catalogue: Catalogue, text: str) -> str:
    """The same as SQL, for the macros as they are there when it runs."""
    database, schema = map(catalogue.connector.dialect.string, catalogue.place.parts[:-1])
    return (
        f"concat('{digest(text)}-', (SELECT md5(string_agg(h, '' ORDER BY h COLLATE C ASC)) FROM "
        "(SELECT md5(concat_ws('|', function_name, function_type, comment, macro_definition)) AS h "
        f"FROM duckdb_functions() WHERE database_name COLLATE C = {database} AND schema_name COLLATE C = {schema} "
        f"AND function_type IN ('macro', 'table_macro') AND starts_with(comment, '{_COMMENTED}')) marked))"
    )


def is_there(catalogue: Catalogue, text: str, named: Collection[str]) -> bool:
    """Whether this release made all macros of a text, and no one changed one since then.

    `named`: the functions that the catalogue lists.
    """
    rows = {str(row.name): row for row in catalogue.rows("function")}
    marks = {(row.version, row.fingerprint) for row in rows.values()}
    return rows.keys() == set(named) and marks == {(VERSION, marked_by(catalogue, text))}


def making(catalogue: Catalogue, text: str, copy: str | None) -> list[str]:
    """The statements that make the macros of a text in the schema of the catalogue, with their marks.

    `copy`: a database that has them in its schema main, if one is attached. DuckDB copies them into the schema of the
    same name, in a tenth of the time in which it reads the text, but replaces none.
    Raises ParameterError for a macro of one of the names that sqlrp did not make.
    """
    database, schema, _ = catalogue.place.parts
    made = macros(text)
    there = own_macros(catalogue, made)
    if copy is None or schema != _MAIN:
        return [text, marking(made)]
    dialect = catalogue.connector.dialect
    return [*dropping(catalogue, there), dialect.copying_database.format(source=copy, target=dialect.quote(database))]


def dropping(catalogue: Catalogue, there: Iterable[Macro]) -> list[str]:
    """The statements that drop macros of the schema of the catalogue."""
    dialect, schema = catalogue.connector.dialect, catalogue.place.parts[:-1]
    return [
        f"DROP MACRO {'TABLE ' if macro.table else ''}{dialect.table(TableName((*schema, macro.name)))}"
        for macro in there
    ]


def named_in_postgresql(dialect: Dialect, place: str) -> str:
    """The condition that a row `p` of pg_proc, with `n` of pg_namespace, has that schema and a name of `install`."""
    names = [
        *_FUNCTION.findall(shipped_files.text_of("postgresql.sql")),
        "sqlrp_schema",
        "project_with",
        "project_with_sql",
    ]
    names += [f"{cls.function}{end}" for cls in REGISTRY for end in ("", "_sql")]
    names += [cls.function.replace("_project", end) for cls in REGISTRY for end in ("_vector", "_save")]
    return f"n.nspname = {dialect.string(place)} AND p.proname IN ({', '.join(map(dialect.string, names))})"


def functions_there(catalogue: Catalogue) -> Mapping[str, bool]:
    """The names of `install` that functions in the schema of the catalogue have, and whether all of a name are own."""
    connector, session = catalogue.connector, catalogue.session
    if connector.dialect.name == "duckdb":
        found = macros_there(catalogue, macros(shipped_files.text_of("duckdb.sql")))
        return {folded(macro.name, "ascii"): macro.own for macro in found}
    named = named_in_postgresql(connector.dialect, catalogue.place.parts[0])
    rows = connector.rows(
        session,
        f"SELECT CAST(p.proname AS text), bool_and({OWN_IN_POSTGRESQL}) "
        "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE {named} GROUP BY 1",
    )
    return {str(name): bool(own) for name, own in rows}


def is_renamed(catalogue: Catalogue) -> bool:
    """Whether the functions call each other in a schema of PostgreSQL that had another name than it has now."""
    if catalogue.connector.dialect.name != "postgresql":
        return False
    found = catalogue.connector.rows(
        catalogue.session,
        "SELECT p.prosrc IN (SELECT concat('SELECT CAST(', quote_literal(written), ' AS text)') "
        "FROM unnest(ARRAY[CAST(n.nspname AS text), quote_ident(n.nspname), "
        """concat('"', replace(n.nspname, '"', '""'), '"')]) w(written)) """
        "FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace "
        f"WHERE {named_in_postgresql(catalogue.connector.dialect, catalogue.place.parts[0])} "
        f"AND p.proname = 'sqlrp_schema' AND p.pronargs = 0 AND {OWN_IN_POSTGRESQL}",
    )
    return any(not same for (same,) in found)
