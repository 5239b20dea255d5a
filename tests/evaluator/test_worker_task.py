"""The evaluation of jobs in processes that have numpy and pyarrow alone, for the workers of Spark. Spark is not needed.

The contract's cases run in such a process, which gets its code and its batches from here.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from bare_python import BarePython
from cases import EVERY, GROUPED, X, some_rows
from contract import assert_contract, stored
from cover import factors, pairwise
from databases import need_native_library
from evaluate import evaluate
from helpers import AT, METHODS, OUTPUTS, SHAPES, TWO, Cell, assert_close, cells, magnitude, oracle
from taking_part import need

from sqlrp import Array, Long, Projection, SparseProjection, Wide
from sqlrp._core.draw import Ints, hash_name
from sqlrp._core.options import Options
from sqlrp._core.shipped_code import shipped
from sqlrp._core.sources import Source
from sqlrp._dialects.dialect import Column
from sqlrp._engines.registry import ENGINES
from sqlrp._lowering import worker_task
from sqlrp._lowering.batches_sql import refusal, together, types
from sqlrp._lowering.job import Job
from sqlrp._lowering.worker_task import Task, portable
from sqlrp._run.bind import resolve
from sqlrp.stages import Linear, SignedSums, Stage, Weights

need("spark")

SPARK = ENGINES["spark"]
KINDS = {"double": pa.float64(), "float": pa.float32(), "integer": pa.int32(), "decimal": pa.decimal128(9, 3)}
NAMES = {pa.float64(): "double", pa.float32(): "float", pa.int32(): "int", pa.int64(): "bigint", pa.string(): "string"}


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BarePython]:
    process = BarePython(tmp_path_factory.mktemp("bare"))
    yield process
    process.close()


def table(layout: str, rows: Sequence[Sequence[Any]], kind: Any, ids: Sequence[Any] | None = None) -> pa.Table:
    """Rows as Arrow columns, sorted by the key."""
    ids = list(range(len(rows)) if ids is None else ids)
    if layout == "wide":
        return pa.table({"id": ids, **{f"f{j}": pa.array([r[j] for r in rows], kind) for j in range(len(rows[0]))}})
    if layout == "array":
        return pa.table({"id": ids, "x": pa.array([list(row) for row in rows], pa.list_(kind))})
    if layout == "arrays":
        parts = zip(TWO, (slice(AT), slice(AT, None)), strict=True)
        arrays = {name: pa.array([list(row[part]) for row in rows], pa.list_(kind)) for name, part in parts}
        return pa.table({"id": ids, **arrays})
    found = [
        (i, j, v) for i, row in zip(ids, rows, strict=True) for j, v in enumerate(row) if j == 0 or v is None or v != 0
    ]
    key, feature, value = zip(*found, strict=True)
    return pa.table({"id": key, "feature": pa.array(feature, pa.int32()), "value": pa.array(value, kind)})


def spark_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return f"array<{spark_type(kind.value_type)}>"
    return f"decimal({kind.precision},{kind.scale})" if pa.types.is_decimal(kind) else NAMES[kind]


def job_of(projection: Projection, rows: pa.Table, source: Source, **options: Any) -> Job:
    """The job of a table of Spark's with these columns."""
    columns = [Column(f.name, SPARK.read_type(spark_type(f.type))) for f in rows.schema]
    lengths = None
    if isinstance(source, Array):
        lengths = [len(next(v for v in rows.column(n).to_pylist() if v is not None)) for n in source.columns]
    frame = resolve(source, columns, SPARK, lengths, bound_to=projection.bound_to)
    return Job.of(projection, frame, SPARK, Options(**options))


SOURCES: dict[str, Source] = {
    "wide": Wide("t"),
    "array": Array("t", "x"),
    "arrays": Array("t", TWO),
    "long": Long("t", n_features=X.shape[1]),
}


def projected(bare: BarePython | None, job: Job, rows: pa.Table, batch: int = 5) -> dict[Any, list[Cell]]:
    """The outputs by key. The rows go in batches of `batch` rows, whether keys end there or not."""
    task = Task(job, together(job))
    batches = rows.combine_chunks().to_batches(batch)
    found = list(task(batches)) if bare is None else bare.call(shipped(task), batches)
    result = pa.Table.from_batches(found)
    kinds = types(job)
    for name in job.output_names:
        assert spark_type(result.schema.field(name).type).upper() == kinds[name]
    return cells(result, job.output, job.k, sparse=job.frame.layout == "long")


