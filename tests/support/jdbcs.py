"""H2, HSQLDB and Derby in a JVM of this process, by JDBC: Debian's libh2-java, libhsqldb-java and libderby-java.

HSQLDB has a dialect of SQLAlchemy to install. H2 and Derby have none: theirs is what a user writes who needs one.
"""

from __future__ import annotations

import ctypes
import locale
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import pytest
import sqlalchemy as sa
from own_packages import installed
from sqlalchemy.dialects import registry
from sqlalchemy.engine.default import DefaultDialect
from taking_part import missing, need

_PACKAGES = ("sqlalchemy-hsqldb==0.2.1", "jaydebeapi-hsqldb==0.0.3", "JayDeBeApi==1.2.3", "jpype1==1.7.1")
_JARS = Path("/usr/share/java")


@dataclass(frozen=True)
class _Driver:
    """A driver of JDBC: its jar, its class, its URL of a database in memory, and the user."""

    jar: str
    named: str
    url: str
    user: tuple[str, ...] = ()


_DRIVERS = {
    "h2": _Driver("h2.jar", "org.h2.Driver", "jdbc:h2:mem:{};DB_CLOSE_DELAY=-1", ("sa", "")),
    "hsqldb": _Driver("hsqldb.jar", "org.hsqldb.jdbc.JDBCDriver", "jdbc:hsqldb:mem:{}", ("SA", "")),
    "derby": _Driver("derby.jar", "org.apache.derby.jdbc.EmbeddedDriver", "jdbc:derby:memory:{};create=true"),
}
JDBCS = tuple(_DRIVERS)


