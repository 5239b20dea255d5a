"""The functions in a database write the text that Python writes: one statement for one job, whoever writes it.

What still differs is listed here with its reason. An entry that has become equal fails its test: take it off the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from cover import factors, pairwise
from duckdb_calls import arguments
from postgresql_functions import Database, asking, needs_features, opened

import sqlrp
from sqlrp import Array, Long, Projection, Wide
from sqlrp._core.errors import SqlrpWarning

pytestmark = pytest.mark.filterwarnings(f"ignore::{SqlrpWarning.__module__}.SqlrpWarning")

N = 36
"""The number of features: more than one chain of terms."""
METHODS: dict[str, Projection] = {
    "sparse": sqlrp.SparseProjection(k=9, s=7, seed=5),
    "sparse-sqrt": sqlrp.SparseProjection(k=5, seed=1),
    "shared": sqlrp.SparseProjection(k=12, s=2, seed=7),
    "shared-s1": sqlrp.SparseProjection(k=40, s=1, seed=8),
    "embedding": sqlrp.SparseEmbedding(k=32, nnz_per_feature=2, seed=3),
    "embedding-dense": sqlrp.SparseEmbedding(k=4, nnz_per_feature=2, seed=3),
    "embedding-buckets": sqlrp.SparseEmbedding(k=24, nnz_per_feature=2, buckets=3, seed=3),
    "hadamard": sqlrp.HadamardProjection(k=7, seed=2, replacement=True),
    "hadamard-once": sqlrp.HadamardProjection(k=70, replacement=False, seed=4),
    "polynomial": sqlrp.PolynomialKernelProjection(k=6, s=7, t=3, seed=11),
    "polynomial-whole": sqlrp.PolynomialKernelProjection(k=3, s=2, t=2, c=4, seed=9),
    "polynomial-c": sqlrp.PolynomialKernelProjection(k=5, s=2, t=2, degree=3, c=2.0, seed=2),
    "degree2": sqlrp.Degree2KernelProjection(k=3),
    "maclaurin": sqlrp.RandomMaclaurin(k=3),
    "maclaurin-cubic": sqlrp.RandomMaclaurin(k=12, degree=3),
    "subspace": sqlrp.RandomSubspace(k=3),
    "subspace-strata": sqlrp.RandomSubspace(k=7, stratified=True, seed=3),
    "subspace-householder": sqlrp.RandomSubspace(k=3, densify="householder"),
    "tensor-sketch": sqlrp.TensorSketch(k=3),
    "tensor-sketch-cubic": sqlrp.TensorSketch(k=5, degree=3, seed=4),
    "explicit": sqlrp.ExplicitPolynomialProjection(k=3),
    "explicit-cubic": sqlrp.ExplicitPolynomialProjection(k=2, degree=3, seed=1),
    "degree2-4": sqlrp.Degree2KernelProjection(k=3, m=4, seed=2),
    "degree2-modified": sqlrp.Degree2KernelProjection(k=3, modified=True),
    "degree2-modified-4": sqlrp.Degree2KernelProjection(k=3, m=4, modified=True),
    "degree2-modified-dense": sqlrp.Degree2KernelProjection(k=3, m=4, s=1, modified=True),
    "polynomial-repeat": sqlrp.PolynomialKernelProjection(k=4, t=3, degree=1, seed=4, minimise_repetition=False),
}
"""The projections of which the functions of DuckDB write expressions."""
POOLED: dict[str, Projection] = {
    "bilinear": sqlrp.BilinearPooling(k=3),
    "bilinear-split": sqlrp.BilinearPooling(k=5, split=10),
    "bilinear-sums": sqlrp.BilinearPooling(k=3, normalise=False),
    "full-bilinear": sqlrp.FullBilinearPooling(k=N * N),
    "full-bilinear-split": sqlrp.FullBilinearPooling(k=N - 1, split=1),
    "maclaurin-pooling": sqlrp.MaclaurinPooling(k=3),
    "maclaurin-pooling-split": sqlrp.MaclaurinPooling(k=3, split=8),
    "sketch-pooling": sqlrp.SketchPooling(k=3),
    "sketch-pooling-split": sqlrp.SketchPooling(k=3, split=8, normalise=False),
}
"""Those that sum the rows of a group, which keep no other column."""

LOGARITHM = "the last bit of DuckDB's logarithm may differ from numpy's, so the function lets DuckDB draw"
LEFT: dict[str, tuple[Projection, str]] = {
    "gaussian": (sqlrp.GaussianProjection(k=3), LOGARITHM),
    "polynomial-gaussian": (sqlrp.PolynomialKernelProjection(k=3, vectors="gaussian"), LOGARITHM),
    "fourier": (sqlrp.RandomFourierFeatures(k=3), LOGARITHM),
    "tensor-sketch-24": (
        sqlrp.TensorSketch(k=24),
        "a convolution of so many DOUBLEs is written by halves in Python only",
    ),
    "sketch-pooling-24": (
        sqlrp.SketchPooling(k=24),
        "a convolution of so many DOUBLEs is written by halves in Python only",
    ),
}
"""The projections of which they do not, each with the reason."""

TYPES = {
    "doubles": ["DOUBLE"],
    "floats": ["FLOAT"],
    "bytes": ["UTINYINT"],
    "integers": ["INTEGER"],
    "mixed": ["BIGINT", "SMALLINT", "BOOLEAN", "UTINYINT"],
    "decimals": ["DECIMAL(9,2)"],
    "hugeints": ["HUGEINT"],
}


@pytest.fixture(scope="module")
def shop() -> Iterator[duckdb.DuckDBPyConnection]:
    """A table of each kind of numbers, and of arrays of them."""
    with duckdb.connect() as con:
        sqlrp.install(con)
        for name, types in TYPES.items():
            columns = (f'"f \'{j}" {types[j % len(types)]}{" NOT NULL" * (j % 3 == 0)}' for j in range(N))
            con.execute(f'CREATE TABLE {name} (id BIGINT, "a ""label""" VARCHAR, {", ".join(columns)}, tag INTEGER)')
            for size, kept in ((N, "arrays"), ("", "lists")):
                con.execute(f"CREATE TABLE {name}_{kept} (id BIGINT, tag INTEGER, v {types[0]}[{size}])")
        con.execute("CREATE TABLE cells (id BIGINT, feature INTEGER, value DOUBLE)")
        yield con