@pairwise(
    factors(
        method=list(EVERY),
        layout=SHAPES,
        output=OUTPUTS,
        nulls=["propagate", "zero", "error"],
        kind=list(KINDS),
        scale=[True, False],
    )
)
def test_contract(bare: BarePython, method: str, layout: str, output: str, nulls: str, kind: str, scale: bool) -> None:
    def project(holes: bool) -> dict[Any, list[Cell]]:
        rows = table(layout, stored(kind, holes), KINDS[kind])
        job = job_of(EVERY[method], rows, SOURCES[layout], output=output, nulls=nulls, scale=scale)
        assert refusal(job) == ""
        return projected(bare, job, rows)

    assert_contract({"method": method, "nulls": nulls, "kind": kind, "scale": scale}, project)


@pytest.mark.parametrize("method", GROUPED)
@pytest.mark.parametrize("layout", ["wide", "array"])
def test_groups(bare: BarePython, method: str, layout: str) -> None:
    projection, groups = GROUPED[method], np.repeat(np.arange(4), [1, 7, 2, len(X) - 10])
    want = evaluate(projection.stages(X.shape[1]), X, np.arange(X.shape[1]), groups) * projection.factor(X.shape[1])
    rows = table(layout, X.tolist(), pa.float64(), groups.tolist())
    for batch in (1, 3, 100):
        got = projected(bare, job_of(projection, rows, SOURCES[layout]), rows, batch)
        assert_close(got, want, np.full(4, np.abs(want).max()))


@pytest.mark.parametrize("key", ["numbers", "words", "hole"])
def test_keys_end_anywhere(bare: BarePython, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setattr(worker_task, "_CELLS", 4)
    monkeypatch.setattr(worker_task, "_ENTRIES", 21)
    x, projection = some_rows(6, 40), METHODS["linear"]
    x[:, 0] = 1
    x[7] = x[8] = 1  # longer than what is read at a time
    names: list[Any] = list(range(40)) if key == "numbers" else [f"k{i:02}" for i in range(40)]
    if key == "hole":
        names[0] = None
    rows = table("long", x.tolist(), pa.float64(), names)
    job = job_of(projection, rows, Long("t", n_features=6), output="array")
    for batch in (1, 2, 7, 1000):
        got = projected(None, job, rows, batch)
        assert_close({names.index(name): z for name, z in got.items()}, oracle(projection, x), magnitude(projection, x))
    empty = table("wide", x.tolist(), pa.float64())
    assert list(Task(job_of(projection, empty, Wide("t")), None)(iter(()))) == []
    assert list(Task(job, "id")(rows.slice(0, 0).to_batches())) == []


@pytest.mark.parametrize(("entries", "sizes"), [(21, [3, 3, 3, 1]), (20, [2] * 5), (5, [1] * 10)])
@pytest.mark.parametrize("layout", ["wide", "array"])
@pytest.mark.parametrize("k", [7, 2])
def test_rows_are_evaluated_in_pieces_of_so_many_entries(
    monkeypatch: pytest.MonkeyPatch, layout: str, k: int, entries: int, sizes: list[int]
) -> None:
    # As many rows at a time as have so many features, or so many components if these are more.
    monkeypatch.setattr(worker_task, "_ENTRIES", entries)
    rows = table(layout, some_rows(7 if k == 2 else 2, 10).tolist(), pa.float64())
    task = Task(job_of(SparseProjection(k=k), rows, SOURCES[layout]), None)
    assert [part.num_rows for part in task.parts(rows.to_batches())] == sizes


def test_rows_of_a_key_do_not_wait_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_task, "_CELLS", 4)
    rows = table("long", np.ones((9, 2)).tolist(), pa.float64())
    task = Task(job_of(SparseProjection(k=2), rows, Long("t", n_features=2)), "id")
    sizes = [part.num_rows for part in task.parts(rows.to_batches(2))]
    assert sum(sizes) == 18
    assert max(sizes) <= 4


def test_text_features(bare: BarePython) -> None:
    words = ["cat", "Cat", "dög", "", " ", "x" * 60]
    x, projection = some_rows(len(words), 5), METHODS["linear"]
    found = [(i, w, float(x[i, j])) for i in range(5) for j, w in enumerate(words)]
    rows = pa.table(dict(zip(("id", "feature", "value"), map(list, zip(*found, strict=True)), strict=True)))
    numbers = np.array([hash_name(w) for w in words], dtype=np.int64)
    want, size = (f(projection, x, features=numbers) for f in (oracle, magnitude))
    assert_close(projected(bare, job_of(projection, rows, Long("t")), rows), want, size)


