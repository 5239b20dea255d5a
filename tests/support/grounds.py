"""Databases with two schemas each, in which the model of `owners.py` lets sqlrp and a user make objects."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from databases import FAMILY, Database, server

from sqlrp._core.sources import TableName
from sqlrp._engines.registry import CONNECTORS

FUNCTIONS = {
    "duckdb": "CREATE OR REPLACE MACRO {name}(x) AS x[1] + {value}",
    "postgresql": "CREATE OR REPLACE FUNCTION {name}(features double precision[]) RETURNS double precision[] "
    "LANGUAGE sql IMMUTABLE AS 'SELECT ARRAY[features[1] + {value}]'",
    "clickhouse": "CREATE OR REPLACE FUNCTION {name} AS (x) -> x[1] + {value}",
}
"""What makes a function of the user's, by engine."""
TEMPORARY = ("m", "n", "t", "sqlrp_catalogue")
"""The names that temporary tables may have."""
CALLED = {
    "duckdb": "SELECT {name}([1.0, 2.0])",
    "postgresql": "SELECT {name}(ARRAY[1.0, 2.0]::double precision[])",
    "clickhouse": "SELECT {name}([1.0, 2.0])",
}
SEARCHES = {
    "duckdb": "CREATE OR REPLACE MACRO {name}(query, n := 10, candidates := 5) AS TABLE SELECT {value} AS mine",
    "postgresql": "CREATE FUNCTION {name}(q double precision[], a bigint DEFAULT 1, b bigint DEFAULT 1) "
    "RETURNS TABLE(mine bigint, other bigint) LANGUAGE sql AS 'SELECT {value}, 0'",
    "clickhouse": "CREATE OR REPLACE VIEW {name} AS SELECT {value} AS mine, 0 AS other "
    "WHERE length({{query:Array(Float64)}}) + {{n:UInt64}} > 0",
}
"""What makes a function of the user's with the arguments of one that searches, by engine."""
SEARCHED = {
    "duckdb": "SELECT * FROM {name}([1.0, 2.0, 3.0], n := 1000, candidates := 1000)",
    "postgresql": "SELECT * FROM {name}(ARRAY[1.0, 2.0, 3.0]::double precision[], 1000, 1000)",
    "clickhouse": "SELECT * FROM {name}(query = [1.0, 2.0, 3.0], n = 1000)",
}
THEIRS = {
    "duckdb": "CREATE OR REPLACE MACRO {name}(x) AS x + {value}",
    "postgresql": "CREATE OR REPLACE FUNCTION {name}(x integer) RETURNS integer LANGUAGE sql AS 'SELECT x + {value}'",
}
"""What makes a function of the user's that has a name of `install`, by engine. In PostgreSQL it is an overload."""
INSTALLED = {
    "duckdb": "SELECT {name}([1.0, 2.0], k := 2)",
    "postgresql": "SELECT {name}(ARRAY[1.0, 2.0]::double precision[], k => 2)",
}
"""A call of a function of `install`, by engine."""