def source(layout: str, kind: str, keep: bool) -> Wide | Array:
    if layout == "wide":
        return Wide(kind, keep=['a "label"', "tag"] if keep else ["tag"])
    if layout == "named":
        return Wide(kind, features=[f"f '{j}" for j in range(N)], keep=["tag"] if keep else [])
    kept = ["tag"] if keep else []
    size = N if layout == "lists" else None
    return Array(f"{kind}_{layout}", "v", keep=kept, n_features=size)


def told(con: duckdb.DuckDBPyConnection, projection: Projection, of: Any, **options: Any) -> str:
    """The text that the function of a projection writes."""
    more: dict[str, Any] = {"n_features": of.n_features} if isinstance(of, Array) and of.n_features else {}
    more |= {"features": list(of.features)} if isinstance(of, Wide) and of.features else {}
    more |= {} if projection.own_function else {"vectors": "gaussian"}
    call = arguments(projection, of, **options, **more).replace("_project(", "_project_sql(", 1)
    return str(con.execute(f"SELECT {call}").fetchall()[0][0])


@pairwise(
    factors(
        lambda output, dtype, **_: output != "bits" or dtype == "auto",
        twice="method",  # to bind a call takes a tenth of a second; a test below has whole numbers of each
        method=list(METHODS),
        layout=["wide", "named", "arrays", "lists"],
        kind=list(TYPES),
        output=["columns", "array", "vector", "long", "bits", "auto"],
        nulls=["propagate", "zero", "error"],
        scale=[True, False],
        dtype=["auto", "float32"],
        keep=[True, False],
    )
)
def test_the_text_is_python_s(
    shop: duckdb.DuckDBPyConnection,
    method: str,
    layout: str,
    kind: str,
    output: str,
    nulls: str,
    scale: bool,
    dtype: str,
    keep: bool,
) -> None:
    projection, of = METHODS[method], source(layout, kind, keep)
    options: dict[str, Any] = {"lowering": "inline", "output": output, "nulls": nulls, "scale": scale, "dtype": dtype}
    assert told(shop, projection, of, **options) == sqlrp.sql(projection, of, shop, **options)


