"""How many statements the everyday calls send to each engine, by each of its drivers.

    python tests/support/words.py --engines mysql "clickhouse over HTTP"

prints the table of the calls, beside the bars. BEGIN, COMMIT and ROLLBACK of the driver do not count.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from clickhouses import Embedded, clickhouse_server
from databases import Database, opened, stop_servers
from sparks import connected
from sqlalchemy.ext.asyncio import create_async_engine
from statements import counting

import sqlrp
from sqlrp import Wide

BARS = {
    **{"project": 3, "sql": 2, "save": 5, "load": 2, "saved": 2, "materialize": 10, "refresh": 8},
    **{"search": 3, "opened search": 2, "create search": 8, "check": 6, "diagnose": 7, "learn": 5, "install": 4},
}
"""The most that a call is to send, on each engine."""
SIZES, KEPT = (2, 200), (1, 100)
"""The features of a source and the kept tables, with which the numbers are the same."""
ENDS = ("BEGIN", "COMMIT", "ROLLBACK", "RESET VARIABLE sqlrp_begun;\nBEGIN")
P = sqlrp.SparseProjection(k=4, s=1, seed=1)
FUNCTIONS = ("duckdb", "postgresql")
"""The engines in which functions are made."""


def make_table(db: Database, d: int) -> None:
    """60 rows of d features, as `worded{d}`."""
    rows = [[i, *((i * (j + 1) % 7) * 1.0 for j in range(d))] for i in range(60)]
    kind = "Float64" if db.name == "clickhouse" else "DOUBLE PRECISION"
    db.make(f"worded{d}", [("id", "BIGINT"), *((f"f{j}", kind) for j in range(d))], rows)


def keep(connection: Any, kept: int, d: int = SIZES[0]) -> None:
    """So many kept tables of `worded{d}`."""
    for i in range(kept):
        sqlrp.materialize(P, f"worded{d}", connection, f"kept{i}", replace=True)


def make_spark_table(session: Any, d: int) -> None:
    """The same as a view of a session of Spark."""
    each = ", ".join(f"CAST(id * {j + 1} % 7 AS DOUBLE) AS f{j}" for j in range(d))
    session.sql(f"SELECT id, {each} FROM range(60)").createOrReplaceTempView(f"worded{d}")


def calls_without_tables(connection: Any, d: int) -> dict[str, Callable[[], Any]]:
    """The everyday calls that keep nothing."""
    source = f"worded{d}"
    wide = Wide(source, features=[f"f{j}" for j in range(1, d)], keep=["f0"])
    return {
        "project": lambda: sqlrp.project(P, source, connection),
        "sql": lambda: sqlrp.sql(P, source, connection),
        "diagnose": lambda: sqlrp.diagnose(P, source, connection, sample=20),
        "learn": lambda: sqlrp.learn(P, wide, connection, "f0", folds=2),
    }


def calls(connection: Any, d: int, functions: bool) -> dict[str, Callable[[], Any]]:
    """The everyday calls, in their order. `functions`: whether the engine has those of sqlrp."""
    source = f"worded{d}"
    sqlrp.materialize(P, source, connection, "worded_near", replace=True)
    near = sqlrp.open_search(connection, "worded_near")
    found = calls_without_tables(connection, d) | {
        "save": lambda: sqlrp.save(P, connection, "worded", source=source, replace=True),
        "load": lambda: sqlrp.load(connection, "worded"),
        "saved": lambda: sqlrp.saved(connection),
        "materialize": lambda: sqlrp.materialize(P, source, connection, "worded_rp", replace=True),
        "refresh": lambda: sqlrp.refresh(connection, "worded_rp"),
        "search": lambda: sqlrp.search(connection, "worded_rp", [0.0] * d, n=3),
        "opened search": lambda: near([0.0] * d, n=3),
    }
    if functions:
        found |= {
            "create search": lambda: sqlrp.create_search(connection, "worded_near", "worded_find", replace=True),
            "install": lambda: sqlrp.install(connection),
        }
    return found | {"check": lambda: sqlrp.check(connection)}


@contextmanager
def logged(engine: str) -> Iterator[list[str]]:
    """The statements that are logged: those of drivers without hooks."""
    found: list[str] = []

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if text.startswith(f"{engine}: "):
                found.append(text.removeprefix(f"{engine}: "))

    log, handler = logging.getLogger("sqlrp"), Heard()
    level = log.level
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield found
    finally:
        log.removeHandler(handler)
        log.setLevel(level)


def begun(connection: sa.Connection) -> None:
    """Begin a transaction of the caller's, if none is open."""
    connection.exec_driver_sql("SELECT 1")


Ready = Callable[[Any], object]
"""What is done with a connection before a call."""


def counted(connection: Any, name: str, d: int = 3, before: int = 2, ready: Ready = id) -> dict[str, list[str]]:
    """What each call sends that was made `before` times before: the first may make a table, the next replaces it."""
    found = {}
    hooked = name not in ("duckdb", "clickhouse", "spark")
    for label, call in calls(connection, d, name in FUNCTIONS).items():
        for _ in range(before):
            ready(connection)
            call()
        ready(connection)
        engine = getattr(connection, "engine", connection)
        with logged(name) as told, counting(engine) if hooked else nullcontext(told) as sent:
            call()
        asynchronous = getattr(getattr(connection, "dialect", None), "is_async", False)
        begun = tuple(text[:100] for text in sent)
        beside = [text for text in told if asynchronous and not text.startswith(begun)]  # what asyncpg runs as one text
        found[label] = [text for text in [*sent, *beside] if text not in ENDS]
    return found