class Ground:
    """Two schemas of an engine, 0 and 1, and a session that may look for names in either first."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.current = name, folder, 0
        self.engine: sa.Engine | None = None
        self.db: Database
        self.other: Any = None
        self.roles: list[str] = []
        self.schemas: tuple[str, str] = ("", "")
        self._open()

    def _open(self) -> None:
        name, self.current = self.name, 0
        if name == "duckdb":
            import duckdb

            connection = duckdb.connect(config={"threads": "1"})
            connection.execute("ATTACH ':memory:' AS first; ATTACH ':memory:' AS second; USE first")
            self.schemas = ("first.main", "second.main")
        elif name == "sqlite":
            self.engine = sa.create_engine("sqlite://", isolation_level="AUTOCOMMIT")
            connection = self.engine.connect()
            connection.exec_driver_sql("ATTACH ':memory:' AS later")
            self.schemas = ("main", "later")
        elif name == "clickhouse":
            from chdb.session import Session

            connection = Session()
            self.schemas = ("first", "second")
        else:
            key = uuid.uuid4().hex[:8]
            self.schemas = (f"sqlrp_first_{key}", f"sqlrp_second_{key}")
            url = server(name)
            self.engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
            connection = self.engine.connect()
            self.other = self.engine.connect() if name in FAMILY else None
            if name == "postgresql":
                self.roles = [f"sqlrp_guest_{key}"]
                connection.exec_driver_sql(f"CREATE ROLE {self.roles[0]}")
        self.db = Database(name, connection, self.schemas[0])

    def fresh(self) -> None:
        """Empty both schemas."""
        if self.name in ("duckdb", "sqlite"):
            self.close()
            self._open()
            return
        noun = "SCHEMA" if self.name == "postgresql" else "DATABASE"
        self.forget_temporary()
        if self.name == "clickhouse":
            self.run("USE default")
            for (made,) in self.see("SELECT name FROM system.functions WHERE origin = 'SQLUserDefined'"):
                self.run(f"DROP FUNCTION {made}")
        for schema in self.schemas:
            self.run(f"DROP {noun} IF EXISTS {schema}{' CASCADE' if noun == 'SCHEMA' else ''}")
            self.run(f"CREATE {noun} {schema}")
            for role in self.roles:
                self.run(f"GRANT USAGE ON SCHEMA {schema} TO {role}")
                self.run(f"ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {role}")
        self.use(0)

    def forget_temporary(self) -> None:
        """Drop the temporary tables of the session."""
        if self.name == "postgresql":
            self.run("DISCARD TEMPORARY")
            return
        for name in TEMPORARY:
            database = f"{self.schemas[self.current]}." if self.name in FAMILY else ""
            self.run(f"DROP TEMPORARY TABLE IF EXISTS {database}{name}")

    def close(self) -> None:
        """Close the session and drop what stays."""
        if self.name in ("postgresql", *FAMILY):
            noun, end = ("SCHEMA", " CASCADE") if self.name == "postgresql" else ("DATABASE", "")
            for schema in self.schemas:
                self.run(f"DROP {noun} IF EXISTS {schema}{end}")
            for role in self.roles:
                self.run(f"DROP OWNED BY {role}")
                self.run(f"DROP ROLE {role}")
        if self.other is not None:
            self.other.close()
        self.db.connection.close()
        if self.engine is not None:
            self.engine.dispose()

    def run(self, sql: str) -> None:
        self.db.run(sql)

    def see(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query that temporary tables do not hide: of another session where they hide full names."""
        return CONNECTORS[self.name].rows(self.other or self.db.connection, sql)

    def use(self, schema: int) -> None:
        """Look for names in one of the schemas first."""
        self.current = schema
        if self.name == "postgresql":
            self.run(f"SET search_path TO {', '.join(self.schemas[i] for i in self.path())}")
        elif self.name != "sqlite":
            self.run(f"USE {self.schemas[schema]}")

    def path(self) -> Iterator[int]:
        """The schemas in which a name is looked for, in this order; a new table is made in the first one."""
        if self.name == "sqlite":
            return iter((0, 1))
        return iter((self.current, 1 - self.current) if self.name == "postgresql" else (self.current,))

    def full(self, place: tuple[int, str]) -> str:
        """The name of a table in full."""
        return f"{self.schemas[place[0]]}.{place[1]}"

    def quoted(self, place: tuple[int, str]) -> str:
        return self.db.engine.table(TableName.parse(self.full(place)))

    def make(self, name: str, query: str, temporary: bool = False) -> None:
        """A table of the user's."""
        kind = "TEMPORARY TABLE" if temporary else "TABLE"
        stored = " ENGINE = Memory" if temporary else " ENGINE = MergeTree ORDER BY tuple()"
        self.run(f"CREATE {kind} {name}{stored if self.name == 'clickhouse' else ''} AS {query}")

    def rows(self, place: tuple[int, str]) -> list[str]:
        return sorted(map(repr, self.see(f"SELECT * FROM {self.quoted(place)}")))

    def tables(self, schema: int) -> set[str]:
        """The names of all tables and views of a schema."""
        where = self.schemas[schema]
        if self.name == "sqlite":
            query = f"SELECT name FROM {where}.sqlite_master WHERE type IN ('table', 'view')"
        elif self.name == "clickhouse":
            query = f"SELECT name FROM system.tables WHERE database = '{where}' AND NOT is_temporary"
        elif self.name == "duckdb":
            catalogue = where.partition(".")[0]
            query = f"SELECT table_name FROM information_schema.tables WHERE table_catalog = '{catalogue}'"
        else:
            query = f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{where}'"
        return {str(found) for (found,) in self.see(query)}

    def functions(self, schema: int) -> set[str]:
        """The names of the functions of a schema, but for those of saved projections."""
        where = self.schemas[schema]
        if self.name == "duckdb":
            query = (
                "SELECT function_name FROM duckdb_functions() WHERE NOT internal AND NOT contains(function_name, ' ') "
                f"AND database_name = '{where.partition('.')[0]}'"
            )
        else:
            query = f"SELECT CAST(proname AS text) FROM pg_proc WHERE pronamespace = '{where}'::regnamespace"
        return {str(found) for (found,) in self.see(query)}