@pairwise(
    factors(
        twice="method",
        method=list(METHODS),
        kind=["FLOAT", "SMALLINT"],
        output=["columns", "vector", "long"],
        nulls=["propagate", "zero", "error"],
        scale=[True, False],
        lowering=["auto", "inline"],
    )
)
def test_a_plain_call_is_written_like_one_that_is_checked(
    shop: duckdb.DuckDBPyConnection, method: str, kind: str, output: str, nulls: str, scale: bool, lowering: str
) -> None:
    """A call that matches the pattern of its method skips the checks; a source in quotes matches none.

    Where Python writes the text, too, one call shows it: the test above has calls that are checked.
    """
    table, projection = f"plain_{kind}", METHODS[method]
    shop.execute(f"CREATE TABLE IF NOT EXISTS {table} (id BIGINT, {', '.join(f'f{j} {kind}' for j in range(N))})")
    options: dict[str, Any] = {"output": output, "nulls": nulls, "scale": scale, "lowering": lowering}
    text = told(shop, projection, Wide(table), **options)
    if lowering == "inline":
        assert text == sqlrp.sql(projection, table, shop, **options)
    else:
        assert text == told(shop, projection, Wide(f'"{table}"'), **options)


@pairwise(
    factors(
        lambda output, dtype, **_: output != "bits" or dtype == "auto",
        method=list(POOLED),
        layout=["wide", "arrays", "lists"],
        kind=list(TYPES),
        output=["columns", "array", "vector", "long", "bits", "auto"],
        nulls=["propagate", "zero", "error"],
        scale=[True, False],
        dtype=["auto", "float32"],
    )
)
def test_the_text_of_pooling_is_python_s(
    shop: duckdb.DuckDBPyConnection,
    method: str,
    layout: str,
    kind: str,
    output: str,
    nulls: str,
    scale: bool,
    dtype: str,
) -> None:
    features = [f"f '{j}" for j in range(N)]
    of: Wide | Array
    if layout == "wide":
        of = Wide(kind, features=features)
    else:
        of = Array(f"{kind}_{layout}", "v", n_features=N if layout == "lists" else None)
    options: dict[str, Any] = {"lowering": "inline", "output": output, "nulls": nulls, "scale": scale, "dtype": dtype}
    assert told(shop, POOLED[method], of, **options) == sqlrp.sql(POOLED[method], of, shop, **options)


@pytest.mark.parametrize(
    ("method", "kind"),
    [(name, "bytes") for name, projection in METHODS.items() if len(projection.stages(N)) > 1]
    + [(name, "integers") for name in METHODS],
)
def test_sums_and_products_of_whole_numbers_are_python_s(
    shop: duckdb.DuckDBPyConnection, method: str, kind: str
) -> None:
    """Sums of bytes fit SMALLINT; their products do not. Sums of integers need more than INTEGER."""
    options: dict[str, Any] = {"lowering": "inline", "scale": False}
    of = Array(f"{kind}_arrays", "v")
    assert told(shop, METHODS[method], of, **options) == sqlrp.sql(METHODS[method], of, shop, **options)


def test_every_function_is_compared_or_listed() -> None:
    compared = {projection.function for projection in (METHODS | POOLED).values()}
    listed = {projection.function for projection, _ in LEFT.values()}
    assert compared | listed == set(sqlrp._projections.FUNCTIONS), (
        "write a small case of a new method into METHODS or POOLED; or into LEFT, with the reason, if inline is refused"
    )