class _Requests:
    """The methods of a server of Spark Connect, which note what is asked of it. To release a result is no question."""

    def __init__(self, stub: Any, found: list[str]) -> None:
        self.stub, self.found = stub, found

    def __getattr__(self, name: str) -> Any:
        method = getattr(self.stub, name)

        def noted(request: Any, *args: Any, **kwargs: Any) -> Any:
            if name != "ReleaseExecute":
                self.found.append(f"{name}: {request}")
            return method(request, *args, **kwargs)

        return noted


def counted_by_connect(session: Any, d: int = 3, before: int = 2) -> dict[str, list[str]]:
    """The requests of each call that keeps nothing, by a session of Spark Connect.

    Without those by which pyspark tells the server that a table which it has computed is no longer held.
    """
    make_spark_table(session, d)
    found: dict[str, list[str]] = {}
    stub = session.client._stub
    for label, call in calls_without_tables(session, d).items():
        for _ in range(before):
            call()
        session.client._stub = _Requests(stub, found.setdefault(label, []))
        try:
            call()
        finally:
            session.client._stub = stub
    return found


Use = Callable[[Any], dict[str, list[str]]]
"""What counts with a connection."""


def by_url(db: Database, use: Use, **changes: Any) -> dict[str, list[str]]:
    """By another driver, or with other options in the URL."""
    query = changes.pop("query", {})
    engine = sa.create_engine(db.pool().url.set(**changes).update_query_dict(query))
    try:
        return use(engine)
    finally:
        engine.dispose()


def by_asyncpg(db: Database, use: Use) -> dict[str, list[str]]:
    """By the connection of an asynchronous engine, with run_sync."""

    async def run() -> dict[str, list[str]]:
        url = db.connection.engine.url.set(drivername="postgresql+asyncpg")
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            await connection.exec_driver_sql(f"SET search_path TO {db.schema}")
            await connection.commit()
            found = await connection.run_sync(use)
            await connection.rollback()
        await engine.dispose()
        return found

    return asyncio.run(run())


def over_http(_: Database, use: Use) -> dict[str, list[str]]:
    """By a driver that speaks HTTP."""
    embedded = Embedded()
    with clickhouse_server(embedded) as port:
        engine = sa.create_engine(f"clickhouse+http://127.0.0.1:{port}/default")
        try:
            return use(engine)
        finally:
            engine.dispose()
            embedded.session.close()


def by_connect() -> dict[str, list[str]]:
    """By pyspark's own server of Spark Connect."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    with connected(port) as session:
        return counted_by_connect(session)


def as_it_is(db: Database, use: Use) -> dict[str, list[str]]:
    """By the connection."""
    return use(db.connection)


def by_connection(db: Database, use: Use, driver: str) -> dict[str, list[str]]:
    """By a connection of another driver."""

    def of(engine: sa.Engine) -> dict[str, list[str]]:
        with engine.connect() as connection:
            return use(connection)

    return by_url(db, of, drivername=f"postgresql+{driver}")


ONE_BY_ONE, HTTP, CONNECT = "mysql, one by one", "clickhouse over HTTP", "spark connect"
WAYS: dict[str, tuple[str, Callable[[Database, Use], dict[str, list[str]]]]] = {
    "postgresql": ("postgresql", by_url),
    "psycopg2": ("postgresql", partial(by_url, drivername="postgresql+psycopg2")),
    "asyncpg": ("postgresql", by_asyncpg),
    "psycopg in a transaction": ("postgresql", partial(by_connection, driver="psycopg")),
    "psycopg2 in a transaction": ("postgresql", partial(by_connection, driver="psycopg2")),
    "asyncpg in a transaction": ("postgresql", by_asyncpg),
    "mariadb": ("mariadb", by_url),
    "mysql": ("mysql", partial(by_url, query={"client_flag": "65536"})),
    ONE_BY_ONE: ("mysql", by_url),
    "duckdb": ("duckdb", as_it_is),
    HTTP: ("clickhouse", over_http),
}
"""The engines, by drivers."""
READY: dict[str, Ready] = {
    "asyncpg": sa.Connection.commit,
    **{way: begun for way in WAYS if way.endswith(" in a transaction")},
}
"""What comes before a call on a connection of the caller's: it is the first one of a transaction, or in an open one."""


def words(way: str, db: Database, d: int = 3, kept: int = 1) -> dict[str, list[str]]:
    """The statements of each call, for so many features and so many kept tables."""

    def use(connection: Any) -> dict[str, list[str]]:
        make_table(Database(db.name, connection, db.schema) if way == HTTP else db, d)
        keep(connection, kept, d)
        return counted(connection, db.name, d, ready=READY.get(way, id))

    return WAYS[way][1](db, use)


def counts(way: str) -> dict[str, list[str]]:
    """Those in a database of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if way == HTTP:
            return words(way, Database("clickhouse", None, "default"))
        if way == CONNECT:
            return by_connect()
        for db in opened(WAYS[way][0], folder):
            found = words(way, db)
        return found


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--engines", nargs="+", choices=[*WAYS, CONNECT], default=[*WAYS, CONNECT])
    parser.add_argument("--texts", type=int, default=0, help="the first letters of each statement to print, too")
    given = parser.parse_args()
    found = {way: counts(way) for way in given.engines}
    for way in found if given.texts else ():
        for call, texts in found[way].items():
            print(f"== {way}: {call} {len(texts)}")
            print("\n".join(f"    {' '.join(text.split())[: given.texts]}" for text in texts))
    print(" | ".join(["call", "bar", *found]))
    for call, bar in BARS.items():
        row = [str(len(each[call])) if call in each else "–" for each in found.values()]
        print(" | ".join([call, str(bar), *row]), flush=True)
    stop_servers()


if __name__ == "__main__":
    main()
