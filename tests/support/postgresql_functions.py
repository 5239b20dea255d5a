"""A separate schema for a test of PostgreSQL's functions, and a call of every function with its projection."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from databases import server
from duckdb_calls import arguments as duckdb_call
from registered import unnamed

import sqlrp
from sqlrp._projections import FUNCTIONS

FILE = Path(__file__).parents[2] / "sql" / "postgresql.sql"
HOSTILE = "a\"b; drop table images -- '%s %I $f$ \\ Zürich ☃"


class Database:
    """A connection whose search_path is a schema of its own."""

    def __init__(self, connection: sa.Connection, schema: str) -> None:
        self.connection, self.schema = connection, schema

    def run(self, sql: str) -> list[Any]:
        result = self.connection.exec_driver_sql(sql, execution_options={"no_parameters": True})
        return [tuple(row) for row in result] if result.returns_rows else []

    def z(self, call: str) -> dict[str | None, Any]:
        return {key: None if z is None else np.array(z) for key, z in self.run(f"SELECT key, z FROM {call}")}

    def refused(self, call: str) -> Any:
        with pytest.raises(sa.exc.SQLAlchemyError) as caught:
            self.run(f"SELECT * FROM {call}")
        return caught.value.orig.diag  # type: ignore[attr-defined]


@contextmanager
def opened() -> Iterator[Database]:
    engine = sa.create_engine(server("postgresql"), isolation_level="AUTOCOMMIT")
    schema = f"sqlrp_test_{uuid.uuid4().hex[:12]}"
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
        try:
            connection.exec_driver_sql(f"SET search_path TO {schema}")
            yield Database(connection, schema)
        finally:
            connection.exec_driver_sql("RESET ROLE")
            connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


METHODS: dict[str, tuple[str, sqlrp.Projection]] = {
    "rp": ("rp_project({}, k => 5, s => 2, seed => 7)", sqlrp.SparseProjection(k=5, s=2, seed=7)),
    "pk": ("pk_project({}, k => 4, s => 1.5, seed => 3)", sqlrp.PolynomialKernelProjection(k=4, s=1.5, seed=3)),
    "pk3": (
        "pk_project({}, k => 4, s => 1, degree => 3, p => 13, t => 3, c => 2.5, seed => 9)",
        sqlrp.PolynomialKernelProjection(k=4, s=1, degree=3, p=13, t=3, c=2.5, seed=9),
    ),
    "pk1": (
        "pk_project({}, k => 4, s => 1, degree => 2, t => 2, c => 4, seed => 9, minimise_repetition => false)",
        sqlrp.PolynomialKernelProjection(k=4, s=1, degree=2, t=2, c=4, seed=9, minimise_repetition=False),
    ),
    "d2pk": (
        "d2pk_project({}, k => 3, s => 1, m => 4, seed => 2)",
        sqlrp.Degree2KernelProjection(k=3, s=1, m=4, seed=2),
    ),
    "d2pk1": ("d2pk_project({}, k => 3, s => 1, m => 1)", sqlrp.Degree2KernelProjection(k=3, s=1, m=1)),
    "cw": (
        "cw_project({}, k => 6, nnz_per_feature => 3, seed => 5)",
        sqlrp.SparseEmbedding(k=6, nnz_per_feature=3, seed=5),
    ),
    "cw1": ("cw_project({}, k => 3, nnz_per_feature => 1)", sqlrp.SparseEmbedding(k=3, nnz_per_feature=1)),
    "cw2": (
        "cw_project({}, k => 12, nnz_per_feature => 2, seed => 5, buckets => 3)",
        sqlrp.SparseEmbedding(k=12, nnz_per_feature=2, seed=5, buckets=3),
    ),
    "rst": (
        "rs_project({}, k => 2, seed => 4, stratified => true)",
        sqlrp.RandomSubspace(k=2, seed=4, stratified=True),
    ),
    "rsth": (
        "rs_project({}, k => 2, densify => 'householder', stratified => true)",
        sqlrp.RandomSubspace(k=2, densify="householder", stratified=True),
    ),
    "rs": ("rs_project({}, k => 2, seed => 4)", sqlrp.RandomSubspace(k=2, seed=4)),
    "rsh": ("rs_project({}, k => 2, densify => 'householder')", sqlrp.RandomSubspace(k=2, densify="householder")),
    "rpg": ("rp_project({}, k => 3, seed => 2, vectors => 'gaussian')", sqlrp.GaussianProjection(k=3, seed=2)),
    "pkg": (
        "pk_project({}, k => 2, c => 2, seed => 6, vectors => 'gaussian')",
        sqlrp.PolynomialKernelProjection(k=2, c=2, seed=6, vectors="gaussian"),
    ),
    "d2pkm": (
        "d2pk_project({}, k => 3, s => 1, m => 2, modified => true)",
        sqlrp.Degree2KernelProjection(k=3, s=1, modified=True),
    ),
    "fht": ("fht_project({}, k => 5, seed => 3)", sqlrp.HadamardProjection(k=5, seed=3)),
    "fhtl": (
        "fht_project({}, k => 10, seed => 3, padding => 'least', replacement => false)",
        sqlrp.HadamardProjection(k=10, seed=3, padding="least", replacement=False),
    ),
    "ts": ("ts_project({}, k => 3, seed => 1)", sqlrp.TensorSketch(k=3, seed=1)),
    "ts3": ("ts_project({}, k => 4, degree => 3)", sqlrp.TensorSketch(k=4, degree=3)),
    "ep": ("ep_project({}, k => 3, s => 2)", sqlrp.ExplicitPolynomialProjection(k=3, s=2)),
    "ep3": ("ep_project({}, k => 2, degree => 3)", sqlrp.ExplicitPolynomialProjection(k=2, degree=3)),
    "epg": (
        "ep_project({}, k => 3, seed => 2, vectors => 'gaussian')",
        sqlrp.ExplicitPolynomialProjection(k=3, seed=2, vectors="gaussian"),
    ),
    "cbp": ("cbp_project({}, k => 3, s => 1)", sqlrp.BilinearPooling(k=3, s=1)),
    "cbps": (
        "cbp_project({}, k => 3, s => 1, p => 9, t => 2, normalise => false)",
        sqlrp.BilinearPooling(k=3, s=1, p=9, t=2, normalise=False),
    ),
    "cbp2": ("cbp_project({}, k => 3, s => 1, split => 1)", sqlrp.BilinearPooling(k=3, s=1, split=1)),
    "rmp": ("rmp_project({}, k => 3, normalise => false)", sqlrp.MaclaurinPooling(k=3, normalise=False)),
    "rmp2": ("rmp_project({}, k => 3, split => 1, seed => 2)", sqlrp.MaclaurinPooling(k=3, split=1, seed=2)),
    "tsp": (
        "tsp_project({}, k => 3, split => 1, normalise => false)",
        sqlrp.SketchPooling(k=3, split=1, normalise=False),
    ),
    "fbp": ("fbp_project({}, k => 4, normalise => false)", sqlrp.FullBilinearPooling(k=4, normalise=False)),
    "rm": ("rm_project({}, k => 3, degree => 3, seed => 8)", sqlrp.RandomMaclaurin(k=3, degree=3, seed=8)),
    "rff": ("rff_project({}, k => 3, gamma => 0.4, seed => 8)", sqlrp.RandomFourierFeatures(k=3, gamma=0.4, seed=8)),
}
CALLED = FUNCTIONS


def call(projection: sqlrp.Projection) -> str:
    """A call of a method's function with the parameters that are not the defaults; {} stands for the source."""
    default = {field.name: field.default for field in fields(projection)}
    given = {name: value for name, value in projection.parameters().items() if value != default[name]}
    return f"{projection.function}({{}}, {', '.join(f'{name} => {value!r}' for name, value in given.items())})"


