"""Searches that say which rows are sure: against numpy on every engine, and against brute force on many queries."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cases import ARRAYS, DATABASES
from helpers import assert_one_line
from scipy.stats import beta
from searched import called

import sqlrp
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering.least_distances import CHANCE, error_of
from sqlrp._projections.rounding import Rounding
from sqlrp._store import stored

D, ROWS = 7, 90
METRICS = ("l2", "cosine", "inner")
Floats = npt.NDArray[np.float64]
_CANDIDATES = re.compile(r"\((SELECT sqlrp_candidate, sqlrp_least\n.* OR sqlrp_near IS NULL)\) c", re.DOTALL)
"""The candidates in the text of a search that takes as many as there can be."""


def rotation(d: int, hadamard: bool = False, seed: int = 3) -> sqlrp.Projection:
    """One of all rotations, or of three transforms."""
    if not hadamard:
        return sqlrp.OrthonormalProjection(k=d, seed=seed)
    padded = 1 << (d - 1).bit_length()
    return sqlrp.Chained(of=tuple(sqlrp.HadamardProjection(k=padded, seed=seed + i) for i in range(3)))


def rows(n: int = ROWS, seed: int = 0) -> Floats:
    """Rows of some directions more than of others, of which each tenth stands twice, as every engine reads them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, D)) * np.linspace(6, 1, D) + np.linspace(1, 3, D)
    x[9::10] = x[8::10]
    return np.round(x, 3)


def apart(metric: str, x: Floats, asked: Floats) -> Floats:
    """The true distances, shape (vectors, rows)."""
    if metric == "l2":
        return np.asarray(np.sqrt(((x[None] - asked[:, None]) ** 2).sum(axis=2)))
    products = asked @ x.T
    if metric == "inner":
        return np.asarray(-products)
    return np.asarray(1 - products / np.linalg.norm(asked, axis=1)[:, None] / np.linalg.norm(x, axis=1))


def least(metric: str, codes: Any, x: Floats, asked: Floats, greatest: bool = False) -> Floats:
    """The least distances that the rows can have, in the units of the rows: those of "l2" are squared.

    `greatest`: the greatest ones.
    """
    side = -1 if greatest else 1
    plain, rounding = codes.of
    step, shift = float(rounding.arrays["step"][0]), rounding.code_shift
    centre = rounding.arrays["offset"]
    w, v = (np.asarray(sqlrp.project(plain, each)) for each in (x, asked))
    z = w - centre
    stands = step * (np.asarray(sqlrp.project(codes, x)) + shift)
    along = (z * stands).sum(axis=1)
    square = (z**2).sum(axis=1)
    factor = np.divide(square, along, out=np.zeros(len(z)), where=along != 0)
    t = error_of(plain.k, CHANCE / 2 if metric == "cosine" else CHANCE)
    reach = t * np.sqrt(np.abs(factor**2 * (stands**2).sum(axis=1) - square) + 1e-6 * square)
    if metric == "l2":
        q = v - centre
        lengths = np.linalg.norm(q, axis=1)[:, None]
        products = factor * (q @ stands.T) + side * lengths * reach
        return np.asarray(square * (1 - side * 1e-6) + lengths**2 - 2 * products)
    lengths = np.linalg.norm(v, axis=1)[:, None]
    most = factor * (v @ stands.T) + (v @ centre)[:, None] + side * lengths * reach
    if metric == "inner":
        return np.asarray(-most)
    own = square + 2 * factor * (stands @ centre) + centre @ centre
    spread = 2 * np.linalg.norm(centre) * reach + 1e-6 * np.abs(own)
    with np.errstate(invalid="ignore", divide="ignore"):
        short, long = 1 - most / lengths / np.sqrt(own - spread), 1 - most / lengths / np.sqrt(own + spread)
    return np.where(side * most < 0, long, np.where(own > spread, short, -side * 1e300))


def expected(metric: str, bounds: Floats, true: Floats, n: int, candidates: int) -> tuple[Floats, list[bool]]:
    """The distances of the n nearest candidates, and which are sure."""
    chosen = np.argsort(bounds, kind="stable")[:candidates]
    limit = np.inf if len(bounds) < candidates else bounds[chosen].max()
    near = np.sort(true[chosen])[:n]
    return near, [bool(each <= limit) for each in (near**2 if metric == "l2" else near)]


