"""The limits of the engines: every check of a limit at it and one beyond."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from cases import DATABASES
from databases import DOUBLES, Database
from helpers import assert_one_line

from sqlrp import HadamardProjection, LimitError, SourceError, SparseProjection, TensorSketch, UnsupportedError, Wide
from sqlrp._core.numbers import DOUBLE, WHOLE
from sqlrp._core.options import Options
from sqlrp._core.sources import Array
from sqlrp._dialects.dialect import Column, ColumnType, Dialect, Limits
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering import convolutions, sums_sql
from sqlrp._lowering.expression import expression
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import find
from sqlrp._lowering.partial_sums import share
from sqlrp._lowering.planner import plan
from sqlrp._lowering.sums_sql import Components
from sqlrp._run.bind import resolve
from sqlrp.stages import Convolved

STATED = {
    name: {field: figure for field, figure in asdict(engine.limits).items() if isinstance(figure, int)}
    for name, engine in ENGINES.items()
}
"""The limits of each engine. The snapshot `facts.txt` holds these figures as they were reviewed."""
KEPT = 2
"""The key and the kept column of `job_of`."""

each = pytest.mark.parametrize("name", ENGINES)


def job_of(name: str, projection: Any = None, features: int = 3, **options: Any) -> Job:
    source = Wide("t", features=[f"f{j}" for j in range(features)], keep=["label"])
    frame = resolve(source, None, ENGINES[name])
    return Job.of(projection or SparseProjection(k=2, s=1), frame, ENGINES[name], Options(**options))


def limited(monkeypatch: pytest.MonkeyPatch, name: str, **limits: int | None) -> Dialect:
    engine = ENGINES[name]
    monkeypatch.setattr(type(engine), "limits", replace(engine.limits, **limits))
    return engine


@each
def test_a_name_in_another_case_is_found_where_the_engine_says_so(name: str) -> None:
    columns = [Column("id", ColumnType("BIGINT", WHOLE)), Column("a", ColumnType("DOUBLE", DOUBLE))]
    source = Wide("t", features=["A"])
    if ENGINES[name].folding != "exact":
        assert resolve(source, columns, ENGINES[name]).names == ("a",)
    else:
        with pytest.raises(SourceError, match="'A'"):
            resolve(source, columns, ENGINES[name])


@each
def test_text_keys_have_folds_where_the_engine_has_md5(name: str) -> None:
    key = Column("k", ColumnType("VARCHAR(9)", is_text=True))
    if not ENGINES[name].has_md5:
        with pytest.raises(UnsupportedError, match=f"{name} has no md5, so that SQL computes no folds"):
            sums_sql.fold_text(ENGINES[name], key, 3, seed=1)
    else:
        assert "md5" in sums_sql.fold_text(ENGINES[name], key, 3, seed=1)[0].lower()


@pytest.mark.parametrize("name", [name for name, stated in STATED.items() if "columns" in stated])
def test_a_result_has_as_many_columns_as_are_held(name: str) -> None:
    k = STATED[name]["columns"] - KEPT

    def said(k: int) -> str:
        try:
            plan(job_of(name, SparseProjection(k=k, s=1), output="columns"))
        except LimitError as error:
            return str(error)
        return ""

    assert f"k = {k + 1} makes {k + 1 + KEPT} columns" in said(k + 1)
    assert "makes" not in said(k)


@pytest.mark.parametrize("name", STATED)
def test_one_statement_has_as_many_terms_as_are_held(name: str) -> None:
    inline, most = find("inline"), STATED[name]["terms"]
    for terms, refused in ((most, False), (most + 1, True)):
        job = job_of(name)
        job.__dict__["inline_terms"] = terms
        assert (f"{terms:,} terms are more than the {most:,} of one" in inline.excess(job, True)) == refused
        assert bool(inline.excess(job, False)) == (refused and not ENGINES[name].has_temporary)


@pytest.mark.parametrize("more", [0, 1])
def test_products_are_text_as_long_as_they_fit(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    job = job_of("clickhouse", TensorSketch(k=4, seed=1))
    limited(monkeypatch, "clickhouse", terms=job.factors - more)
    assert bool(find("indexed").excess(job, False)) == bool(more)


@pytest.mark.parametrize("more", [0, 1])
@each
def test_decisions_have_as_many_terms_as_are_held(monkeypatch: pytest.MonkeyPatch, name: str, more: int) -> None:
    engine, coefficients, intercepts = limited(monkeypatch, name, terms=3 * 4 + 3 - more), np.ones((3, 4)), np.ones(3)

    def query() -> str:
        return sums_sql.said_query(Components(engine, "r"), 0, ["a", "b", "c"], (coefficients, intercepts))

    if more:
        with pytest.raises(LimitError, match="3 decisions on 4 components are 15 terms, more than the 14"):
            query()
    else:
        assert query()


@pytest.mark.parametrize("columns", [6, 7, 20])
@each
def test_sums_are_taken_in_as_few_queries_as_columns_allow(
    monkeypatch: pytest.MonkeyPatch, name: str, columns: int
) -> None:
    engine, shift, k, n = limited(monkeypatch, name, columns=columns), np.zeros(12), 12, 2

    def widths(queries: Any, end: str) -> list[int]:
        return [query[: query.index(" FROM ")].count(end) for query in queries]

    room = columns - 4  # for the fold, the class, the count and the weight
    assert widths(sums_sql.mean_queries(engine, "r", k), "avg(") == pieces(k, room)
    assert widths(sums_sql.product_queries(engine, "r", shift), "sum(") == pieces(k + k * (k + 1) // 2, room)
    assert widths(sums_sql.class_queries(engine, "r", shift), "sum(") == pieces(k, room)
    moved = sums_sql.moved_queries(Components(engine, "r"), None, ["a", "b"], (np.ones((n, k)), np.ones(n)), shift)
    entries = max((columns - 3 * n - 5) // n, 1)  # for the decisions, and for their exponentials and moves
    assert widths(moved, "sum(") == [n * entries_ for entries_ in pieces(k + 1, entries)]


@pytest.mark.parametrize("name", DATABASES)
def test_the_greatest_of_any_number_of_decisions(db: Database, name: str) -> None:
    # A function has a limited number of arguments, and MariaDB's needs two; SQLite's is an aggregate of one.
    for n in (1, 2, 31, 32, 33, 34, 64, 65, 1_025):
        values = [(7 * i) % n for i in range(n)]
        best = sums_sql.greatest(db.engine, [db.engine.literal(float(value), DOUBLE) for value in values])
        assert [float(v) for (v,) in db.run_query(f"SELECT {best} AS best")] == [max(values)]


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_logistic_moves_of_any_number_of_decisions(db: Database, name: str, n: int) -> None:
    """Two decisions share 1 as more do; one alone is that of the second class against the first."""
    names = ["a", "b", "c"][: max(n, 2)]
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=(9, 2)), [names[i % len(names)] for i in range(9)]
    kind, text = DOUBLES[name], "String" if name == "clickhouse" else "VARCHAR(9)"
    db.make("r", [("x0", kind), ("x1", kind), ("y", text)], [[*row, c] for row, c in zip(x.tolist(), y, strict=True)])
    coefficients, intercepts, shift = rng.normal(size=(n, 2)), rng.normal(size=n), np.array([0.5, -0.25])
    rows, model = Components(db.engine, "r"), (coefficients, intercepts)
    (query,) = sums_sql.moved_queries(rows, None, names, model, shift, "logistic")
    ((*found,),) = db.run_query(query + db.engine.settings)
    d = x @ coefficients.T + intercepts
    own = np.array([[name == c for name in names[-n:]] for c in y])
    p = 1 / (1 + np.exp(-d)) if n == 1 else np.exp(d) / np.exp(d).sum(axis=1, keepdims=True)
    moved = d - (p - own) * (4 if n == 1 else 2) - own
    want = [moved.sum(axis=0), *(moved.T @ (x - shift)).T]
    np.testing.assert_allclose(np.array(found, dtype=float), np.concatenate(want), rtol=1e-9)


def pieces(count: int, size: int) -> list[int]:
    return [min(size, count - at) for at in range(0, count, size)]


@pytest.mark.parametrize("more", [0, 1])
@each
def test_a_statement_is_as_long_as_is_read(monkeypatch: pytest.MonkeyPatch, name: str, more: int) -> None:
    made = plan(job_of(name))
    script = made.script()
    limited(monkeypatch, name, characters=max(map(len, (*script.setup, script.query))) - more)
    if more:
        with pytest.raises(LimitError) as caught:
            made.script()
        assert_one_line(caught, f"that {name} reads: lower k")
    else:
        assert made.script() == script


@pytest.mark.parametrize("more", [0, 1])
def test_a_function_is_as_long_as_is_read(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    frame = resolve(Array("t", "x", n_features=3), None, ENGINES["trino"])
    job = Job.of(SparseProjection(k=2, s=1), frame, ENGINES["trino"], Options("array"))
    limited(monkeypatch, "trino", characters=len(expression(job)) - more)
    if more:
        with pytest.raises(LimitError, match=r"the function has .* characters, more than the"):
            expression(job)
    else:
        assert expression(job)


@pytest.mark.parametrize("name", [name for name, stated in STATED.items() if {"columns", "within"} & {*stated}])
def test_rounds_of_partial_sums_leave_room_for_the_other_columns(name: str) -> None:
    stated = STATED[name]
    (step,) = job_of(name).steps
    within = stated.get("columns", stated.get("within", 0))
    held = stated.get("row", 8 * within) // 8  # numbers of 8 bytes
    assert step.most == min(within, held) - KEPT - 2  # for the row number, and for ok


def test_a_round_is_as_wide_as_a_subquery() -> None:
    matrix = job_of("duckdb", SparseProjection(k=40, s=1, seed=1), 16).steps[0].matrix
    width = len(share(matrix).rounds[0].left)
    assert len(share(matrix, width).rounds) == 1
    assert not share(matrix, width - 1).rounds
    stage = Convolved(64, 2)
    widest = convolutions.written(64).widest + 64
    assert convolutions.splits(stage, DOUBLE, ENGINES["duckdb"], widest)
    assert not convolutions.splits(stage, DOUBLE, ENGINES["duckdb"], widest - 1)


@pytest.mark.parametrize(("cut", "stored"), [(False, None), (True, None), (True, 30), (False, 30)])
def test_the_widest_subquery_has_as_many_columns_as_are_held(
    monkeypatch: pytest.MonkeyPatch, cut: bool, stored: int | None
) -> None:
    # A stored row of a step may hold fewer columns than a subquery.
    inline, name = find("inline"), "postgresql"
    bound = stored if cut and stored else 40
    for features in range(20, 45):
        limited(monkeypatch, name, columns=40, stored=stored)
        job = job_of(name, features=features)
        job.__dict__["inline_terms"] = 100_001 if cut else 10
        # The features, a constant, the kept columns, ok and the row number.
        assert bool(inline.excess(job, False)) == (features + 1 + KEPT + 2 > bound), features


@each
def test_a_layer_of_a_transform_is_no_wider_than_a_subquery(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    inline = find("inline")
    for columns, refused in ((64 + KEPT + 2, False), (64 + KEPT + 1, True)):
        limited(monkeypatch, name, columns=columns, stored=None, terms=10**6)
        job = job_of(name, HadamardProjection(k=2, seed=1), 40)
        assert bool(inline.excess(job, False)) == refused


def test_limits_name_their_source() -> None:
    for engine in ENGINES.values():
        assert isinstance(engine.limits, Limits)
        assert engine.limits.source
