"""The planner's constants on the engines behind SQLAlchemy, measured: what to paste into their files.

python tests/bench/engines.py sqlite:////tmp/bench.db

The tables b100 and b784 are made, and dropped in the end. Every job runs whole (text, planning, run, into a temporary
table); a lowering's three constants are fitted by least squares of the relative errors.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import sqlalchemy as sa
from scipy.optimize import nnls

import sqlrp
from sqlrp.engines import engine_of

ROWS = {"inline": (1, 100, 500, 2000), "relational": (1, 20, 100, 400)}
SHAPES: tuple[tuple[int, sqlrp.Projection], ...] = (
    (100, sqlrp.SparseProjection(k=8)),
    (100, sqlrp.SparseProjection(k=32)),
    (784, sqlrp.SparseProjection(k=64)),
    (784, sqlrp.SparseProjection(k=256)),
    (100, sqlrp.PolynomialKernelProjection(k=64, t=3)),
)


def make(connection: sa.Connection, features: int) -> None:
    """A table of random numbers."""
    columns = [sa.Column("id", sa.BigInteger), *(sa.Column(f"f{j}", sa.Double) for j in range(features))]
    table = sa.Table(f"b{features}", sa.MetaData(), *columns, mariadb_engine="Aria", mysql_engine="Aria")
    table.drop(connection, checkfirst=True)
    table.create(connection)
    values = np.random.default_rng(0).normal(size=(max(ROWS["inline"]), features))
    for at in range(0, len(values), 40):
        rows = [dict(enumerate(row)) for row in values[at : at + 40].tolist()]
        connection.execute(
            table.insert(), [{"id": at + i, **{f"f{j}": v for j, v in row.items()}} for i, row in enumerate(rows)]
        )


def measure(connection: sa.Connection, features: int, projection: sqlrp.Projection, lowering: str, rows: int) -> float:
    """The least of two runs, in seconds."""
    engine = engine_of(connection)
    engine.execute(connection, f"CREATE VIEW sliced AS SELECT * FROM b{features} WHERE id < {rows}")
    taken = []
    for _ in range(2):
        with engine.session(connection) as session:
            start = time.perf_counter()
            script = sqlrp.explain(projection, "sliced", session, lowering=lowering).script
            kept = engine.create_temporary("kept", f"SELECT 1 AS r, q.* FROM ({script.query}) q")
            for step in (*script.steps, kept, *script.cleanup):
                engine.execute(session, step)
            taken.append(time.perf_counter() - start)
            engine.execute(session, engine.drop_temporary("kept"))
    engine.execute(connection, "DROP VIEW sliced")
    return min(taken)


def main() -> None:
    """Measure, fit, print."""
    with sa.create_engine(sys.argv[1]).connect() as connection:
        for features in sorted({features for features, _ in SHAPES}):
            make(connection, features)
        for lowering, counts in ROWS.items():
            lines = []
            for features, projection in SHAPES:
                for rows in counts:
                    seconds = measure(connection, features, projection, lowering, rows)
                    terms = sqlrp.explain(projection, f"b{features}", connection).plan.job.terms
                    text = terms + features + projection.k if lowering == "inline" else projection.k
                    lines.append(np.array([1, text, rows * terms]) / seconds)
                    print(f"{lowering} {features} -> {projection.k}, {rows} rows: {seconds:.4f} s", flush=True)
            matrix = np.array(lines)
            size = np.linalg.norm(matrix, axis=0)
            got = nnls(matrix / size, np.ones(len(matrix)))[0] / size
            print(f"{lowering}: start {got[0]:.2g}, plan_term {got[1]:.2g}, run {got[2]:.2g}")
        for features in sorted({features for features, _ in SHAPES}):
            connection.exec_driver_sql(f"DROP TABLE b{features}")


if __name__ == "__main__":
    main()
