"""A server that is far away: a proxy that counts round trips, and delays each answer.

    python tests/support/far.py --delay 0.1

prints how many trips the everyday calls take on PostgreSQL, MariaDB and MySQL, and how long that is.
"""

from __future__ import annotations

import argparse
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import sqlrp


class Far:
    """Passes on what a client and a server say, each answer after `delay` seconds."""

    def __init__(self, host: str, port: int, delay: float = 0.0) -> None:
        self.server, self.delay, self.trips = (host, port), delay, 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                client, _ = self.listening.accept()
                server = socket.create_connection(self.server)
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                asked = threading.Event()
                for arguments in ((client, server, asked.set), (server, client, partial(self._answer, asked))):
                    threading.Thread(target=self._pass_on, args=arguments, daemon=True).start()

    def _answer(self, asked: threading.Event) -> None:
        """The first part of an answer counts; its other parts come with it."""
        if asked.is_set():
            asked.clear()
            self.trips += 1
            time.sleep(self.delay)

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket, before: Callable[[], None]) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 20):
                before()
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Take no more connections."""
        self.listening.close()


@contextmanager
def far(url: sa.URL, delay: float = 0.0) -> Iterator[tuple[Far, sa.Engine]]:
    """A proxy before the server of a URL, and an engine that reaches it there."""
    proxy = Far(url.host or "127.0.0.1", url.port or {"postgresql": 5432}.get(url.get_backend_name(), 3306), delay)
    engine = sa.create_engine(url.set(host="127.0.0.1", port=proxy.port))
    try:
        yield proxy, engine
    finally:
        engine.dispose()
        proxy.close()


FEATURES = 20
P = sqlrp.SparseProjection(k=4, seed=1)


def fill(engine: sa.Engine) -> None:
    """300 rows of 20 columns, as `far_table`."""
    columns = ", ".join(f"f{j} DOUBLE PRECISION" for j in range(FEATURES))
    rows = ", ".join(f"({i}, {', '.join(str(i * (j + 1) % 7) for j in range(FEATURES))})" for i in range(300))
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS far_table")
        connection.exec_driver_sql(f"CREATE TABLE far_table (id BIGINT, {columns})")
        connection.exec_driver_sql(f"INSERT INTO far_table VALUES {rows}")


def calls(engine: sa.Engine, into: str) -> dict[str, Callable[[], Any]]:
    """The everyday calls, in their order. The first one of them that makes the table `into` finds none."""
    return {
        "project": lambda: sqlrp.project(P, "far_table", engine),
        "materialize": lambda: sqlrp.materialize(P, "far_table", engine, into, replace=True),
        "search": lambda: sqlrp.search(engine, into, [1.0] * FEATURES, n=3),
        "refresh": lambda: sqlrp.refresh(engine, into),
        "load": lambda: sqlrp.load(engine, "far"),
    }


def trips(url: sa.URL, delay: float = 0.0, before: int = 1) -> dict[str, tuple[int, float]]:
    """The round trips of each call, made `before` times before, and its seconds."""
    found: dict[str, tuple[int, float]] = {}
    with far(url, delay) as (proxy, engine):
        fill(engine)
        sqlrp.save(P, engine, "far", source="far_table", replace=True)
        for name, call in calls(engine, f"far_rp{before}").items():
            for _ in range(before):
                call()
            start, begun = proxy.trips, time.perf_counter()
            call()
            found[name] = (proxy.trips - start, time.perf_counter() - begun)
    return found


def main() -> None:
    """Print the trips of second and third calls."""
    from databases import opened

    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--delay", type=float, default=0.1, help="seconds that each answer takes")
    parser.add_argument("--engines", nargs="+", default=["postgresql", "mariadb", "mysql"])
    given = parser.parse_args()
    for name in given.engines:
        for db in opened(name, Path(".")):
            for before in (1, 2):
                url = sqlrp.connect(db.pool().url.render_as_string(hide_password=False)).url
                found = trips(url, given.delay, before)
                said = [f"{call} {count} trips, {spent:.2f} s" for call, (count, spent) in found.items()]
                print(f"{name}, call {before + 1}: {'; '.join(said)}", flush=True)


if __name__ == "__main__":
    main()
