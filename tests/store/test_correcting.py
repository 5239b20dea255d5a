"""Codes with two numbers beside each row, by which a search estimates distances: against numpy on every engine."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import ARRAYS, DATABASES
from helpers import assert_one_line
from sklearn.datasets import make_low_rank_matrix
from sklearn.decomposition import PCA

import sqlrp
from sqlrp._engines.registry import ENGINES
from sqlrp._projections.rounding import Rounding

D, K, ROWS = 7, 5, 60
METRICS = ("l2", "cosine", "inner")
PACKED, WIDTHS, REACH = 0, np.array([7, 8, 1, 2, 3]), 160.0
"""Stands for codes that are packed in words, with the bits of each component and what the words tell of lengths."""
Floats = npt.NDArray[np.float64]


def rows(n: int = ROWS, seed: int = 0) -> Floats:
    """Rows near a subspace, away from 0, rounded so that every engine reads the same."""
    made = make_low_rank_matrix(n, D, effective_rank=4, random_state=seed)
    return np.round(made * 30 + np.linspace(1, 2, D), 3)


def filled(db: Any, x: Floats, name: str = "near", nulls: bool = False) -> str:
    kind, whole = {"clickhouse": ("Float64", "Int64")}.get(db.name, ("DOUBLE PRECISION", "BIGINT"))
    kind = "DOUBLE" if db.name == "spark" else kind
    made = [[i, *row] for i, row in enumerate(x.tolist())]
    if nulls:
        made.append([len(x), None, *x[0, 1:].tolist()])
    db.make(name, [("id", whole), *((f"f{j}", kind) for j in range(D))], made)
    return name


def coded(bits: int, principal: bool) -> tuple[sqlrp.Chained, sqlrp.Projection, float, Floats]:
    """The codes, the projection before them, the step and what is subtracted."""
    plain: Any = sqlrp.PrincipalComponents(k=K).fit(rows()) if principal else sqlrp.SparseProjection(k=K, s=1, seed=3)
    offset = np.array([0.25, -0.5, 0.0, 1.0, 0.125])
    step = {2: 5.0, 4: 0.5, PACKED: 2.0}[bits]
    rounding = Rounding.of(K, step, {2: 1, 4: 7, PACKED: 127}[bits], offset, even=bits != 4)
    if bits == PACKED:
        rounding = rounding.packed(WIDTHS, REACH)
    return sqlrp.Chained(of=(plain, rounding)), plain, step, offset


def oracle(bits: int, principal: bool, x: Floats, asked: Floats) -> tuple[Floats, Floats, dict[str, Floats]]:
    """The factors, the squares and the estimated distances, by numpy and scikit-learn.

    The estimates are those of the rows without their centre: their inner products, plus what the centre adds.
    """
    _, plain, step, offset = coded(bits, principal)
    z, q = (np.asarray(sqlrp.project(plain, each)) - offset for each in (x, asked))
    if bits == 2:
        levels = step * np.array([-1.5, -0.5, 0.5, 1.5])
        stands = levels[np.abs(z[:, :, None] - levels).argmin(axis=2)]
    elif bits == PACKED:
        ends = 2.0 ** (WIDTHS - 1)
        stands = step * (np.clip(np.floor(z / step), -ends, ends - 1) + 0.5)
    else:
        stands = step * np.clip(np.floor(z / step + 0.5), -7, 7)
    along = (z * stands).sum(axis=1)
    factor = np.where(along > 0, (z**2).sum(axis=1) / np.where(along > 0, along, 1), 0)
    factor = in_words(factor, 1.0) if bits == PACKED else factor
    products = factor * (q @ stands.T)
    if principal:
        pca = PCA(K).fit(rows())
        scale = np.sqrt(rows().var(axis=0).sum() / pca.transform(rows()).var(axis=0).sum())
        directions = np.asarray(sqlrp.project(plain, pca.mean_ + np.eye(D))) / scale  # of this package's signs
        centre = pca.mean_ + directions @ offset / scale
        unit = scale**2 / step**2
        square = ((x - centre) ** 2).sum(axis=1)
        square = in_words(square, REACH / 16 / unit) if bits == PACKED else square
        lone = ((asked - centre) ** 2).sum(axis=1)
        products = products / scale**2
        with_centre = factor * ((asked - centre) @ directions @ stands.T + centre @ directions @ stands.T) / scale
        with_centre += (asked @ centre)[:, None]
        lengths = np.linalg.norm(asked, axis=1)
        own = square + 2 * factor * (centre @ directions @ stands.T) / scale + centre @ centre
    else:
        unit = 1 / step**2
        square, lone = (z**2).sum(axis=1), (q**2).sum(axis=1)
        square = in_words(square, REACH / 16 / unit) if bits == PACKED else square
        with_centre = factor * ((q + offset) @ stands.T) + ((q + offset) @ offset)[:, None]
        lengths = np.linalg.norm(q + offset, axis=1)
        own = square + 2 * factor * (stands @ offset) + offset @ offset
    distances = {
        "l2": np.sqrt(np.maximum(square + lone[:, None] - 2 * products, 0)),
        "inner": -with_centre,
        "cosine": 1 - with_centre / np.sqrt(np.abs(own)) / lengths[:, None],
    }
    return factor, square * unit, distances


def in_words(numbers: Floats, unit: float) -> Floats:
    """Numbers as 16 bits keep them, of which 4,096 are a unit."""
    return np.asarray(np.clip(np.floor(numbers / unit * 4096 + 0.5), 0, 65535) / 4096 * unit)


def unpacked(words: Floats) -> tuple[Floats, Floats]:
    """The codes and the two numbers of rows of words: the wide ones first, from the top, in the first with room."""
    room, found = [63] * words.shape[1], {}
    for name, width in [("factor", 16), ("square", 16), *sorted(enumerate(WIDTHS), key=lambda each: -each[1])]:
        word = next(i for i, left in enumerate(room) if left >= width)
        room[word] -= int(width)
        found[name] = (words[:, word] // 2 ** room[word] % 2 ** int(width)).astype(float)
    codes = [found[j] - 2 ** (int(width) - 1) for j, width in enumerate(WIDTHS)]
    return np.column_stack(codes), np.column_stack([found["factor"] / 4096, found["square"] / 4096 * REACH / 16])


def outputs(name: str, bits: int = 2) -> list[Any]:
    if bits == PACKED:
        return ["bits"]
    vector = ["vector"] if name == "duckdb" else []
    return ["columns", *(["array"] if name in ARRAYS else []), *vector]


def distances_of(found: Any, asked: Floats) -> Floats:
    got = np.full((len(asked), ROWS), np.nan)
    got[found["query"].to_numpy(), found["id"].to_numpy()] = found["distance"].to_numpy()
    return got


@pytest.mark.parametrize(("bits", "principal"), [*itertools.product((2, 4, PACKED), (True, False))])
@pytest.mark.parametrize("name", DATABASES)
def test_distances_are_the_estimates_of_numpy(db: Any, name: str, bits: int, principal: bool) -> None:
    x, asked = rows(), rows(4, 1)
    source, made = filled(db, x, nulls=True), coded(bits, principal)[0]
    factor, square, want = oracle(bits, principal, x, asked)
    for turn, output in enumerate(outputs(name, bits)):
        sqlrp.materialize(made, source, db.connection, "kept", output=output, correct=True, replace=True)
        named = "b0" if bits == PACKED else "sqlrp_factor, sqlrp_square"
        numbers = np.array(db.run_query(f"SELECT {named} FROM kept WHERE id < 60 ORDER BY id"), dtype=object)
        if bits == PACKED:
            codes, numbers = unpacked(numbers)
            assert (codes == np.asarray(sqlrp.project(made, x))).all()
        assert np.allclose(numbers.astype(float), np.column_stack([factor, square]), rtol=1e-5), output
        for metric in METRICS:
            options: Any = {"metric": metric, "again": False}
            got = distances_of(sqlrp.search(db.connection, "kept", asked, n=99, **options), asked)
            assert np.allclose(got, want[metric], rtol=1e-5, atol=2e-4), (output, metric)
            if metric != METRICS[(turn + bits // 2 + principal) % 3]:
                continue
            one = sqlrp.search(db.connection, "kept", asked[0], n=7, **options)
            assert np.allclose(one["distance"].to_numpy(), np.sort(want[metric][0])[:7], rtol=1e-5, atol=2e-4)
            [first] = sqlrp.search(db.connection, "kept", asked[1], n=1, candidates=1, metric=metric)["id"].to_pylist()
            assert want[metric][1, first] <= want[metric][1].min() + 2e-4


@pytest.mark.parametrize(("metric", "bits"), [*((metric, 2) for metric in METRICS), ("l2", PACKED)])
@pytest.mark.parametrize("name", DATABASES)
def test_many_queries_find_equal_keys_on_every_engine(db: Any, name: str, metric: Any, bits: int) -> None:
    """Those of numpy in double precision, in their order."""
    asked = rows(250, 2)
    source, made = filled(db, rows()), coded(bits, True)[0]
    sqlrp.materialize(made, source, db.connection, "kept", output=outputs(name, bits)[0], correct=True, replace=True)
    found = sqlrp.search(db.connection, "kept", asked, n=10, metric=metric, again=False)
    keys = found["id"].to_numpy().reshape(250, 10)
    ranked = oracle(bits, True, rows(), asked)[2][metric]
    assert (keys == np.argsort(ranked, axis=1, kind="stable")[:, :10]).all()


@pytest.mark.parametrize(("bits", "principal"), [(2, True), (2, False), (PACKED, True)])
@pytest.mark.parametrize("name", [name for name in DATABASES if ENGINES[name].has_searches])
def test_functions_search_by_the_estimates(db: Any, name: str, bits: int, principal: bool) -> None:
    x, asked = rows(), rows(2, 1)
    source, made = filled(db, x), coded(bits, principal)[0]
    want = oracle(bits, principal, x, asked)[2]
    trusting: dict[str, Any] = {"replace": True, "trust_schema": name == "postgresql"}
    for output in outputs(name, bits):
        sqlrp.materialize(made, source, db.connection, "kept", output=output, correct=True, replace=True)
        for metric in METRICS:
            sqlrp.create_search(db.connection, "kept", "near_one", metric=metric, candidates=1, **trusting)  # type: ignore[arg-type]
            for i, query in enumerate(asked):
                given = ", ".join(map(repr, query.tolist()))
                call = {
                    "duckdb": f"near_one([{given}], n := 1)",
                    "postgresql": f"near_one(ARRAY[{given}], n := 1)",
                    "clickhouse": f"near_one(query = [{given}], n = 1)",
                }[name]
                [(found,)] = db.run_query(f"SELECT id FROM {call}")
                assert want[metric][i, int(found)] <= want[metric][i].min() + 2e-4, (output, metric)
    sqlrp.drop_search(db.connection, "near_one")


@pytest.mark.parametrize("track", [None, "rows"])
@pytest.mark.parametrize("name", DATABASES)
def test_a_refresh_keeps_the_numbers_in_line(db: Any, name: str, track: str | None) -> None:
    if name == "spark":
        track = None
    x = rows()
    source, made = filled(db, x[:40]), coded(2, True)[0]
    sqlrp.materialize(made, source, db.connection, "kept", correct=True, track=track, replace=True)
    db.run(f"INSERT INTO {source} VALUES " + ", ".join(str((i, *x[i].tolist())) for i in range(40, ROWS)))
    assert int(sqlrp.refresh(db.connection, "kept")) == 20
    factor, square, _ = oracle(2, True, x, x[:1])
    numbers = db.run_query("SELECT sqlrp_factor, sqlrp_square FROM kept ORDER BY id")
    assert np.allclose(np.array(numbers, dtype=float), np.column_stack([factor, square]), rtol=1e-5)
    sqlrp.refresh(db.connection, "kept", everything=True)
    assert db.run_query("SELECT sqlrp_factor, sqlrp_square FROM kept ORDER BY id") == numbers
    assert not [found for found in sqlrp.check(db.connection) if found.name.endswith("kept")]


@pytest.mark.parametrize("name", DATABASES)
def test_null_read_as_zero_is_part_of_the_numbers(db: Any, name: str) -> None:
    x = rows()
    source, made = filled(db, x, nulls=True), coded(2, True)[0]
    sqlrp.materialize(made, source, db.connection, "kept", correct=True, nulls="zero", replace=True)
    last = np.concatenate([[0.0], x[0, 1:]])
    want = [value[0] for value in oracle(2, True, last[None], x[:1])[:2]]
    [numbers] = db.run_query("SELECT sqlrp_factor, sqlrp_square FROM kept WHERE id = 60")
    assert np.allclose(np.array(numbers, dtype=float), want, rtol=1e-5)
    [found] = sqlrp.search(db.connection, "kept", last, n=1)["id"].to_pylist()
    assert found == 60


@pytest.mark.parametrize("name", ["duckdb", "postgresql"])
def test_a_view_has_the_numbers(db: Any, name: str) -> None:
    x, asked = rows(), rows(2, 1)
    kind: Any = "view" if name == "duckdb" else "materialized view"
    source, made = filled(db, x), coded(4, False)[0]
    for output in outputs(name):
        sqlrp.materialize(made, source, db.connection, "seen", kind=kind, output=output, correct=True, replace=True)
        got = distances_of(sqlrp.search(db.connection, "seen", asked, n=ROWS, again=False), asked)
        assert np.allclose(got, oracle(4, False, x, asked)[2]["l2"], rtol=1e-5, atol=2e-4)
    db.run(f"DROP {'VIEW' if name == 'duckdb' else 'MATERIALIZED VIEW'} seen")


@pytest.mark.parametrize("kind", ["INTEGER", "FLOAT", "DECIMAL(9, 3)"])
@pytest.mark.parametrize("lists", ["[]", "[7]"])
def test_every_type_of_numbers_is_read(con: Any, kind: str, lists: str) -> None:
    x = np.round(rows() * 10)
    con.execute(f"CREATE TABLE docs (id BIGINT, e {kind}{lists})")
    con.executemany("INSERT INTO docs VALUES (?, ?)", [[i, row] for i, row in enumerate(x.tolist())])
    plain = sqlrp.PrincipalComponents(k=K).fit(x)
    made = sqlrp.Chained(of=(plain, Rounding.of(K, 30.0, 1, even=True)))
    found = []
    for lowering in ("inline", "native", "relational"):
        options: Any = {"lowering": lowering, "correct": True, "replace": True}
        sqlrp.materialize(made, sqlrp.Array("docs", "e"), con, "kept", output="array", **options)
        found.append(np.array(con.sql("SELECT sqlrp_factor, sqlrp_square FROM kept ORDER BY id").fetchall()))
    square = ((x - x.mean(axis=0)) ** 2).sum(axis=1)
    for each in found:
        assert np.allclose(each, found[0], rtol=1e-5)
        assert np.allclose(each[:, 1] / square, each[0, 1] / square[0], rtol=1e-5)


@pytest.mark.parametrize("lowering", ["inline", "native", "relational"])
@pytest.mark.parametrize("layout", ["wide", "array"])
def test_every_lowering_and_layout_gives_the_same_codes(con: Any, lowering: str, layout: str) -> None:
    x = rows()
    values = ", ".join(f"({i}, {', '.join(map(repr, row))})" for i, row in enumerate(x.tolist()))
    con.execute(f"CREATE TABLE wide (id BIGINT, {', '.join(f'f{j} DOUBLE' for j in range(D))})")
    con.execute(f"INSERT INTO wide VALUES {values}")
    con.execute(f"CREATE TABLE docs AS SELECT id, [{', '.join(f'f{j}' for j in range(D))}]::DOUBLE[{D}] AS e FROM wide")
    made, source = coded(2, True)[0], sqlrp.Array("docs", "e") if layout == "array" else "wide"
    found = []
    for correct in (False, True):
        sqlrp.materialize(made, source, con, "kept", output="vector", correct=correct, lowering=lowering, replace=True)
        found.append(con.sql("SELECT id, z FROM kept ORDER BY id").fetchall())
    assert found[0] == found[1]
    assert [row[:2] for row in con.sql("DESCRIBE kept").fetchall()] == [
        ("id", "BIGINT"),
        ("z", f"TINYINT[{K}]"),
        ("sqlrp_factor", "FLOAT"),
        ("sqlrp_square", "FLOAT"),
    ]
    factor, square, _ = oracle(2, True, x, x[:1])
    numbers = np.array(con.sql("SELECT sqlrp_factor, sqlrp_square FROM kept ORDER BY id").fetchall())
    assert np.allclose(numbers, np.column_stack([factor, square]), rtol=1e-5)


def test_a_search_that_is_made_with_the_table_corrects(con: Any) -> None:
    """Only new tables of rounded components do, where no index of vectors would be passed over."""
    source = filled_duckdb(con)
    made, plain = coded(4, True)[0], sqlrp.SparseProjection(k=4)
    asked: list[tuple[Any, dict[str, Any], bool]] = [
        (made, {"search": "near_it"}, True),
        (made, {"search": "near_it", "output": "vector"}, True),
        (made, {"search": "near_it", "output": "vector", "dtype": "float32"}, False),
        (made, {"search": "near_it", "correct": False}, False),
        (made, {}, False),
        (plain, {"search": "near_it"}, False),
    ]
    for projection, options, corrects in asked:
        sqlrp.materialize(projection, source, con, "kept", replace=True, **options)
        names = {row[0] for row in con.sql("DESCRIBE kept").fetchall()}
        assert ({"sqlrp_factor", "sqlrp_square"} <= names) == corrects, options


def test_an_estimate_is_nearer_than_the_code(con: Any) -> None:
    """Of rows that a drawn rotation spreads, the estimates have no bias; the distances of codes are too short."""
    rng = np.random.default_rng(5)
    x, k = rng.normal(size=(400, 32)), 32
    con.execute("CREATE TABLE docs AS SELECT 0::BIGINT AS id, NULL::DOUBLE[32] AS e LIMIT 0")
    con.executemany("INSERT INTO docs VALUES (?, ?)", [[i, row] for i, row in enumerate(x.tolist())])
    source = sqlrp.Array("docs", "e")
    codes = sqlrp.rounded(sqlrp.HadamardProjection(k=k, seed=7, padding="least"), source, con, bits=2)
    exact = ((x[None] - x[:50, None]) ** 2).sum(axis=2)
    apart = []
    for correct in (False, True):
        sqlrp.materialize(codes, source, con, "kept", output="vector", correct=correct, replace=True)
        found = sqlrp.search(con, "kept", x[:50], n=400, again=False)
        got = np.zeros((50, 400))
        got[found["query"].to_numpy(), found["id"].to_numpy()] = found["distance"].to_numpy()
        step = 1.0 if correct else float(codes.of[-1].arrays["step"][0])  # type: ignore[attr-defined]
        different = exact > 0
        apart.append(((got * step) ** 2 / np.where(different, exact, 1))[different].mean())
    assert abs(apart[1] - 1) < 0.01
    assert abs(apart[0] - 1) > 4 * abs(apart[1] - 1)


def test_what_cannot_be_corrected_is_refused(con: Any) -> None:
    source = filled_duckdb(con)
    made = coded(2, True)[0]
    for projection, options, words in (
        (sqlrp.SparseProjection(k=4), {}, "not rounded"),
        (made, {"output": "bits"}, "one row of components"),
        (made, {"output": "long"}, "one row of components"),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.materialize(projection, source, con, "kept", correct=True, **options)  # type: ignore[arg-type]
        assert_one_line(caught, "correct = True", words, "leave correct out")


def filled_duckdb(con: Any) -> str:
    con.execute(f"CREATE TABLE near (id BIGINT, {', '.join(f'f{j} DOUBLE' for j in range(D))})")
    con.executemany(
        f"INSERT INTO near VALUES ({', '.join('?' * (D + 1))})", [[i, *r] for i, r in enumerate(rows().tolist())]
    )
    return "near"
