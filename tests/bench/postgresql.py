"""PostgreSQL: a projection in the database beside COPY out, scikit-learn, COPY in.

python tests/bench/postgresql.py [--rows 20000] [--type "double precision"] [--repeat 5] [--url postgresql+psycopg://…]

20,000 x 784 columns to 256 components, written to a table as 256 columns of double precision or as one array. The
peer is SparseRandomProjection, fetched and written back by COPY in the binary format, which numpy reads and writes
without a loop over the rows, or in the text format by pandas. The floor is a plain copy of a table of the result's
shape. All tables are made in a schema of their own, which is dropped in the end.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import sqlalchemy as sa
from sklearn.random_projection import SparseRandomProjection

import sqlrp

sys.path.insert(0, str(Path(__file__).parent))
from common import interleaved, markdown, verdict

FEATURES, K = 784, 256
TYPES = {"double precision": ">f8", "real": ">f4", "integer": ">i4", "smallint": ">i2"}
SCHEMA = "sqlrp_bench"
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
Matrix = npt.NDArray[Any]


def record(kinds: list[str]) -> np.dtype[Any]:
    """A row of COPY's binary format without NULL: the number of fields, and each field behind its length."""
    fields = [("n", ">i2")]
    for i, kind in enumerate(kinds):
        fields += [(f"l{i}", ">i4"), (f"v{i}", kind)]
    return np.dtype(fields)


def make(connection: sa.Connection, rows: int, kind: str) -> None:
    """points(id, f0 …) of random numbers from 0 to 255, and result(id, z0 …) to copy."""
    run = connection.exec_driver_sql
    run(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
    run(f"CREATE SCHEMA {SCHEMA}")
    run(f"SET search_path TO {SCHEMA}")
    for name, columns, stored in (("points", FEATURES, kind), ("result", K, "double precision")):
        values = ", ".join(f"CAST(random() * 255 AS {stored}) AS {name[0]}{j}" for j in range(columns))
        run(f"CREATE TABLE {name} AS SELECT id, {values} FROM generate_series(CAST(1 AS bigint), {rows}) id")
        run(f"VACUUM ANALYZE {name}")
    connection.exec_driver_sql("CHECKPOINT")


def by_binary_copy(connection: sa.Connection, kind: str, dense: bool) -> None:
    """COPY … BINARY to numpy, projected, and back."""
    with connection.connection.cursor() as cursor:
        with cursor.copy("COPY points TO STDOUT (FORMAT binary)") as copy:
            blob = b"".join(copy)
        fields = record([">i8", *[TYPES[kind]] * FEATURES])
        rows = np.frombuffer(blob, fields, count=(len(blob) - len(HEADER) - 2) // fields.itemsize, offset=len(HEADER))
        width = np.dtype(TYPES[kind]).itemsize
        # The values as one strided view: field after field of equal size.
        start = int(fields.fields["v1"][1])  # type: ignore[index]
        x = np.lib.stride_tricks.as_strided(
            np.frombuffer(blob, TYPES[kind], count=1, offset=len(HEADER) + start),
            (len(rows), FEATURES),
            (fields.itemsize, 4 + width),
        ).astype(np.float64)
        z = SparseRandomProjection(K, density="auto", random_state=0, dense_output=dense).fit_transform(x)
        out = np.zeros(len(rows), [("n", ">i2"), ("l0", ">i4"), ("v0", ">i8"), ("z", [("l", ">i4"), ("v", ">f8")], K)])
        out["n"], out["l0"], out["v0"], out["z"]["l"], out["z"]["v"] = K + 1, 8, rows["v0"], 8, z
        cursor.execute(f"CREATE TABLE out (id bigint, {', '.join(f'z{c} double precision' for c in range(K))})")
        with cursor.copy("COPY out FROM STDIN (FORMAT binary)") as copy:
            copy.write(HEADER)
            copy.write(memoryview(out).cast("B"))
            copy.write(b"\xff\xff")


def by_text_copy(connection: sa.Connection) -> None:
    """COPY … CSV to pandas, projected, and back."""
    with connection.connection.cursor() as cursor:
        with cursor.copy("COPY points TO STDOUT (FORMAT csv)") as copy:
            frame = pd.read_csv(io.BytesIO(b"".join(copy)), header=None)
        x = frame.iloc[:, 1:].to_numpy(np.float64)
        z = SparseRandomProjection(K, density="auto", random_state=0).fit_transform(x)
        cursor.execute(f"CREATE TABLE out (id bigint, {', '.join(f'z{c} double precision' for c in range(K))})")
        with cursor.copy("COPY out FROM STDIN (FORMAT csv)") as copy:
            copy.write(pd.DataFrame(z, index=frame[0]).to_csv(header=False))


def main() -> None:
    """Make the tables, run the jobs, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--type", choices=TYPES, default="double precision")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--text", action="store_true", help="beside binary COPY also text by pandas, which is slower")
    parser.add_argument("--url", default="postgresql+psycopg://postgres@127.0.0.1:5432/postgres")
    options = parser.parse_args()
    engine = sa.create_engine(options.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        make(connection, options.rows, options.type)
        try:
            compare(connection, options)
        finally:
            connection.exec_driver_sql(f"DROP SCHEMA {SCHEMA} CASCADE")


def compare(connection: sa.Connection, options: argparse.Namespace) -> None:
    """The jobs, interleaved."""
    projection = sqlrp.SparseProjection(k=K, s="sqrt")

    def in_database(output: Any) -> Callable[[], object]:
        return lambda: sqlrp.materialize(projection, sqlrp.Wide("points"), connection, into="out", output=output)

    def plain() -> None:
        connection.exec_driver_sql("CREATE TABLE out AS SELECT * FROM result")

    jobs: dict[str, Callable[[], object]] = {
        "sqlrp, columns": in_database("columns"),
        "sqlrp, array": in_database("array"),
        "COPY binary, SparseRandomProjection": lambda: by_binary_copy(connection, options.type, True),
        "plain copy of the result": plain,
    }
    if options.text:
        jobs["COPY text, SparseRandomProjection"] = lambda: by_text_copy(connection)

    def reset() -> None:
        if connection.exec_driver_sql("SELECT to_regclass('out')").scalar() is not None:
            connection.exec_driver_sql("DROP TABLE out")
            connection.exec_driver_sql("DROP TABLE IF EXISTS sqlrp_materialized")
        connection.exec_driver_sql("CHECKPOINT")

    version = connection.exec_driver_sql("SHOW server_version").scalar()
    print(f"{options.rows:,} x {FEATURES} {options.type} columns to {K}, PostgreSQL {version}\n")
    print(sqlrp.explain(projection, "points", connection), "\n")
    timings = interleaved(jobs, options.repeat, reset)
    reset()
    peer = timings["COPY binary, SparseRandomProjection"]
    rows = [[n, f"{t.median:.2f}", f"±{t.spread / 2:.0%}", f"{peer.ratio(t):.2f}"] for n, t in timings.items()]
    print(markdown(["job", "seconds", "spread", "times as fast as by binary COPY"], rows))
    best = max(peer.ratio(timings[name]) for name in ("sqlrp, columns", "sqlrp, array"))
    print(f"bar, 1.5 times as fast as COPY, SparseRandomProjection, COPY: {best:.2f}: {verdict(best >= 1.5)}")


if __name__ == "__main__":
    main()
