"""Text for an engine of SQLAlchemy that was never connected, or for a dialect object: no socket is opened."""

from __future__ import annotations

import importlib
import pkgutil
import socket
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import sqlalchemy.dialects
from helpers import assert_one_line

import sqlrp
from sqlrp import Array, Join, Long, SourceError, UnreachableError, UnsupportedError, Wide
from sqlrp._core.errors import SqlrpError
from sqlrp._run.bind import text_target

P = sqlrp.SparseProjection(k=2, s=1, seed=1)
SOURCES = {
    "wide": Wide("t", features=["a", "b", "c"]),
    "array": Array("t", "x", n_features=3),
    "long": Long("t", n_features=3),
    "join": Join(Wide("t", features=["a"]), {"b": Wide("u", features=["c", "d"])}),
}
OTHERS = ("snowflake", "bigquery", "redshift", "databricks", "trino", "duckdb")
"""The dialects of other packages that the tests install, besides those that SQLAlchemy ships."""


def shipped() -> Iterator[str]:
    """Every dialect of SQLAlchemy with each of its drivers, as the name in a URL."""
    for name in sqlalchemy.dialects.__all__:
        package = importlib.import_module(f"sqlalchemy.dialects.{name}")
        for module in pkgutil.iter_modules(package.__path__):
            found = importlib.import_module(f"sqlalchemy.dialects.{name}.{module.name}")
            if module.name != "connector" and isinstance(getattr(found, "dialect", None), type):
                yield f"{name}+{module.name}"


def made(name: str) -> sa.Dialect:
    dialect: sa.Dialect = sa.make_url(f"{name}://").get_dialect()()
    return dialect


def engine(name: str) -> sa.Engine:
    """An engine whose driver may not be installed."""
    dialect = made(name)
    driver = types.SimpleNamespace(paramstyle="named", Error=type("Error", (Exception,), {}))
    dialect.dbapi = driver  # type: ignore[assignment]

    def connects() -> Any:
        return socket.create_connection(("db.example", 1))

    return sa.Engine(sa.pool.NullPool(connects), dialect, sa.make_url(f"{name}://someone@db.example/shop"))


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> None:
        pytest.fail("a socket was opened")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, forbidden)
    for name in ("getaddrinfo", "create_connection"):
        monkeypatch.setattr(socket, name, forbidden)


@pytest.mark.usefixtures("no_sockets")
@pytest.mark.parametrize("make", [made, engine])
@pytest.mark.parametrize("name", [*shipped(), *OTHERS])
def test_every_dialect_gives_text_or_a_refusal(name: str, make: Callable[[str], Any], tmp_path: Path) -> None:
    target = make(name)
    own = {"mssql": "sqlserver"}.get(target.dialect.name if make is engine else target.name)
    relative = name == "sqlite+pysqlcipher"  # which is not SQLite itself
    assert dialect_asked(target) == (own or (name if relative else name.partition("+")[0]))
    for layout, source in SOURCES.items():
        text = written(lambda source=source: sqlrp.sql(P, source, target))
        files = written(lambda at=tmp_path / layout, source=source: sqlrp.export(P, source, target, at))
        if isinstance(text, SqlrpError):
            assert isinstance(text, UnsupportedError)
            assert "array columns" in str(text)
            assert str(files) == str(text)
            assert layout == "array"
            continue
        assert "SELECT" in text
        assert files[-1].is_file()
    for text in (
        written(lambda: sqlrp.vector_sql(P, [1.0, 2.0], target)),
        written(lambda: sqlrp.function_sql(P, target, "f", n_features=3)),
    ):
        assert isinstance(text, UnsupportedError) or "SELECT" in text or "CREATE" in text


def dialect_asked(target: Any) -> str:
    """The engine whose dialect it gets: none that SQLAlchemy ships gets the standard's."""
    return text_target(target, SOURCES["wide"]).dialect.name