class _Jdbc(DefaultDialect):
    """What the metadata of any driver of JDBC say."""

    supports_statement_cache = True
    max_identifier_length = 128
    requires_name_normalize = True  # names in lower case mean those in upper case, as SQLAlchemy has them
    driver = "jaydebeapi"
    default_paramstyle = "qmark"
    kinds: ClassVar[dict[str, Any]] = {
        "BIGINT": sa.BigInteger,
        "INTEGER": sa.Integer,
        "SMALLINT": sa.SmallInteger,
        "DOUBLE": sa.Double,
        "DOUBLE PRECISION": sa.Double,
        "REAL": sa.REAL,
        "BOOLEAN": sa.Boolean,
        "CHARACTER LARGE OBJECT": sa.Text,
        "CLOB": sa.Text,
        "DECIMAL": sa.Numeric,
        "NUMERIC": sa.Numeric,
    }

    @classmethod
    def import_dbapi(cls) -> Any:
        return import_module("jaydebeapi")

    def _metadata(self, connection: Any, call: str, *given: Any) -> list[dict[str, Any]]:
        """The rows of a method of java.sql.DatabaseMetaData."""
        _put_back_handlers()
        found = getattr(connection.connection.dbapi_connection.jconn.getMetaData(), call)(*given)
        names = [str(found.getMetaData().getColumnName(i + 1)) for i in range(found.getMetaData().getColumnCount())]
        rows = []
        while found.next():
            rows.append({name: found.getObject(i + 1) for i, name in enumerate(names)})
        found.close()
        return rows

    def get_columns(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        place = (schema and self.denormalize_name(schema)) or self._schema(connection)
        rows = self._metadata(connection, "getColumns", None, place, self.denormalize_name(table_name), None)
        rows = [row for row in rows if str(row["TABLE_NAME"]) == self.denormalize_name(table_name)]  # no pattern
        if not rows:
            raise sa.exc.NoSuchTableError(table_name)
        return [
            {
                "name": self.normalize_name(str(row["COLUMN_NAME"])),
                "type": self._kind(str(row["TYPE_NAME"]), int(row["COLUMN_SIZE"])),
                "nullable": int(row["NULLABLE"]) != 0,
                "default": None,
            }
            for row in rows
        ]

    def _schema(self, connection: Any) -> str:
        return str(connection.connection.dbapi_connection.jconn.getSchema())

    def _kind(self, name: str, size: int) -> Any:
        if name in ("VARCHAR", "CHARACTER VARYING"):
            return sa.String(size)
        return self.kinds.get(name, sa.types.NullType)()

    def _tables(self, connection: Any, *kinds: str) -> list[str]:
        rows = self._metadata(connection, "getTables", None, self._schema(connection), None, None)
        return [self.normalize_name(str(row["TABLE_NAME"])) for row in rows if str(row["TABLE_TYPE"]) in kinds]

    def get_table_names(self, connection: Any, schema: str | None = None, **_: Any) -> list[str]:
        return self._tables(connection, "TABLE", "BASE TABLE")

    def get_view_names(self, connection: Any, schema: str | None = None, **_: Any) -> list[str]:
        return self._tables(connection, "VIEW")

    def has_table(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> bool:
        return table_name in self._tables(connection, "TABLE", "BASE TABLE", "VIEW")

    def get_indexes(self, connection: Any, table_name: str, schema: str | None = None, **_: Any) -> list[Any]:
        place = (None, self._schema(connection), self.denormalize_name(table_name), False, False)
        rows = self._metadata(connection, "getIndexInfo", *place)
        names = {self.normalize_name(str(row["INDEX_NAME"])) for row in rows}
        return [{"name": name, "column_names": [], "unique": False} for name in names]

    def do_rollback(self, dbapi_connection: Any) -> None:
        dbapi_connection.jconn.rollback()


class H2Dialect(_Jdbc):
    name = "h2"
    supports_statement_cache = True


class DerbyDialect(_Jdbc):
    name = "derby"
    supports_statement_cache = True


for _dialect in (H2Dialect, DerbyDialect):
    registry.register(_dialect.name, __name__, _dialect.__name__)


_HANDLERS: dict[int, Any] = {}
"""The handlers of signals of the JVM. It meets SIGSEGV in Java that is right, as at a reference that is null."""


def _start(jars: list[str]) -> None:
    """Start the JVM, which sets a locale. Derby would write a log into the folder of the process."""
    jpype = import_module("jpype")
    if not jpype.isJVMStarted():
        before = locale.setlocale(locale.LC_ALL)
        # jpype asks for a collection in Java after each of Python's, while this process grows. Java keeps both of its
        # compilers: with the first alone H2 takes nearly as long for a short chain of WITH as for a longer one.
        options = ("-XX:+UseSerialGC", "-XX:+DisableExplicitGC", f"-Dderby.stream.error.file={os.devnull}")
        jpype.startJVM(*options, classpath=jars, convertStrings=True)
        locale.setlocale(locale.LC_ALL, before)
        for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
            _HANDLERS[number] = ctypes.create_string_buffer(1024)  # more than a struct sigaction has
            ctypes.CDLL(None).sigaction(number, None, _HANDLERS[number])


def _put_back_handlers(*_: Any) -> None:
    """Give the JVM its handlers again: chdb takes them, in this process, when it begins."""
    for number, handler in _HANDLERS.items():
        ctypes.CDLL(None).sigaction(number, handler, None)


@contextmanager
def java_database(name: str, database: str, package: str = "jaydebeapi") -> Iterator[sa.Engine]:
    """An engine of SQLAlchemy to a new database in memory. Skips the test without Java, a jar or a package."""
    need(name)
    driver = _DRIVERS[name]
    jars = [str(_JARS / each.jar) for each in _DRIVERS.values()]
    if not Path(jars[JDBCS.index(name)]).exists():
        missing(name, FileNotFoundError(f"apt-get install lib{name}-java"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path, str(installed("jdbc", _PACKAGES))])
        import_module("sqlalchemy_hsqldb")
        module = import_module(package)

        def connect() -> Any:
            _put_back_handlers()
            made = module.connect(driver.named, driver.url.format(database), list(driver.user), jars)
            made.jconn.setAutoCommit(False)
            return made

        url = "hsqldb+jaydebeapi://SA@localhost/made" if name == "hsqldb" else f"{name}://"
        engine = sa.create_engine(url, creator=connect, module=module)
        _start(jars)
        for event in ("before_cursor_execute", "begin", "commit", "rollback", "checkout", "close"):
            sa.event.listen(engine, event, _put_back_handlers)
        yield engine
        engine.dispose()
