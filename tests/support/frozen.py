"""The SQL of a covering choice of cases in every dialect, as files under `tests/snapshots/`.

`python tests/support/frozen.py` writes them; `tests/contract/test_frozen.py` fails if the SQL differs from the files.
A change of SQL is reviewed as the difference of these files. Dialects with the same text share one section. A refusal
is written in place of the SQL. One more file has the facts of each dialect.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from registered import unnamed
from sklearn.linear_model import LinearRegression

import sqlrp
from sqlrp import Array, Join, Long, Prepared, Projection, Wide
from sqlrp._core.errors import SqlrpError
from sqlrp._core.numbers import DOUBLE, FLOAT, Number
from sqlrp._core.sources import HOWS
from sqlrp._dialects.dialect import Column, ColumnType, Dialect
from sqlrp._engines.registry import ENGINES
from sqlrp._evaluator.moments import Moments
from sqlrp._learning.drift import Drift
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import LOWERINGS
from sqlrp._lowering.planner import plan_kept
from sqlrp._projections.chained import Scaling
from sqlrp._projections.held_arrays import pack
from sqlrp._projections.rounding import Rounding
from sqlrp._projections.sums_and_products import SumsAndProducts
from sqlrp._run.bind import refuse, resolve

FOLDER = Path(__file__).parents[1] / "snapshots"
DIGITS = re.compile(r"\d+\.\d{10,}(e-?\d+)?")
"""Numbers whose last digits differ between processors; nine digits are kept."""
NAMES = re.compile(r"\bsqlrp_[0-9a-f]{12}(?=_)")
"""Names of temporary tables, which are hashes of what they hold."""
D = 4
X = np.array([[1, 0, 2, -1], [0, 3, 1, 1], [2, -1, 0, 1], [1, 1, -2, 0], [0, 1, 1, 3.0]])
FEATURES = ["a", "b", "it's c", 'd "quoted"']
SOURCES: dict[str, Any] = {
    "wide": Wide("shop.images", features=FEATURES, keep=["label"]),
    "array": Array("documents", "embedding"),
    "long": Long("counts", key="doc", n_features=D),
    "words": Long("counts", key="doc", feature="word"),
}
OUTPUTS, NULLS = ("columns", "array", "long"), ("propagate", "zero", "error")
KINDS = {
    "doubles": DOUBLE,
    "integers of 8 bits": Number("int", 8),
    "floats": FLOAT,
    "decimals": Number("decimal", 30, 2),
}


WORKING = ("duckdb", "postgresql", "clickhouse")
"""The dialects whose work is counted: each has lowerings, arrays or costs that the others lack."""


@dataclass(frozen=True)
class Case:
    """What the SQL is of, and its text for a dialect."""

    about: str
    text: Callable[[str], str]


def methods() -> dict[str, Projection]:
    """Every method, small, its fitted numbers short."""
    rows = np.array([[1.0, 0.5], [0.25, -1.0], [-0.5, 2.0], [1.5, 1.0]])
    return {
        "sparse": sqlrp.SparseProjection(k=3, s=2, seed=1),
        "sparse_dense_signs": sqlrp.SparseProjection(k=6, s=1, seed=2),
        "gaussian": sqlrp.GaussianProjection(k=2, seed=1),
        "polynomial": sqlrp.PolynomialKernelProjection(k=2, s=1, t=2, degree=2, c=1, seed=3),
        "polynomial_degree3": sqlrp.PolynomialKernelProjection(k=2, s=2, t=1, degree=3, seed=3),
        "polynomial_gaussian": sqlrp.PolynomialKernelProjection(k=2, t=1, degree=2, vectors="gaussian", seed=3),
        "degree2": sqlrp.Degree2KernelProjection(k=2, s=1, m=2, seed=1),
        "degree2_modified": sqlrp.Degree2KernelProjection(k=2, s=1, m=2, modified=True, seed=1),
        "pooling": sqlrp.BilinearPooling(k=2, s=1, t=1, seed=1),
        "pooling_sums": sqlrp.BilinearPooling(k=2, s=1, t=1, normalise=False, seed=1),
        "subspace": sqlrp.RandomSubspace(k=2, seed=1),
        "subspace_householder": sqlrp.RandomSubspace(k=2, densify="householder", seed=1),
        "hadamard": sqlrp.HadamardProjection(k=3, seed=1),
        "embedding": sqlrp.SparseEmbedding(k=4, nnz_per_feature=2, seed=1),
        "maclaurin": sqlrp.RandomMaclaurin(k=2, degree=2, seed=1),
        "tensor_sketch": sqlrp.TensorSketch(k=3, degree=2, seed=1),
        "explicit": sqlrp.ExplicitPolynomialProjection(k=2, s=1, degree=2, seed=1),
        "data_tuned": sqlrp.DataTunedProjection(k=2, s=1, n_iter=5, seed=1).fit(X),
        "nystroem": short(sqlrp.NystroemProjection(k=2, sample=4, c=1.0).fit(X)),
        "kernel_gaussian": short(sqlrp.KernelGaussianProjection(k=2, t=2, sample=4).fit(X)),
        "principal_components": short(sqlrp.PrincipalComponents(k=2, sample=5).fit(X)),
        "given": sqlrp.GivenProjection.of(rows, offset=[1.0, -2.0], scale=0.5),
        "given_sketch": sqlrp.GivenTensorSketch.of([[0, 1, 1, 0], [1, 1, 0, 0]], [[1, -1, 1, 1], [1, 1, -1, 1]], 2),
        "given_radial": sqlrp.GivenRadialFeatures.of(X[:2], rows[:2], 0.25),
        **{f"prepared_{how}": prepared(how) for how in HOWS},
    }


def later() -> dict[str, Projection]:
    """Methods that came later, once each, so that the cases of the others stay the same."""
    named: dict[str, Projection] = {
        "pooling_two": sqlrp.BilinearPooling(k=2, s=1, t=1, split=1, seed=1),
        "pooling_maclaurin": sqlrp.MaclaurinPooling(k=2, seed=1),
        "pooling_sketch": sqlrp.SketchPooling(k=2, split=2, normalise=False, seed=1),
        "pooling_full": sqlrp.FullBilinearPooling(k=4, split=2),
        "orthonormal": sqlrp.OrthonormalProjection(k=2, seed=1),
        "nystroem_rbf": short(sqlrp.NystroemProjection(k=2, sample=4, kernel_name="rbf", gamma=0.25).fit(X)),
        "nystroem_cosine": short(sqlrp.NystroemProjection(k=2, sample=4, kernel_name="cosine").fit(X)),
        "subspace_strata": sqlrp.RandomSubspace(k=2, seed=1, stratified=True),
        "fourier": sqlrp.RandomFourierFeatures(k=2, gamma=0.5, seed=1),
        "given_fourier": sqlrp.GivenFourierFeatures.of(
            [[1.0, 0.5], [0.25, -1.0], [-0.5, 2.0], [1.5, 1.0]], [0.5, 2.0], 0.5
        ),
        "embedding_two_levels": sqlrp.SparseEmbedding(k=4, nnz_per_feature=1, buckets=2, seed=1),
        "whitened": short(sqlrp.WhitenedComponents(k=2, sample=5).fit(X)),
        "discriminants": sqlrp.LinearDiscriminants.of([[1.0, 0.5], [0.25, -1.0], [-0.5, 2.0], [1.5, 1.0]], [0.5, 2.0]),
        "canonical": sqlrp.CanonicalCorrelation.of([[1.0, 0.5], [0.25, -1.0], [-0.5, 2.0], [1.5, 1.0]], [0.5, 2.0]),
        "least_squares": sqlrp.PartialLeastSquares.of([[1.0, 0.5], [0.25, -1.0], [-0.5, 2.0], [1.5, 1.0]], [0.5, 2.0]),
    }
    others = unnamed((methods() | named).values(), X)
    last = {"sums_and_products": SumsAndProducts.of(4, 7, seed=1)}
    return named | {name.replace("-", "_"): each for name, each in others.items()} | last


def short(projection: Any) -> Projection:
    """The fitted projection with its numbers rounded, without -0.0: the last digits differ between processors."""
    arrays = {name: a.round(3) + 0.0 if a.dtype.kind == "f" else a for name, a in projection.arrays.items()}
    return replace(projection, state=pack(**arrays))  # type: ignore[no-any-return]


def prepared(how: str) -> Projection:
    """Rows prepared by short statistics."""
    offset, size = np.array([0.5, 1, 0, -1]), np.array([1.0, 2, 0.25, 4])
    state = {"standard": pack(offset=offset, size=size), "minmax": pack(offset=offset, size=size), "l2": None}
    state["tfidf"] = pack(df=np.array([1.0, 2, 3, 4]), n=np.array(5))
    return Prepared(of=sqlrp.SparseProjection(k=2, s=1, seed=1), how=how, state=state[how])


def chained() -> sqlrp.Chained:
    """Scaled rows, signs, their sums scaled and divided by their norm, and weights."""
    first = Scaling.of([0.5, 1, 0, -1], [1.0, 2, 0.25, 4])
    second = Scaling.of([1.0, 0], [0.5, 2], norm=True)
    weights = sqlrp.GivenProjection.of([[1.0, 0.5], [0.25, -1.0]], offset=[1.0, -2.0])
    return sqlrp.Chained(of=(first, sqlrp.SparseProjection(k=2, s=1, seed=1), second, weights))


def rounded() -> sqlrp.Chained:
    """Sums that are rounded to bytes."""
    return sqlrp.Chained(of=(sqlrp.SparseProjection(k=2, s=1, seed=1), Rounding.of(2, 0.25)))


def job(projection: Projection, layout: str, kind: Number, engine: Dialect, **options: Any) -> Job:
    """A projection of a table with features of that kind, as a look at the table would find it."""
    source = SOURCES[layout]
    key = "doc" if isinstance(source, Long) else "id"
    array = ColumnType("array", kind, is_array=True, size=D)
    columns = {
        "wide": [
            ("label", ColumnType("text", is_text=True)),
            *((name, ColumnType("number", kind)) for name in FEATURES),
        ],
        "array": [("embedding", array)],
        "long": [("feature", ColumnType("integer", Number("int", 31))), ("value", ColumnType("number", kind))],
        "words": [("word", ColumnType("text", is_text=True)), ("value", ColumnType("number", kind))],
    }[layout]
    found = [Column(key, ColumnType("bigint", Number("int", 63))), *(Column(name, type_) for name, type_ in columns)]
    if projection.key_argument and isinstance(source, Wide):
        source = replace(source, keep=())
    refuse(source, engine)
    return Job(projection, resolve(source, found, engine), engine, **options)


def cases() -> Iterator[tuple[str, Case]]:
    """Every method twice, or once; layouts, outputs and lowerings take turns, and so do NULLs, types and the scale."""
    dense = list(itertools.product(["wide", "array"], OUTPUTS, ["inline", "indexed", "relational"]))
    sparse = list(itertools.product(["long", "words"], OUTPUTS, ["relational", "relational", "indexed"]))
    turns = itertools.cycle(itertools.chain(*zip(dense, sparse, strict=True)))
    for i, (name, projection) in enumerate([*methods().items()] * 2 + [*later().items()]):
        for layout, output, lowering in turns:
            options = {"output": output, "nulls": NULLS[i % 3], "scale": i % 5 != 0}
            case = project_case(projection, layout, list(KINDS)[i % len(KINDS)], lowering, options)
            made = (text for text, names in texts(case).items() if names != ["clickhouse"])  # which `others` has
            if any(not text.startswith("-- ") for text in made):  # else every other dialect refuses it
                yield f"{name}-{layout}-{output}-{lowering}", case
                break
    yield from others()


def project_case(projection: Projection, layout: str, kind: str, lowering: str, options: dict[str, Any]) -> Case:
    said = ", ".join(f"{name} = {value!r}" for name, value in options.items())

    def text(dialect: str) -> str:
        made = job(projection, layout, KINDS[kind], ENGINES[dialect], **options)
        return plan_kept(made, lowering).kept_script().text

    return Case(f"{projection.name}\n{layout} rows of {kind}; {said}, lowering = {lowering!r}", text)


def others() -> Iterator[tuple[str, Case]]:
    """What is not a plain projection: joins, gradients, vectors, hashes, scores, and what the planner chooses."""
    wide = SOURCES["wide"]
    sparse, pooling = methods()["sparse"], methods()["pooling_sums"]
    join = Join(wide, {"customer": Wide("customers", features=["age", "score"])})
    descriptors = Wide("descriptors", key="image", features=FEATURES)
    model = LinearRegression()
    model.coef_, model.intercept_, model.n_features_in_ = np.array([0.5, -1.0, 2.0]), 0.25, 3
    yield "join", Case("sqlrp.sql of a Join, whose features are joined", lambda d: sqlrp.sql(sparse, join, d))
    wider = Join(wide, {"customer": Wide("customers", features=[f"c{j}" for j in range(40)])})
    yield "join_sums", Case("sqlrp.sql of a Join, whose sums are joined", lambda d: sqlrp.sql(sparse, wider, d))
    rotation = sqlrp.HadamardProjection(k=24, seed=1, padding="least", replacement=False)
    many = Wide("embeddings", features=[f"e{j}" for j in range(24)])
    yield "hadamard_whole", Case(f"{rotation.name}, 24 wide columns", lambda d: sqlrp.sql(rotation, many, d))
    sums = project_case(sqlrp.TensorSketch(k=24, seed=1), "wide", "doubles", "inline", {"output": "columns"})
    others = "-- all pairs of entries, as in tensor_sketch"
    text = replace(sums, text=lambda d: sums.text(d) if d == "duckdb" else others)
    yield "tensor_sketch_sums", text
    yield "gradient", Case("sqlrp.gradient_sql", lambda d: sqlrp.gradient_sql(pooling, descriptors, "upstream", d))
    narrow = SOURCES["wide"]
    yield "bits", Case("sqlrp.sql, output = 'bits'", lambda d: sqlrp.sql(sparse, narrow, d, output="bits"))
    yield "vector", Case("sqlrp.vector_sql", lambda d: sqlrp.vector_sql(sparse, [1.0, 2.0, 0.5, -1.0], d))
    yield "hash", Case("sqlrp.hash_sql", lambda d: sqlrp.hash_sql(sparse, wide, d, bits=3))
    yield "pairs", Case("sqlrp.pairs_sql", lambda d: sqlrp.pairs_sql(sparse, wide, d, bits=3, within=0.1))
    yield "score", Case("sqlrp.score_sql", lambda d: sqlrp.score_sql(sparse, model, wide, d))
    rows = Moments(90, np.array([0.5, 20.0, -3.0]), np.diag([90.0, 360.0, 22.5]))
    drift = Drift(sparse, rows, (), None, 0.05, "holm", True)
    yield "drift", Case("sqlrp.drift_sql", lambda d: sqlrp.drift_sql(drift, replace(wide, keep=["day"]), d, by="day"))
    three = Moments(90, np.array([0.5, 20.0, -3.0, 0.25]), np.diag([90.0, 360.0, 22.5, 90.0]))
    parts = Drift(SumsAndProducts(k=4, p=2, sums=2), three, (), None, 0.05, "holm", True)
    yield "drift-parts", Case("sqlrp.drift_sql, of three parts", lambda d: sqlrp.drift_sql(parts, wide, d))
    for name in ("maclaurin", "polynomial_degree3", "embedding"):
        for layout, output in (("wide", "columns"), ("array", "array")):
            options = {"output": output, "scale": False}
            yield (
                f"lists-{name}-{layout}",
                project_case(methods()[name], layout, "integers of 8 bits", "indexed", options),
            )
    as_others = "-- much as in another dialect"
    yield "work", Case("what the planner counts", lambda d: work(d) if d in WORKING else as_others)
    for lowering in ("inline", "relational"):
        name = f"chained-wide-columns-{lowering}"
        yield name, project_case(chained(), "wide", "doubles", lowering, {"output": "columns"})
    yield "rounded-wide-vector-inline", project_case(rounded(), "wide", "doubles", "inline", {"output": "vector"})
    for output in ("columns", "vector"):
        options = {"output": output, "correct": True}
        yield f"corrected-wide-{output}-inline", project_case(rounded(), "wide", "doubles", "inline", options)
    for name in ("sparse", "polynomial", "hadamard", "gaussian"):
        for layout in ("wide", "long"):
            yield f"auto-{name}-{layout}", project_case(methods()[name], layout, "doubles", "auto", {"output": "auto"})


def work(dialect: str) -> str:
    """What the planner counts: the work of every lowering for every method, or why it refuses."""
    lines = []
    turns = itertools.cycle(itertools.product(KINDS, NULLS[:2]))
    layouts = itertools.cycle(SOURCES)
    for i, (name, projection) in enumerate([*(methods() | later()).items()] * 2):
        (kind, nulls), layout, output = next(turns), next(layouts), OUTPUTS[i % 3]
        try:
            made = job(projection, layout, KINDS[kind], ENGINES[dialect], output=output, nulls=nulls, scale=i % 5 != 0)
            # The relational lowering names the features that a fitted method does not know.
            refusals = {
                each.name: (each.refusal(made) or each.excess(made, False)) if each.plain else each.unstreamed(made)
                for each in reversed(LOWERINGS)
            }
        except SqlrpError as error:
            lines.append(f"-- {name}, {layout} rows of {kind}: {type(error).__name__}: {error}")
            continue
        numbers = " ".join(f"{n.kind}:{n.bits}:{n.digits}" for n in (*made.kinds, made.result, made.written))
        lines.append(f"-- {name}, {layout} rows of {kind}, output = {output!r}, nulls = {nulls!r}: {numbers}")
        for each in LOWERINGS:
            with patch("sqlrp._lowering.native.library", return_value=True):  # the same where no compiler is
                terms = each.work(made) if not refusals[each.name] else {}
            counts = refusals[each.name] or ", ".join(f"{' '.join(p)} {n:.6g}" for p, n in terms.items())
            lines.append(f"--   {each.name}: {counts}")
    return "\n".join(lines)


def texts(case: Case) -> dict[str, list[str]]:
    """The dialects of each different text; a refusal is a comment."""
    found: dict[str, list[str]] = {}
    for dialect in ENGINES:
        try:
            text = DIGITS.sub(lambda number: f"{float(number[0]):.9g}", case.text(dialect))
            text = NAMES.sub("sqlrp_temporary", text)
        except SqlrpError as error:
            text = f"-- {type(error).__name__}: {error}"
        found.setdefault(text, []).append(dialect)
    return found


def text_of(case: Case) -> str:
    """The file of a case: each different text once, under the dialects that it is for."""
    head = "".join(f"-- {line}\n" for line in case.about.splitlines())
    return head + "".join(f"\n-- {'=' * 8} {', '.join(names)}\n{text}\n" for text, names in texts(case).items())


FACTS = "facts.txt"
MEASURED = ("costs", "name")
"""Facts of dialects that are not frozen: what was measured, and the name."""
PLAIN = (bool, int, float, str, tuple, frozenset, Mapping, type(None))


def facts() -> str:
    """The facts of the dialects, one for each line, with the dialects that share it."""
    found: dict[tuple[str, str], list[str]] = {}
    for dialect in ENGINES.values():
        own = {name: getattr(dialect, name) for name in dir(type(dialect)) if not name.startswith("_")}
        limits = {f"limits.{name}": value for name, value in asdict(dialect.limits).items() if name != "source"}
        for name, value in (own | limits).items():
            if isinstance(value, PLAIN) and name not in MEASURED:
                shown = sorted(value) if isinstance(value, frozenset) else value
                found.setdefault((name, repr(shown)), []).append(dialect.name)
    every = [*ENGINES]
    said = {fact: "every dialect" if names == every else ", ".join(names) for fact, names in found.items()}
    return "".join(f"{name} = {value}: {names}\n" for (name, value), names in sorted(said.items()))


def files() -> dict[str, str]:
    """The text of every file by its name."""
    return {f"{name}.sql": text_of(case) for name, case in cases()}


def main() -> None:
    """Write the files, and remove those of cases that are gone."""
    made = files()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.sql"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text)
    (FOLDER / FACTS).write_text(facts())
    print(f"{len(made)} files in {FOLDER.name}/")


if __name__ == "__main__":
    main()
