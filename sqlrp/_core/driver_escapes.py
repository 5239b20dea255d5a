"""What a driver or a template reads in a text of SQL, and how the text says that it means the character itself."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlrp._core.errors import check_choice


def jinja_literal(text: str) -> str:
    """A string of Jinja, with braces escaped so that none begins a block."""
    return ascii(text).replace("{", "\\x7b").replace("}", "\\x7d")


def jinja(sql: str) -> str:
    """SQL as a template of Jinja that renders to the same text.

    Without escapes, braces begin blocks, a CR becomes a line feed, and a line feed at the end is dropped. The escape of
    a CR begins with a brace itself, so a brace before a CR is escaped too.
    """
    return re.sub(r"(?:\{(?=[{%#\r]|\Z)|\r|\n\Z)+", lambda found: f"{{{{ {jinja_literal(found[0])} }}}}", sql)


def _doubled(sql: str) -> str:
    return sql.replace("%", "%%")


def _without_binds(sql: str) -> str:
    return sql.replace(":", "\\:")


DRIVERS: dict[str, Callable[[str], str]] = {
    "duckdb": str,
    "sqlite3": str,
    "asyncpg": str,
    "psycopg": _doubled,
    "psycopg2": _doubled,
    "pymysql": _doubled,
    "mysqlclient": _doubled,
    "sqlalchemy": _without_binds,
    "jinja": jinja,
    "dbt": jinja,
}
"""How to write SQL for each driver. Those that take a percent sign for a parameter do so if they are given parameters,
even an empty list of them. "sqlalchemy" means its `text`."""


def for_driver(driver: str | None) -> Callable[[str], str]:
    """How to write SQL as the driver takes it; without one, as it is. Raises ParameterError for an unknown driver.

    >>> for_driver("psycopg2")('SELECT 7 % 4 AS "a :b"'), for_driver("sqlalchemy")('SELECT 7 % 4 AS "a :b"')
    ('SELECT 7 %% 4 AS "a :b"', 'SELECT 7 % 4 AS "a \\\\:b"')
    """
    if driver is None:
        return str
    check_choice("driver", driver, [*DRIVERS])
    return DRIVERS[driver]
