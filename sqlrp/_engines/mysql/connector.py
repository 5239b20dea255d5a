"""MySQL by SQLAlchemy, whose dialect `mysql` may reach MariaDB, too."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from sqlrp._connectors.connector import Connector
from sqlrp._core.alchemy import sa
from sqlrp._core.errors import UnsupportedError
from sqlrp._core.script import Setup
from sqlrp._core.sources import TableName
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.generic.dialect import Generic
from sqlrp._engines.mariadb.connector import MariaDBConnector, is_temporary
from sqlrp._engines.mariadb.dialect import MariaDB
from sqlrp._engines.mysql.dialect import MySQL

_WORD = re.compile(
    r"""'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|(?P<name>`(?:[^`]|``)*`|\w+)(?P<of>\s*\.)?""", re.DOTALL
)
"""A string, or a name and whether it qualifies another one."""
_IN_TRANSACTION = 1
"""The protocol's SERVER_STATUS_IN_TRANS."""
_OTHERS = re.compile("tidb|oceanbase|starrocks|doris|singlestore|databend|clickhouse|vitess|dolt", re.IGNORECASE)
"""Words of servers that speak MySQL's protocol and are other engines."""
_TELLING_STATE = ("in_transaction", "server_status")
"""Attributes of drivers that say whether a transaction is open: those of mysql-connector-python and pymysql."""
_SERVERS: WeakKeyDictionary[sa.Pool, str | None] = WeakKeyDictionary()
"""What the servers of pools of connections say of themselves: the version that their drivers read, and the comment.

None by a driver that does not say whether a transaction is open, such as one of ODBC: the engine is asked, too."""
_TABLE, _ROWS = 2, 9
"""The places of the table's name and of the rows in a line of EXPLAIN."""
_HELD = "sqlrp_temporary"
"""The key, in what SQLAlchemy keeps with a connection, of the temporary tables and the number of their copies."""


class MySQLConnector(MariaDBConnector):
    """A connection of SQLAlchemy's dialect `mysql`."""

    names: ClassVar[tuple[str, ...]] = ("mysql",)
    dialect: MySQL

    def serving(self, connection: sa.Engine | sa.Connection) -> Connector:
        """SQLAlchemy's dialect knows that the server is MariaDB once it is connected."""
        return MariaDBConnector(MariaDB()) if getattr(connection.dialect, "is_mariadb", False) else self

    def reached(self, connection: sa.Engine | sa.Connection) -> Connector:
        """Connect an engine that never was: only the server says which one it is. Other engines are asked."""
        pool = connection.engine.pool
        if pool not in _SERVERS:
            with self._opened(connection) as opened:
                begun = opened.in_transaction()
                told = getattr(opened.connection.driver_connection, "get_server_info", str)
                mariadb = getattr(opened.dialect, "is_mariadb", False)
                driver = opened.connection.driver_connection
                tells = mariadb or any(hasattr(driver, name) for name in _TELLING_STATE)
                comment = "" if mariadb else self.fresh(opened, self.dialect.comment_query)[0][0]
                _SERVERS[pool] = f"{told()} {comment}" if tells else None
                if not begun:  # the question began a transaction, which is none of the caller's
                    opened.rollback()
        server = _SERVERS[pool]
        if server is None or _OTHERS.search(server):
            return AnyConnector(Generic()).reached(connection)
        return self.serving(connection)

    def transacting(self, connection: sa.Connection) -> bool:
        """The driver knows it from the answer to its last statement."""
        self.execute(connection, self.dialect.transacting_query)
        driver = connection.connection.driver_connection
        found = getattr(driver, "in_transaction", None)  # mysql-connector-python
        if found is None:
            status = getattr(driver, "server_status", None)  # pymysql
            found = None if status is None else status & _IN_TRANSACTION
        if found is None:
            raise UnsupportedError(
                f"the driver {connection.dialect.driver} does not say whether a transaction is open: use the URL "
                "mysql+pymysql://…"
            )
        return bool(found)

    def count(self, connection: sa.Engine | sa.Connection, name: TableName) -> int | None:
        """The rows that the plan of a table expects; None for a view, whose plan may name others.

        None for a temporary table of the user's, too: for few rows the plan may be one that reads the table twice.
        """
        plan = self.rows(connection, self.dialect.count_query(name))
        if len(plan) != 1 or plan[0][_TABLE] != name.parts[-1] or self._is_users(connection, name):
            return None
        return int(plan[0][_ROWS])

    def _is_users(self, connection: sa.Engine | sa.Connection, name: TableName) -> bool:
        """Whether it is a temporary table that sqlrp has not made."""
        if isinstance(connection, sa.Connection) and name.parts[-1] in connection.info.get(_HELD, {}):
            return False
        return is_temporary(self.rows(connection, self.dialect.definition_query(name)))

    # -- a statement reads a temporary table once -------------------------------------------------

    def store(self, connection: sa.Connection, setup: Setup) -> None:
        """Note the name of the temporary table."""
        super().store(connection, setup)
        if setup.name:
            connection.info.setdefault(_HELD, {})[_bare(setup.name)] = 0

    def _run(self, connection: sa.Connection, sql: str) -> sa.CursorResult[Any]:
        """A statement reads a temporary table a second time as a copy of it, which is dropped with the table."""
        held: dict[str, int] = connection.info.get(_HELD, {})
        if not held:
            return super()._run(connection, sql)
        if sql.startswith(self.dialect.dropping_temporary):
            name = _bare(sql[len(self.dialect.dropping_temporary) :].strip())
            for number in range(held.pop(name, 0)):
                super()._run(connection, f"{self.dialect.dropping_temporary} {self._copy(name, number)}").close()
            return super()._run(connection, sql)
        seen: Counter[str] = Counter()

        def read(match: re.Match[str]) -> str:
            name = _bare(match["name"] or "")
            if name not in held or match["of"]:
                return match[0]
            seen[name] += 1
            return match[0] if seen[name] == 1 else self._copy(name, seen[name] - 2)

        written = _WORD.sub(read, sql)
        for name, times in seen.items():
            while held[name] < times - 1:
                made = self.dialect.copying(name, self._copy(name, held[name]))
                super()._run(connection, made.text).close()
                held[name] += 1
        return super()._run(connection, written)

    def _copy(self, name: str, number: int) -> str:
        """The quoted name of a copy of a temporary table."""
        return self.dialect.quote(f"{name}_{number}")


def _bare(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
