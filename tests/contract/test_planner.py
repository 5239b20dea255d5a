"""The planner's choices: they follow from costs, sizes, threads and memory, and are near the fastest recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from helpers import LOWERINGS, METHODS, Staged, assert_one_line, load, planned

import sqlrp
from sqlrp import (
    Array,
    LimitError,
    Long,
    PolynomialKernelProjection,
    Projection,
    SparseProjection,
    UnsupportedError,
    Wide,
)
from sqlrp._core.sources import Output, Source
from sqlrp._dialects.dialect import Column
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering import batches_sql
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import find
from sqlrp._lowering.planner import ASSUMED_ROWS, estimate, plan, work
from sqlrp._run.bind import resolve
from sqlrp._run.explanation import Explanation
from sqlrp.stages import Normalise, SignedSums

Connection = duckdb.DuckDBPyConnection

DUCKDB = ENGINES["duckdb"]


def chosen(projection: Projection, d: int, rows: int | None) -> str:
    return planned(projection, d, rows).chosen.lowering


@pytest.mark.parametrize("rows", [100_000, 1_000_000, 60_000_000])
@pytest.mark.parametrize(
    "projection",
    [
        SparseProjection(k=64),
        SparseProjection(k=64, s=3),
        SparseProjection(k=8, s=1),
        PolynomialKernelProjection(k=100, s=28, t=4),
    ],
    ids=lambda p: p.name,
)
def test_many_rows_and_moderate_terms_are_inlined(projection: Projection, rows: int) -> None:
    assert chosen(projection, 784, rows) == "inline"


@pytest.mark.parametrize("rows", [1, 2, 5, 10])
def test_few_rows_do_not_pay_for_a_long_text(rows: int) -> None:
    projection = SparseProjection(k=80, s=3)
    assert 20_000 <= planned(projection, 784, rows).job.terms < 21_000
    assert chosen(projection, 784, rows) != "inline"


@pytest.mark.parametrize("s", [1, 3, "sqrt"])
@pytest.mark.parametrize(("d", "k"), [(10, 4), (784, 64), (784, 500), (5000, 100)])
def test_a_million_wide_rows_are_never_joined(d: int, k: int, s: float | str) -> None:
    assert chosen(SparseProjection(k=k, s=s), d, 1_000_000) != "relational"


def test_inline_wins_as_rows_grow() -> None:
    # Once it is chosen it stays so: its cost per row is the least, its start the greatest.
    projection = PolynomialKernelProjection(k=100, s=3, t=10)
    choices = [chosen(projection, 300, 10**n) for n in range(8)]
    assert choices[0] != "inline"
    assert choices[-1] == "inline"
    first = choices.index("inline")
    assert set(choices[first:]) == {"inline"}


def test_rows_that_are_not_counted_are_assumed() -> None:
    projection = SparseProjection(k=64)
    assumed, given_rows = planned(projection, 784, None), planned(projection, 784, ASSUMED_ROWS)
    assert assumed.estimates == given_rows.estimates


def test_estimates_follow_from_the_costs() -> None:
    result = planned(SparseProjection(k=50, s=10), 100, 5000)  # too sparse to share sums
    assert [e.lowering for e in result.estimates] == list(LOWERINGS)
    costs = DUCKDB.costs
    assert result.job.terms == 500
    for e in result.estimates:
        assert e.refusal == ""
        moved = costs.read[e.lowering]["wide"] * 5000 * 100 + costs.write[e.lowering]["columns"] * 5000 * 50
        assert e.run_seconds == pytest.approx(costs.run[e.lowering] * 5000 * 500 + moved)
        assert e.seconds == e.plan_seconds + e.run_seconds
        stated = 500 if e.lowering == "inline" else 0  # terms are text
        drawn = 0 if e.lowering == "inline" else costs.draw[e.lowering] * 100 * 50
        named = costs.plan_feature[e.lowering] * 100 + costs.plan_term[e.lowering] * stated
        named += costs.state[e.lowering]["columns"] * 50
        assert e.plan_seconds == pytest.approx(costs.start[e.lowering] + named + drawn)
    assert result.chosen == min(result.estimates, key=lambda e: e.seconds)
    assert not result.asked


def test_every_cell_takes_the_terms_of_its_feature() -> None:
    frame = resolve(Long("t", n_features=300), None, DUCKDB)
    job = Job(SparseProjection(k=50, s=1), replace(frame, rows=1_000, cells=70_001), DUCKDB)
    assert work(job, "relational")["run",] == 70_001 * 50


@pytest.mark.parametrize("source", [Wide("t", features=["a", "b", "c"]), Long("t", n_features=3)])
@pytest.mark.parametrize("closes", [False, True])
def test_closing_stages_read_every_component_as_a_column(source: Source, closes: bool) -> None:
    frame = replace(resolve(source, None, DUCKDB), cells=9 if isinstance(source, Long) else None)
    projection = Staged(4, made=(SignedSums(4, 1, seed=1), *([Normalise()] if closes else [])))
    done = work(Job(projection, frame, DUCKDB, "array"), "relational")
    assert {part[1]: amount for part, amount in done.items() if part[0] == "state"} == {
        "columns" if closes else "array": 4.0
    }


@pytest.mark.parametrize(("output", "written"), [("long", 48), ("array", 16), ("columns", 16)])
@pytest.mark.parametrize(
    ("source", "read"), [(Wide("t", features=["a", "b", "c"]), 16 * 3), (Long("t", n_features=9), 72)]
)
def test_rows_are_read_in_as_many_parts_as_fit_a_share_of_memory(
    source: Source, read: int, output: Output, written: int
) -> None:
    job = Job(SparseProjection(k=5), resolve(source, None, DUCKDB), DUCKDB, output)
    rows, keys = 1_000, 100
    needed = rows * read + keys * 5 * written
    for count in (1, 2, 3):
        # A quarter of the memory is the share of a part.
        assert batches_sql.parts(job, rows, keys, 4 * -(-needed // count)) == count
        assert batches_sql.parts(job, rows, keys, 4 * (-(-needed // count) - 1)) == count + 1


def test_a_refused_lowering_has_no_time() -> None:
    frame = resolve(Long("t", n_features=300), None, DUCKDB)
    refused = [e for e in plan(Job(SparseProjection(k=5), frame, DUCKDB)).estimates if e.refusal]
    assert {e.lowering for e in refused} >= {"inline", "indexed"}
    assert all((e.plan_seconds, e.run_seconds, e.seconds) == (0, 0, 0) for e in refused)


def test_the_text_of_rows_that_are_evaluated_in_batches_is_that_of_sql() -> None:
    source = Wide("t", features=[f"f{j}" for j in range(50)])
    for name in ("duckdb", "spark"):
        engine = ENGINES[name]
        job = Job(SparseProjection(k=400, s=1), resolve(source, None, engine, None, 10**7), engine)
        for lowering in ("auto", "native"):
            made = plan(job, lowering, here=True)
            assert (made.chosen.lowering, made.streamed) == ("native", True)
            plain = [e for e in made.estimates if find(e.lowering).plain and not e.refusal]
            assert made.lowering.name == min(plain, key=lambda e: e.seconds).lowering


@pytest.mark.parametrize(
    ("d", "rows", "projection", "fastest"),
    [
        (60, 100_000, SparseProjection(k=16, s=3), "inline"),
        (60, 1_000_000, SparseProjection(k=16, s=3), "inline"),
        (60, 200_000, SparseProjection(k=64), "inline"),
        (400, 60_000, SparseProjection(k=64), "inline"),
        (784, 60_000, SparseProjection(k=64), "inline"),
        (200, 60_000, SparseProjection(k=64, s=3), "native"),
        (200, 150_000, SparseProjection(k=256), "native"),
    ],
)
def test_spark_sums_few_terms_and_leaves_many_to_its_workers(
    d: int, rows: int, projection: Projection, fastest: str
) -> None:
    """The fastest of each job as it was measured with Spark 4.3."""
    engine = ENGINES["spark"]
    frame = resolve(Wide("t", features=[f"f{j}" for j in range(d)]), None, engine, None, rows)
    assert plan(Job(projection, frame, engine), here=True).chosen.lowering == fastest


def test_dot_products_have_a_cost_of_their_own() -> None:
    result, costs = planned(sqlrp.GaussianProjection(k=50), 100, 5000), DUCKDB.costs
    (indexed,) = (e for e in result.estimates if e.lowering == "indexed")
    moved = costs.read["indexed"]["wide"] * 5000 * 100 + costs.write["indexed"]["columns"] * 5000 * 50
    assert indexed.run_seconds == pytest.approx(costs.dot["indexed"] * 5000 * 100 * 50 + moved)


def running(job: Job) -> dict[str, float]:
    """The seconds to run of every lowering that can be used, also in this process."""
    return {e.lowering: e.run_seconds for e in plan(job, here=True).estimates if not e.refusal}


@pytest.mark.parametrize(
    ("rows", "threads", "times"),
    [
        (1_000, 8, 1.0),
        (122_880, 8, 1.0),  # one row group, which one thread reads
        (2 * 122_880, 8, 2.0),
        (184_320, 2, 1.5),  # one and a half: the whole one takes longest
        (5 * 122_880, 2, 5 / 3),  # three groups after one another, and two beside them
        (80 * 122_880, 8, 8.0),
        (10_000_000, None, 1.0),
    ],
)
def test_only_whole_row_groups_are_read_side_by_side(rows: int, threads: int | None, times: float) -> None:
    frame = resolve(Wide("t", features=["a", "b", "c"]), None, DUCKDB, None, rows)
    alone = running(Job(SparseProjection(k=2), frame, DUCKDB))
    shared = running(Job(SparseProjection(k=2), replace(frame, threads=threads), DUCKDB))
    assert set(shared) == {*LOWERINGS, "native"}
    for lowering in LOWERINGS:
        assert alone[lowering] / shared[lowering] == pytest.approx(times)


def test_two_threads_read_a_table_of_two_granules_of_clickhouse() -> None:
    engine = ENGINES["clickhouse"]
    frame = resolve(Wide("t", features=["a", "b", "c"]), None, engine, None, 2 * 8_192)
    alone, shared = (running(Job(SparseProjection(k=2), replace(frame, threads=n), engine)) for n in (1, 8))
    assert {name: alone[name] / shared[name] for name in alone} == pytest.approx(dict.fromkeys(engine.lowerings, 2.0))


def test_two_threads_read_what_all_of_them_evaluate() -> None:
    frame = resolve(Wide("t", features=[f"f{j}" for j in range(50)]), None, DUCKDB, None, 1_000)
    projection, costs = SparseProjection(k=40, s=1), DUCKDB.costs
    alone, shared = (running(Job(projection, replace(frame, threads=n), DUCKDB))["native"] for n in (1, 4))
    read, written = costs.read["native"]["wide"] * 1_000 * 50, costs.write["native"]["columns"] * 1_000 * 40
    assert 0 < shared - read / 1.4 - written == pytest.approx((alone - read - written) / 4)


def test_other_engines_do_not_say_how_they_share_rows() -> None:
    others = [name for name, engine in ENGINES.items() if not engine.row_group]
    assert len(others) > 10
    for name in others:
        frame = resolve(Wide("t", features=["a", "b"]), None, ENGINES[name], None, 10**6)
        one, many = (
            plan(Job(SparseProjection(k=2), replace(frame, threads=n), ENGINES[name])).estimates for n in (1, 8)
        )
        assert one == many


def test_threads_and_memory_are_the_settings_of_the_connection(own: Connection) -> None:
    source = load(own, "long", [[1.0, 2.0]])
    own.execute("SET threads = 3; SET memory_limit = '2GiB'")
    frame = sqlrp.explain(METHODS["linear"], source, own).plan.job.frame
    assert (frame.threads, frame.memory) == (3, 2 << 30)


@pytest.mark.parametrize("output", ["array", "long"])
def test_cells_that_do_not_fit_in_memory_are_read_once_for_each_part(output: Output) -> None:
    source, cells, costs = Long("t", n_features=30_000), 10**8, DUCKDB.costs
    frame = resolve(source, None, DUCKDB, None, cells)
    projection = SparseProjection(k=256)
    # A cell takes 72 bytes, and an output 16, or 48 in long rows: a quarter of the memory holds a part of them.
    bytes_ = 72 * cells + (48 if output == "long" else 16) * 256 * (cells // 100)
    once = running(Job(projection, replace(frame, memory=4 * bytes_), DUCKDB, output))["native"]
    assert once == running(Job(projection, frame, DUCKDB, output))["native"]
    for parts in (2, 5):
        memory = 4 * bytes_ // parts + 4
        job = Job(projection, replace(frame, memory=memory), DUCKDB, output)
        skipped = (parts - 1) * cells * costs.skip["native"]["long"]
        assert running(job)["native"] == pytest.approx(once + skipped)
        assert f"reading the source {parts} times" in str(Explanation(plan(job, here=True)))


def test_a_terabyte_of_cells_is_not_read_hundreds_of_times() -> None:
    frame = resolve(Long("t", n_features=30_000), None, DUCKDB, None, 5 * 10**10)
    job = Job(SparseProjection(k=256), replace(frame, threads=8, memory=20 * 10**9), DUCKDB, "array")
    assert plan(job, here=True).chosen.lowering == "relational"
    assert plan(Job(SparseProjection(k=256), replace(frame, cells=10**7), DUCKDB, "array"), here=True).streamed


@pytest.mark.parametrize("lowering", LOWERINGS)
def test_a_lowering_that_is_asked_for_is_used(con: Connection, lowering: str) -> None:
    source = load(con, "wide", [[1.0, 2.0]])
    explanation = sqlrp.explain(SparseProjection(k=2), source, con, lowering=lowering)
    assert explanation.lowering == lowering
    assert explanation.plan.asked
    assert "as asked" in str(explanation)


def test_long_rows_are_joined_in_sql(con: Connection) -> None:
    source = load(con, "long", [[1.0, 2.0]])
    for projection in (METHODS["linear"], METHODS["degree2"]):
        explanation = sqlrp.explain(projection, source, con, lowering="sql")
        assert explanation.lowering == "relational"
        assert [e.refusal == "" for e in explanation.plan.estimates] == [False, False, True]
        estimates = sqlrp.explain(projection, source, con).plan.estimates
        assert [e.lowering for e in estimates if not e.refusal] == ["relational", "native"]
    with pytest.raises(UnsupportedError):
        sqlrp.explain(METHODS["linear"], source, con, lowering="inline")


def test_what_one_statement_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    projection = SparseProjection(k=2000, s=10)
    rows = 10**9
    assert planned(projection, 1000, rows).chosen.lowering == "inline"
    single = planned(projection, 1000, rows, single_statement=True)
    assert single.chosen.lowering != "inline"
    assert "200,000 terms" in single.estimates[0].refusal
    assert "100,000" in single.estimates[0].refusal
    with pytest.raises(UnsupportedError) as caught:
        planned(projection, 1000, rows, single_statement=True, lowering="inline")
    assert_one_line(caught, "200,000 terms", "lowering = 'auto'")
    monkeypatch.setattr(DuckDB, "lowerings", ("inline",))
    with pytest.raises(LimitError) as limited:
        planned(projection, 1000, rows, single_statement=True)
    assert_one_line(limited, "inline: 200,000 terms", "duckdb has no indexed lowering")


SURVEY = json.loads((Path(__file__).parents[1] / "bench" / "results" / "survey.json").read_text())["jobs"]
"""CPU seconds of every lowering, as `python tests/bench/survey.py --measure` found them."""
SLOW = [job for job in SURVEY if min(job["seconds"][n] or 9 for n in LOWERINGS if n in job["seconds"]) > 0.05]
FEW = [job for job in SURVEY if job["rows"] == 5 and job["output"] == "long"]


@pytest.mark.parametrize("at", range(len(SLOW)))
def test_the_choice_is_near_the_fastest_recorded(at: int) -> None:
    recorded = SLOW[at]
    wide, rows, d = recorded["layout"] == "wide", recorded["rows"], recorded["features"]
    columns = [Column(f"f{j}", DUCKDB.read_type("DOUBLE")) for j in range(d)]
    columns = columns if wide else [Column("x", DUCKDB.read_type("DOUBLE[]"))]
    source = Wide("t", key=None) if wide else Array("t", "x", key=None)
    frame = resolve(source, columns, DUCKDB, None if wide else [d], rows)
    projection = sqlrp.from_json(json.dumps(recorded["projection"]))
    seconds = {n: s for n, s in recorded["seconds"].items() if n in LOWERINGS}
    taken = seconds[plan(Job(projection, frame, DUCKDB, recorded["output"])).chosen.lowering]
    assert taken is not None
    assert taken <= 1.6 * min(s for s in seconds.values() if s is not None)  # the worst of them takes 1.53 times


@pytest.mark.parametrize("recorded", FEW, ids=lambda job: job["projection"]["k"])
def test_many_components_of_few_long_rows_are_soon_evaluated(recorded: dict[str, Any]) -> None:
    columns = [Column(f"f{j}", DUCKDB.read_type("DOUBLE")) for j in range(recorded["features"])]
    frame = resolve(Wide("t", key=None), columns, DUCKDB, None, recorded["rows"])
    job = Job(sqlrp.from_json(json.dumps(recorded["projection"])), frame, DUCKDB, "long")
    assert estimate(job, "native") <= 2 * recorded["seconds"]["native"]
    assert plan(job, here=True).chosen.lowering == "native"


@pytest.mark.parametrize("name", ENGINES)
def test_auto_is_what_the_engine_holds(name: str) -> None:
    engine = ENGINES[name]
    bounds = [n for n in (engine.limits.columns, engine.limits.stored) if n is not None]
    source = Wide("t", features=["a", "b"], keep=["label"])
    past: Output = "array" if engine.has_arrays else "long"
    cases: list[tuple[int, Output]] = [(5000, "columns")]
    if bounds:
        cases = [(min(bounds) - 2, "columns"), (min(bounds) - 1, past)]  # key and label are columns too
    for k, shape in cases:
        projection = SparseProjection(k=k, s=1)
        text = sqlrp.sql(projection, source, name, output="auto")
        assert text == sqlrp.sql(projection, source, name, output=shape)
        said = str(sqlrp.explain(projection, source, name, output="auto"))
        held = f"{min(bounds):,} are held" if bounds else "no limit is stated"
        assert f"  output    {shape}: {k + 2:,} columns, {held}" in said
        assert "  output " not in str(sqlrp.explain(projection, source, name, output=shape))


@pytest.mark.parametrize("output", ["array", "long"])
def test_more_sums_than_a_row_holds_are_not_inlined(con: Connection, output: Output) -> None:
    # DuckDB planned for minutes, and then failed: "tuple width exceeds block size".
    source, projection = load(con, "wide", [[1.0, 2.0]] * 5), SparseProjection(k=100_000, s=1)
    explained = sqlrp.explain(projection, source, con, output=output)
    assert explained.lowering != "inline"
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.sql(projection, source, con, output=output, lowering="inline")
    assert_one_line(caught, "columns, more than the 32,000", "lowering = 'auto'")


def test_integers_of_more_than_64_bits_take_more_work_in_this_process() -> None:
    """Python adds them up, and the kernel in C the others."""

    def terms(kind: str) -> float:
        columns = [Column(name, DUCKDB.read_type(kind)) for name in "abc"]
        frame = resolve(Wide("t", key=None), columns, DUCKDB, None, 1_000)
        found = work(Job(SparseProjection(k=2), frame, DUCKDB, scale=False), "native")
        return found["run",] + found.get(("dot",), 0.0)

    assert terms("HUGEINT") >= 2 * terms("INTEGER") > 0


def test_rows_that_are_evaluated_together_are_read_in_as_many_parts_as_asked_for() -> None:
    frame = resolve(Long("t", n_features=9), None, DUCKDB)
    job = Job(SparseProjection(k=2), frame, DUCKDB)
    for count in (2, 3, 7):
        queries = batches_sql.buckets(job, count)
        assert len(set(queries)) == count
    assert batches_sql.buckets(job, 1) == [batches_sql.reading(job)]