def asking(projection: sqlrp.Projection, source: Any, **options: Any) -> str:
    """The call of a projection's function that gives its text."""
    given = options if projection.own_function else options | {"vectors": "gaussian"}
    if getattr(source, "features", None):
        given |= {"features": list(source.features)}
    if isinstance(source, sqlrp.Array):
        given |= {"n_features": source.n_features}
    return re.sub(r"_project\(", "_project_sql(", duckdb_call(projection, source, sign="=>", **given), count=1)


def needs_features(projection: sqlrp.Projection) -> bool:
    """Whether a method has no stages for an open vocabulary."""
    try:
        projection.stages(None)
    except sqlrp.ParameterError:
        return True
    return False


UNNAMED = unnamed([projection for _, projection in METHODS.values()], np.eye(2), CALLED.values())
METHODS |= {name: (call(each), each) for name, each in UNNAMED.items()}
INEXACT = {"pk3", "rpg", "pkg", "rff", "ep", "ep3", "epg", "cbp", "cbp2", "rmp2"}
INEXACT |= {name for name, each in UNNAMED.items() if not all(stage.exact for stage in each.stages(2))}
"""Methods with a constant, weights or a norm that are no whole numbers."""
CLOSED = {"rs", "rsh", "rst", "rsth", "rpg", "pkg", "d2pkm", "fht", "fhtl", "ep", "ep3", "epg", "fbp", "rff"}
CLOSED |= {name for name, each in UNNAMED.items() if needs_features(each)}
"""Methods that need the number of features."""


def equal(got: dict[Any, Any], result: Any, key: str, exact: bool = False) -> None:
    want = dict(zip(map(str, result.column(key).to_pylist()), result.column("z").to_pylist(), strict=True))
    got = {str(k): v for k, v in got.items()}
    assert got.keys() == want.keys()
    for k, z in want.items():
        if z is None:
            assert got[k] is None, k
        elif exact:
            assert got[k].tolist() == [float(v) for v in z], k
        else:
            target = np.array(z, dtype=float)
            np.testing.assert_allclose(got[k], target, rtol=1e-9, atol=1e-9 * np.abs(target).max())


@contextmanager
def with_images() -> Iterator[Database]:
    """A schema with images(id, a, b, label)."""
    with opened() as db:
        db.run(
            "CREATE TABLE images AS SELECT id, id % 7 AS a, id * 0.5e0 AS b, 'l' || id AS label "
            "FROM generate_series(1, 9) id"
        )
        yield db