def filled(db: Any, x: Floats, name: str = "near", nulls: bool = True) -> str:
    """A table of rows, and one with NULL."""
    kind, whole = {"clickhouse": ("Float64", "Int64")}.get(db.name, ("DOUBLE PRECISION", "BIGINT"))
    kind = "DOUBLE" if db.name == "spark" else kind
    made = [[i, *row] for i, row in enumerate(x.tolist())] + [[len(x), None, *x[0, 1:].tolist()]] * nulls
    db.make(name, [("id", whole), *((f"f{j}", kind) for j in range(D))], made)
    return name


def outputs(name: str) -> list[Any]:
    return ["columns", *(["array"] if name in ARRAYS else []), *(["vector"] if name == "duckdb" else [])]


def coded(plain: sqlrp.Projection, bits: int, x: Floats) -> sqlrp.Chained:
    """Codes around the mean, in steps that are alike on every engine."""
    z = np.asarray(sqlrp.project(plain, x))
    centre = np.round(z.mean(axis=0), 2)
    step, most = {2: (3.0, 1), 4: (1.5, 7), 8: (0.125, 127)}[bits]
    return sqlrp.Chained(of=(plain, Rounding.of(plain.k, step, most, centre, even=bits == 2)))


@pytest.mark.parametrize(("bits", "hadamard"), [(2, False), (4, True), (8, False)])
@pytest.mark.parametrize("name", DATABASES)
def test_what_is_sure_is_what_numpy_says(db: Any, name: str, bits: int, hadamard: bool) -> None:
    x, asked = rows(), rows(5, 1)
    source, codes = filled(db, x), coded(rotation(D, hadamard), bits, x)
    said: set[bool] = set()
    for output in outputs(name):
        sqlrp.materialize(codes, source, db.connection, "kept", output=output, correct=True, replace=True)
        for metric in METRICS:
            bounds, true = least(metric, codes, x, asked), apart(metric, x, asked)
            for candidates in (6, 12, 40, ROWS, ROWS + 1):
                want = [expected(metric, *both, 6, candidates) for both in zip(bounds, true, strict=True)]
                options: Any = {"n": 6, "candidates": candidates, "metric": metric, "sure": True}
                found = sqlrp.search(db.connection, "kept", asked, **options)
                assert found.column_names == ["query", "id", "distance", "sure"]
                got = found["distance"].to_numpy().reshape(5, 6)
                assert np.allclose(got, [near for near, _ in want], rtol=1e-6, atol=1e-6), (output, metric)
                assert found["sure"].to_pylist() == [each for _, sure in want for each in sure], (
                    output,
                    metric,
                    candidates,
                )
                said |= set(found["sure"].to_pylist())
            one = sqlrp.search(db.connection, "kept", asked[0], n=6, candidates=40, metric=metric, sure=True)  # type: ignore[arg-type]
            near, sure = expected(metric, bounds[0], true[0], 6, 40)
            assert np.allclose(one["distance"].to_numpy(), near, rtol=1e-6, atol=1e-6)
            assert one["sure"].to_pylist() == sure
    assert said == {True, False}