@pytest.mark.parametrize("name", LEFT)
def test_what_is_listed_is_still_refused(shop: duckdb.DuckDBPyConnection, name: str) -> None:
    projection, reason = LEFT[name]
    assert reason
    of = Wide("doubles", key="id", features=[f"f '{j}" for j in range(N)])
    with pytest.raises(duckdb.Error, match="a stage has no form in the functions as an expression"):
        told(shop, projection, of, lowering="inline")
    assert told(shop, projection, of) == told(shop, projection, of, lowering="indexed")


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize(("d", "k"), [(3, 3), (11, 6), (20, 20), (23, 3), (36, 40), (47, 24), (100, 51), (144, 9)])
def test_sums_of_parts_have_python_s_numbers(own: duckdb.DuckDBPyConnection, d: int, k: int, replacement: bool) -> None:
    """Python shares partial sums of Paley's parts for each place alone, the functions for all places together."""
    sqlrp.install(own)
    columns = ", ".join(f"sin(range * {j + 1}) * 9 AS f{j}" for j in range(d))
    own.execute(f"CREATE TABLE parts AS SELECT range AS id, {columns} FROM range(5)")
    projection = sqlrp.HadamardProjection(k=k, padding="least", replacement=replacement, seed=3)
    text = told(own, projection, Wide("parts", key="id"), lowering="inline")
    found = own.sql(text).to_df().set_index("id").sort_index()
    wanted = own.sql(sqlrp.sql(projection, Wide("parts", key="id"), own)).to_df().set_index("id").sort_index()
    assert list(found.columns) == list(wanted.columns)
    assert abs(found - wanted).to_numpy().max() < 1e-13


@pytest.mark.parametrize("lowering", ["indexed", "relational"])
def test_the_other_lowerings_still_draw_at_run_time(shop: duckdb.DuckDBPyConnection, lowering: str) -> None:
    of = Wide("doubles", keep=["tag"]) if lowering == "indexed" else Long("cells", n_features=N)
    projection = METHODS["sparse"]
    text = told(shop, projection, of, lowering=lowering)
    assert "sqlrp_components(" in text
    assert text != sqlrp.sql(projection, of, shop, lowering=lowering)


# -- PostgreSQL -------------------------------------------------------------------------------------------------------

PG_TYPES = {
    "doubles": ["double precision"],
    "floats": ["real"],
    "integers": ["integer"],
    "bigints": ["bigint"],
    "mixed": ["bigint", "smallint", "boolean", "integer"],
    "decimals": ["numeric(9,2)"],
}
PG_POOLED = POOLED | {name: projection for name, (projection, _) in LEFT.items() if projection.key_argument}
PG_METHODS = {
    name: projection
    for name, projection in (METHODS | {name: projection for name, (projection, _) in LEFT.items()}).items()
    if name not in PG_POOLED and name != "explicit-cubic"  # 8,436 monomials
}
LONG = ("cells", "words")
NEEDING = [name for name, projection in PG_METHODS.items() if needs_features(projection)]
"""Those that take no open vocabulary."""
DIFFER: dict[str, tuple[str, str]] = {
    "the last digits of a drawn weight, as the server has its own logarithm and cosine": (
        r"(\d\.\d{8})\d{2,}",
        r"\1",
    ),
}
"""What differs between the texts of PostgreSQL's functions and of Python: a pattern, and what stands for it.

Besides: the functions write the schema of the source and of pgvector's types (test_pgvector.py). They write arrays
where Python refuses a subquery of more columns than PostgreSQL has, and more terms into one statement.
"""


@pytest.fixture(scope="module")
def market() -> Iterator[Database]:
    """The same tables in PostgreSQL."""
    with opened() as db:
        sqlrp.install(db.connection)
        for name, types in PG_TYPES.items():
            columns = (f'"f \'{j}" {types[j % len(types)]}{" NOT NULL" * (j % 3 == 0)}' for j in range(N))
            db.run(f'CREATE TABLE {name} (id bigint, "a ""label""" text, {", ".join(columns)}, tag integer)')
            if name != "mixed":
                db.run(f"CREATE TABLE {name}_arrays (id bigint, tag integer, v {types[0]}[])")
                for layout, feature in (("cells", "integer"), ("words", "text")):
                    db.run(f"CREATE TABLE {name}_{layout} (id bigint, f {feature}, value {types[0]})")
        yield db