def test_rows_that_are_refused(bare: BarePython) -> None:
    rows = pa.table({"id": [0, 1], "x": [[1.0, 2.0], [1.0]]})
    with pytest.raises(RuntimeError, match="a list in 'x' has not the 2 elements of the others"):
        projected(bare, job_of(METHODS["linear"], rows, Array("t", "x")), rows)
    rows = table("long", X.tolist(), pa.float64())
    with pytest.raises(RuntimeError, match="positions count from 0"):
        projected(bare, job_of(METHODS["linear"], rows, Long("t", n_features=8)), rows)


@dataclass(frozen=True)
class Halves(Linear):
    """Sums of a stage of a user's own."""

    exact = False

    @property
    def n_outputs(self) -> int:
        return 2

    def matrix(self, features: Ints) -> Weights:
        return np.stack([features % 2 == 0, features % 2 == 1], axis=1) * 0.5

    def terms(self, n_features: int) -> float:
        return n_features


@dataclass(frozen=True)
class Own(Projection):
    """A method of a user's own, which no other process knows."""

    made: tuple[Stage, ...] = (Halves(),)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return self.made

    def factor(self, n_features: int | None) -> float:
        return 3.0


class Unknown(SignedSums):
    """A stage whose tables nobody draws."""

    def drawn(self, features: Ints) -> Any:
        return self


def test_methods_of_a_user(bare: BarePython) -> None:
    x = some_rows(6, 8)
    rows = table("wide", x.tolist(), pa.float64())
    job = job_of(Own(k=2), rows, Wide("t"))
    assert refusal(job) == ""
    want = 1.5 * np.stack([x[:, ::2].sum(axis=1), x[:, 1::2].sum(axis=1)], axis=1)
    assert_close(projected(bare, job, rows), want, np.abs(x).sum(axis=1))
    assert refusal(job_of(Own(k=2, made=(Unknown(2, 1, 0),)), rows, Wide("t"))) == (
        "the workers do not know the stage Unknown"
    )


def test_only_the_stages_travel() -> None:
    rows = table("wide", X.tolist(), pa.float64())
    job = job_of(SparseProjection(k=3, s=1), rows, Wide("t"))
    sent = portable(job)
    assert sent.dialect is None
    assert (sent.stages, sent.factor, sent.kinds) == (job.stages, job.factor, job.kinds)
    assert job.dialect is SPARK


def test_tasks_of_another_text_have_modules_of_their_own(bare: BarePython, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlrp._core import shipped_code

    rows = table("wide", X.tolist(), pa.float64())
    job = job_of(METHODS["linear"], rows, Wide("t"))
    before = projected(bare, job, rows)

    def changed(names: frozenset[str]) -> bytes:
        found = shipped_code._texts(names)
        name = "sqlrp._lowering.worker_task"
        found[name] = (
            False,
            found[name][1].replace(
                "yield from _plain(", "raise ValueError('another text')\n            yield from _plain("
            ),
        )
        return zlib.compress(repr(found).encode())

    monkeypatch.setattr(shipped_code, "_packed", changed)
    with pytest.raises(RuntimeError, match="another text"):
        projected(bare, job, rows)
    monkeypatch.undo()
    assert projected(bare, job, rows) == before


def test_the_native_library_travels(bare: BarePython) -> None:
    need_native_library()
    rows = table("wide", np.resize(X, (3000, X.shape[1])).tolist(), pa.float64())
    job = job_of(METHODS["linear"], rows, Wide("t"))
    projected(bare, job, rows, 3000)

    def look(_: Any) -> Iterator[pa.RecordBatch]:
        import sys

        names = [name for name in sys.modules if name.endswith("._core.native_library")]  # of each text
        yield pa.record_batch({"name": names, "there": [sys.modules[name].library() is not None for name in names]})

    (found,) = bare.call(look, [])
    assert found.num_rows
    assert all(row["there"] and not row["name"].startswith("sqlrp") for row in found.to_pylist())


def test_what_is_installed_is_used_if_it_is_the_same() -> None:
    rows = table("wide", X.tolist(), pa.float64())
    job = job_of(METHODS["linear"], rows, Wide("t"))
    function, seen = shipped(Task(job, None)), []
    monkey = pytest.MonkeyPatch()
    monkey.setattr(Task, "__call__", lambda self, batches: iter(seen.append(type(self)) or []))
    try:
        assert list(function(rows.to_batches())) == []
    finally:
        monkey.undo()
    assert seen == [Task]