@pytest.mark.parametrize(("bits", "hadamard"), [(2, False), (4, True), (8, False)])
@pytest.mark.parametrize("name", DATABASES)
def test_the_errors_choose_the_candidates(db: Any, name: str, bits: int, hadamard: bool) -> None:
    """They are those of numpy, and all rows found are the nearest of all, and sure."""
    x, asked, n = rows(), rows(5, 1), 6
    source, codes, con = filled(db, x), coded(rotation(D, hadamard), bits, x), db.connection
    for output in outputs(name):
        sqlrp.materialize(codes, source, con, "kept", output=output, correct=True, replace=True)
        for metric in METRICS:
            true = np.sort(apart(metric, x, asked))
            options: Any = {"candidates": None, "metric": metric, "sure": True}
            found = sqlrp.search(con, "kept", asked, n=n, **options)
            assert np.allclose(found["distance"].to_numpy().reshape(5, n), true[:, :n], rtol=1e-6, atol=1e-6)
            assert all(found["sure"].to_pylist())
            one = sqlrp.open_search(con, "kept", **options)(asked[0], n=n - 2, offset=2)
            assert np.allclose(one["distance"].to_numpy(), true[0, 2:n], rtol=1e-6, atol=1e-6)
            assert all(one["sure"].to_pylist())

            text = sqlrp.search_sql(con, "kept", asked[0], n=n, **options)
            candidates = _CANDIDATES.search(text)
            assert candidates is not None
            limit = np.sort(least(metric, codes, x, asked[:1], greatest=True)[0])[n - 1]
            inside = least(metric, codes, x, asked[:1])[0] <= limit
            assert sorted(row[0] for row in db.run_query(candidates[1])) == np.flatnonzero(inside).tolist()
            assert n <= inside.sum() <= (ROWS if bits < 8 else ROWS // 3)


@pytest.mark.parametrize("metric", METRICS)
def test_rows_of_length_0_are_candidates(con: Any, metric: Any) -> None:
    """Their angle with a vector is NULL, and as what it counts is told by the rows themselves."""
    x = rows()
    x[:20] = 0
    con.execute(f"CREATE TABLE near (id BIGINT, {', '.join(f'f{j} DOUBLE' for j in range(D))})")
    con.executemany(
        f"INSERT INTO near VALUES ({', '.join('?' * (D + 1))})", [[i, *r] for i, r in enumerate(x.tolist())]
    )
    sqlrp.materialize(coded(rotation(D), 8, x), "near", con, "kept", output="columns", correct=True)
    given: dict[str, Any] = {"n": 8, "metric": metric, "sure": True}
    found = sqlrp.search(con, "kept", x[50], candidates=None, **given)
    assert found["distance"] == sqlrp.search(con, "kept", x[50], candidates=ROWS, **given)["distance"]
    assert all(found["sure"].to_pylist())


@pytest.mark.parametrize("name", DATABASES)
def test_every_way_to_ask_shows_it(db: Any, name: str) -> None:
    x = rows()
    source, codes = filled(db, x), coded(rotation(D), 8, x)
    asked = filled(db, rows(3, 1), "asked", nulls=False)
    sqlrp.materialize(codes, source, db.connection, "kept", output="columns", correct=True, replace=True)
    bounds, true = least("l2", codes, x, rows(3, 1)), apart("l2", x, rows(3, 1))
    given: dict[str, Any] = {"n": 4, "sure": True}
    found = sqlrp.search(db.connection, "kept", vectors=asked, candidates=10, **given)
    want = [expected("l2", *both, 4, 10) for both in zip(bounds, true, strict=True)]
    assert found["sure"].to_pylist() == [each for _, sure in want for each in sure]

    near = sqlrp.open_search(db.connection, "kept", keep=["f1"], where="id < 50", candidates=10, sure=True)
    assert repr(near).endswith("keep=['f1'], where='id < 50', sure=True)")
    chosen = expected("l2", bounds[0, :50], true[0, :50], 6, 10)
    found = near(rows(3, 1)[0], n=4, offset=2)
    assert found.column_names == ["id", "f1", "distance", "sure"]
    assert np.allclose(found["distance"].to_numpy(), chosen[0][2:])
    assert found["sure"].to_pylist() == chosen[1][2:]

    text = sqlrp.search_sql(db.connection, "kept", rows(3, 1)[0], candidates=10, **given)
    assert [bool(row[-1]) for row in db.run_query(text)] == want[0][1]

    like = sqlrp.search(db.connection, "kept", like=3, candidates=10, **given)
    assert like["id"].to_pylist().count(3) == 0
    several = sqlrp.search(db.connection, "kept", like=[3, 4], candidates=11, **given)
    assert several.column_names == ["query", "id", "distance", "sure"]
    assert several["id"].to_pylist()[:4] == like["id"].to_pylist()


FUNCTIONS = [name for name in DATABASES if ENGINES[name].has_searches]


@pytest.mark.parametrize(("bits", "hadamard"), [(2, False), (4, True), (8, False)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_search_says(db: Any, name: str, bits: int, hadamard: bool) -> None:
    """The same distances are sure, row by row, with as many candidates and with others, and after a new table."""
    x, asked, con = rows(), rows(2, 1), db.connection
    source, codes = filled(db, x), coded(rotation(D, hadamard), bits, x)
    made: dict[str, Any] = {"sure": True, "replace": True, "trust_schema": name == "postgresql"}
    said: set[bool] = set()
    for output in outputs(name):
        sqlrp.materialize(codes, source, con, "kept", output=output, correct=True, replace=True)
        for metric, candidates, where in zip(METRICS, (6, ROWS + 1, 12), (None, "id < 50", None), strict=True):
            given: dict[str, Any] = {"metric": metric, "where": where}
            sqlrp.create_search(con, "kept", "surely", candidates=candidates, **given, **made)
            for vector in asked:
                found = sqlrp.search(con, "kept", vector, n=6, candidates=candidates, sure=True, **given)
                got = called(db, "surely", vector, n=6)
                assert np.allclose([row[1] for row in got], found["distance"], rtol=1e-9, atol=1e-9)
                assert [row[2] for row in got] == found["sure"].to_pylist(), (output, metric, candidates)
                said |= set(found["sure"].to_pylist())
        sqlrp.materialize(codes, source, con, "kept", output=output, correct=True, replace=True)
        assert [row[2] for row in called(db, "surely", vector, n=6)] == found["sure"].to_pylist()
        if name != "clickhouse":
            want = sqlrp.search(con, "kept", vector, n=6, candidates=7, sure=True, metric="inner")
            assert [row[2] for row in called(db, "surely", vector, n=6, candidates=7)] == want["sure"].to_pylist()
    assert said == {True, False}
    sqlrp.drop_search(con, "surely")


def test_a_function_that_cannot_be_sure_is_refused_as_its_search(con: Any) -> None:
    con.execute("CREATE TABLE near AS SELECT range AS id, random() AS f0, random() AS f1 FROM range(50)")
    sqlrp.materialize(sqlrp.SparseProjection(k=8, s=1), "near", con, "kept", output="bits")
    said = []
    for call in (
        lambda: sqlrp.search(con, "kept", [1, 2], sure=True),
        lambda: sqlrp.create_search(con, "kept", "surely", sure=True),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            call()
        said.append(str(caught.value))
    assert said[0] == said[1]
    with pytest.raises(sqlrp.ParameterError, match="sure = 1"):
        sqlrp.create_search(con, "kept", "surely", sure=1)  # type: ignore[arg-type]
    assert sqlrp.check(con) == []


def test_an_older_record_of_a_function_is_not_sure(con: Any) -> None:
    con.execute("CREATE TABLE near AS SELECT range AS id, random() AS f0, random() AS f1 FROM range(50)")
    sqlrp.materialize(sqlrp.SparseProjection(k=8, s=1), "near", con, "kept", output="bits", search="found")
    ((text,),) = con.execute("SELECT definition FROM sqlrp_catalogue WHERE kind = 'search'").fetchall()
    plain, whole = stored.unsealed(text)
    assert whole
    assert plain.pop("sure") is False
    older = stored.sealed(plain)
    con.execute("UPDATE sqlrp_catalogue SET definition = ? WHERE kind = 'search'", [older])
    assert sqlrp.check(con) == []
    sqlrp.materialize(sqlrp.SparseProjection(k=8, s=1), "near", con, "kept", output="bits", replace=True)
    assert [column[0] for column in con.execute("FROM found([1, 2])").description] == ["id", "distance"]


def made(kind: str, rng: np.random.Generator, n: int, d: int) -> Floats:
    """Rows of a kind."""
    if kind == "clustered":
        return np.asarray(rng.normal(size=(20, d))[rng.integers(20, size=n)] * 2 + rng.normal(size=(n, d)) / 2)
    x = rng.normal(size=(n, d))
    if kind == "sparse":
        x[rng.random((n, d)).argsort(axis=1) >= 3] = 0
    if kind == "two large":
        x[:, :2] *= 20
    return np.asarray(x)


@pytest.mark.parametrize(
    ("kind", "hadamard"),
    [
        ("random", False),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (("clustered", True), ("sparse", True), ("two large", False))
        ),
    ],
)
def test_what_is_sure_is_true_of_thousands_of_queries(con: Any, kind: str, hadamard: bool) -> None:
    """No answer is wrong: by the chance that is stated, one of these 1,800 is in one of 500 such tests, or in fewer."""
    d, n, m = 64, 1_000, 300
    rng = np.random.default_rng(1)
    x, asked = np.split(made(kind, rng, n + m, d), [n])
    con.execute(f"CREATE TABLE docs (id BIGINT, e DOUBLE[{d}])")
    con.executemany("INSERT INTO docs VALUES (?, ?)", [[i, row] for i, row in enumerate(x.tolist())])
    source = sqlrp.Array("docs", "e")
    said = []
    for bits in (3, 8):
        codes = sqlrp.rounded(rotation(d, hadamard), source, con, bits=bits)  # type: ignore[arg-type]
        sqlrp.materialize(codes, source, con, "kept", output="vector", correct=True, replace=True)
        for metric in METRICS:
            found = sqlrp.search(con, "kept", asked, n=10, candidates=60, metric=metric, sure=True)  # type: ignore[arg-type]
            near, sure = (found[column].to_numpy().reshape(-1, 10) for column in ("distance", "sure"))
            exact = np.sort(np.partition(apart(metric, x, asked), 10, axis=1)[:, :10], axis=1)
            assert np.allclose(near[sure], exact[sure], rtol=1e-9, atol=1e-9), (bits, metric)
            said.append(sure[:, -1].mean())
    assert max(said[3:]) == 1
    assert sum(said) > 1


@pytest.mark.parametrize("k", [7, 64, 384, 1_536])
def test_the_error_is_hardly_larger_than_the_sphere_has_it(k: int) -> None:
    for chance in (0.01, 1e-4, CHANCE):
        t = error_of(k, chance)
        exact = beta.sf(t**2, 0.5, (k - 2) / 2) / 2
        assert chance / 60 < exact <= chance * (1 + 1e-9)
    assert error_of(3) == error_of(2) == error_of(1) == 1


@pytest.mark.parametrize("kind", ["random", "clustered", "sparse", "two large"])
def test_errors_are_as_often_too_large_as_is_stated(kind: str) -> None:
    """Of 300 rotations, with a chance at which it can be counted."""
    d, chance = 32, 0.01
    rng = np.random.default_rng(2)
    x, asked = made(kind, rng, 20, d), made(kind, rng, 20, d)
    over = []
    for seed in range(300):
        for hadamard in (False, True):
            plain = sqlrp.project(rotation(d, hadamard, 10 * seed), np.vstack([x, asked]))
            z, q = np.split(np.asarray(plain), 2)
            step = np.sqrt((z**2).mean())
            stands = step * (np.clip(np.floor(z / step), -2, 1) + 0.5)
            factor = (z**2).sum(axis=1) / (z * stands).sum(axis=1)
            reach = np.sqrt(factor**2 * (stands**2).sum(axis=1) - (z**2).sum(axis=1))
            error = (q @ z.T - factor * (q @ stands.T)) / np.linalg.norm(q, axis=1)[:, None] / reach
            over.append((error > error_of(d, chance)).mean())
    assert np.mean(over) < chance


def test_what_cannot_be_sure_is_refused(con: Any) -> None:
    x = rows()
    con.execute(f"CREATE TABLE near (id BIGINT, {', '.join(f'f{j} DOUBLE' for j in range(D))})")
    con.executemany(
        f"INSERT INTO near VALUES ({', '.join('?' * (D + 1))})", [[i, *row] for i, row in enumerate(x.tolist())]
    )
    hadamard = sqlrp.HadamardProjection(k=8, seed=1)
    twice = sqlrp.Chained(of=(hadamard, sqlrp.HadamardProjection(k=8, seed=2)))
    less = sqlrp.OrthonormalProjection(k=6, seed=1)
    principal = sqlrp.fit(sqlrp.PrincipalComponents(k=D), "near", con)
    for plain in (hadamard, twice, less, principal, sqlrp.SparseProjection(k=D, s=1, seed=1)):
        codes = coded(plain, 4, x)
        sqlrp.materialize(codes, "near", con, "kept", correct=True, replace=True)
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.search(con, "kept", x[0], sure=True)
        assert_one_line(caught, "sure = True", "a rotation drawn at random", "sqlrp.OrthonormalProjection", "leave")
    codes = coded(rotation(D), 4, x)
    sqlrp.materialize(codes, "near", con, "plain", output="columns", replace=True)
    sqlrp.materialize(codes, "near", con, "kept", output="columns", correct=True, replace=True)
    packed = sqlrp.rounded(rotation(D), "near", con, bytes=16)
    sqlrp.materialize(packed, "near", con, "packed", output="bits", replace=True)
    for table, options, words in (
        ("plain", {}, ("no numbers that correct", "correct = True")),
        ("packed", {}, ("packed codes", "bits=")),
        ("kept", {"again": False}, ("again = False",)),
        ("kept", {"keep": ["sure"]}, ("keep = 'sure'", "column of the result")),
        ("kept", {"sure": 1}, ("sure = 1",)),
        ("kept", {"sure": False, "candidates": None}, ("candidates = None", "sure = True")),
        ("kept", {"candidates": 0}, ("candidates = 0",)),
    ):
        with pytest.raises(sqlrp.ParameterError) as caught:
            sqlrp.search(con, table, x[0], **{"sure": True, **options})
        assert_one_line(caught, *words)
    assert sqlrp.search(con, "kept", x[0], n=1).column_names == ["id", "distance"]