def written(write: Callable[[], Any]) -> Any:
    """What is written, or the error of ours in its place; neither takes a second of the processor."""
    before = time.process_time()
    try:
        return write()
    except SqlrpError as error:
        return error
    finally:
        assert time.process_time() - before < 1


@pytest.mark.usefixtures("no_sockets")
def test_a_dialect_writes_what_the_engine_of_that_name_does() -> None:
    for name in ("postgresql", "sqlite", "mariadb", "mysql", "duckdb", "redshift", "databricks"):
        for source in SOURCES.values():
            texts = {
                str(written(lambda target=target, source=source: sqlrp.sql(P, source, target)))
                for target in (name, made(name), engine(name))
            }
            assert len(texts) == 1


def test_a_source_that_does_not_name_its_features_is_looked_at(tmp_path: Path) -> None:
    target = sa.create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with target.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER, a INTEGER, b REAL, feature INTEGER, value REAL)")
    assert "`b`" in sqlrp.sql(P, Wide("t", keep=["feature", "value"]), target)
    assert "feature" in sqlrp.sql(P, Long("t"), target)
    with pytest.raises(sqlrp.ParameterError, match="does not name features"):
        sqlrp.sql(P, "t", target.dialect)
    target.dispose()


def test_a_connection_tells_the_types(tmp_path: Path) -> None:
    target, source = sa.create_engine(f"sqlite:///{tmp_path / 'x.db'}"), Wide("t", features=["a", "b"])
    with target.begin() as connection:
        assert sqlrp.sql(P, source, target) == sqlrp.sql(P, source, "sqlite")
        with pytest.raises(SourceError, match="no such table"):
            sqlrp.sql(P, source, connection)
        connection.exec_driver_sql("CREATE TABLE t (id INTEGER, a INTEGER NOT NULL, b INTEGER NOT NULL)")
        assert sqlrp.sql(P, source, connection) != sqlrp.sql(P, source, "sqlite")
    target.dispose()


@pytest.mark.parametrize("raised", [socket.gaierror(-2, "Name or service not known"), ConnectionError("refused")])
@pytest.mark.parametrize("name", ["oracle+oracledb", "snowflake", "sqlite"])
def test_an_error_of_the_network_is_ours(name: str, raised: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drivers pass them on, and SQLAlchemy does so too."""

    def fails(*_: Any, **__: Any) -> None:
        raise raised

    monkeypatch.setattr(socket, "create_connection", fails)
    with pytest.raises(UnreachableError) as caught:
        sqlrp.project(P, "t", engine(name))
    assert_one_line(caught, "cannot be reached", str(raised.args[-1]))


@pytest.mark.parametrize("call", [lambda c: sqlrp.project(P, "t", c), lambda c: sqlrp.project(P, Wide("t"), c)])
def test_an_error_of_the_network_in_a_statement_is_ours(call: Callable[[Any], Any], tmp_path: Path) -> None:
    """Drivers that speak HTTP connect with the first statement."""
    target = sa.create_engine(f"sqlite:///{tmp_path / 'x.db'}")

    def fails(*_: Any) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    sa.event.listen(target, "before_cursor_execute", fails)
    with target.connect() as connection, pytest.raises(UnreachableError) as caught:
        call(connection)
    assert_one_line(caught, "cannot be reached", "Connection refused")
    target.dispose()


def test_a_dialect_may_have_a_name_that_no_url_has() -> None:
    """SQLAlchemy's dialect of Firebird is called "firebird.firebird"; others are called what they like."""
    for name in ("firebird.firebird", "my engine", "a:b/c"):
        dialect = sa.engine.default.DefaultDialect()
        dialect.name = name
        text = sqlrp.sql(sqlrp.SparseProjection(k=1), Wide("t", features=["a", "b"]), dialect)
        assert text.startswith("SELECT ")
        assert f"the engine {name} is not known" in str(
            sqlrp.explain(sqlrp.SparseProjection(k=1), Wide("t", features=["a", "b"]), dialect)
        )