def written_there(db: Database, projection: Projection, of: Any, **options: Any) -> str:
    """The text that PostgreSQL's function of a projection writes."""
    return alike(str(db.run(f"SELECT {asking(projection, of, **options)}")[0][0]))


def alike(text: str) -> str:
    """A text without what differs."""
    for pattern, by in DIFFER.values():
        text = re.sub(pattern, by, text)
    return text


def there(db: Database, layout: str, kind: str, keep: bool) -> Wide | Array | Long:
    """The source; the functions write the schema of its table, so it is named with it."""
    kept = ["tag"] if keep else []
    if layout == "arrays":
        return Array(f"{db.schema}.{kind}_arrays", "v", keep=kept, n_features=N)
    if layout in LONG:
        return Long(f"{db.schema}.{kind}_{layout}", "id", "f", "value", n_features=N if layout == "cells" else None)
    if layout == "named":
        return Wide(f"{db.schema}.{kind}", features=[f"f '{j}" for j in range(N)], keep=kept)
    return Wide(f"{db.schema}.{kind}", keep=['a "label"', *kept] if keep else ["tag"])


@pairwise(
    factors(
        lambda method, layout, kind, output, dtype, lowering, keep, **_: (
            (output != "bits" or dtype == "auto")
            and (layout != "arrays" or kind != "mixed")
            and (layout not in LONG or (lowering == "relational" and kind != "mixed" and not keep))
            and (layout != "words" or method not in NEEDING)
        ),
        method=list(PG_METHODS),
        layout=["wide", "named", "arrays", *LONG],
        kind=list(PG_TYPES),
        output=["columns", "array", "long", "bits"],
        nulls=["propagate", "zero", "error"],
        lowering=["inline", "relational"],
        scale=[True, False],
        dtype=["auto", "float32"],
        keep=[True, False],
    )
)
def test_the_text_of_postgresql_is_python_s(
    market: Database,
    method: str,
    layout: str,
    kind: str,
    output: str,
    nulls: str,
    lowering: str,
    scale: bool,
    dtype: str,
    keep: bool,
) -> None:
    projection, of = PG_METHODS[method], there(market, layout, kind, keep)
    options: dict[str, Any] = {"lowering": lowering, "output": output, "nulls": nulls, "scale": scale, "dtype": dtype}
    assert written_there(market, projection, of, **options) == alike(
        sqlrp.sql(projection, of, market.connection, **options)
    )


@pairwise(
    factors(
        lambda output, dtype, layout, kind, **_: (
            (output != "bits" or dtype == "auto") and (layout != "arrays" or kind != "mixed")
        ),
        method=list(PG_POOLED),
        layout=["wide", "arrays"],
        kind=list(PG_TYPES),
        output=["columns", "array", "long", "bits"],
        nulls=["propagate", "zero", "error"],
        lowering=["inline", "relational"],
        scale=[True, False],
        dtype=["auto", "float32"],
    )
)
def test_the_text_of_pooling_in_postgresql_is_python_s(
    market: Database,
    method: str,
    layout: str,
    kind: str,
    output: str,
    nulls: str,
    lowering: str,
    scale: bool,
    dtype: str,
) -> None:
    of = there(market, "named" if layout == "wide" else layout, kind, False)
    options: dict[str, Any] = {"lowering": lowering, "output": output, "nulls": nulls, "scale": scale, "dtype": dtype}
    assert written_there(market, PG_POOLED[method], of, **options) == alike(
        sqlrp.sql(PG_POOLED[method], of, market.connection, **options)
    )


def test_the_functions_write_what_python_refuses(market: Database) -> None:
    """More entries than a subquery has columns: 8,436 monomials."""
    projection, of = METHODS["explicit-cubic"], there(market, "named", "doubles", False)
    text = written_there(market, projection, of, lowering="inline")
    assert "CAST(ARRAY[" in text
    market.run(text)
    with pytest.raises(sqlrp.UnsupportedError, match="columns, more than the 1,664 that postgresql holds"):
        sqlrp.sql(projection, of, market.connection, lowering="inline")
