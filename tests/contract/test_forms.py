"""Every stage has a form or a stated refusal in every lowering, at every place of a pipeline."""

from __future__ import annotations

import inspect
import itertools
import math
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from importlib import import_module
from typing import Any, ClassVar

import duckdb
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import sqlglot
from databases import Database
from evaluate import FORMS as BY_NUMPY
from helpers import ASKED, assert_one_line
from hypothesis import given, settings
from hypothesis import strategies as st

import sqlrp
from sqlrp import Array, Long, ParameterError, Projection, UnsupportedError, Wide
from sqlrp._core.draw import CONSTANT_FEATURE
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.sources import Source
from sqlrp._dialects.dialect import Column
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.registry import ENGINES
from sqlrp._evaluator import FORMS as IN_MEMORY
from sqlrp._lowering.evaluation import Evaluation
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.job import Job
from sqlrp._lowering.lowerings import LOWERINGS, find
from sqlrp._run.bind import resolve
from sqlrp._stages.formulas import Formula, cos, exp, odd, sqrt
from sqlrp._stages.formulas import X as X_
from sqlrp.stages import (
    AppendConstant,
    BlockSums,
    Butterfly,
    Convolved,
    Elementwise,
    Exponential,
    FourierSums,
    GivenProducts,
    Linear,
    MonomialSums,
    Normalise,
    NormalSums,
    Power,
    ReflectedPick,
    Rescale,
    SignedRoot,
    SignedSums,
    SplitSums,
    Stage,
    SumOfProducts,
    SumOverGroup,
    WeightedSums,
)

Rows = npt.NDArray[np.float64]

D = 4
X = np.round(np.random.default_rng(3).normal(size=(7, D)), 3)
X[2] = 0
WHOLE = np.round(10 * X)
"""The rows of whole numbers."""
IDS = np.array([0, 1, 1, 2, 0, 3, 3])
TABLES = {**{lowering.name: lowering.forms for lowering in LOWERINGS}, "numpy": BY_NUMPY, "memory": IN_MEMORY}


for _, name, _ in pkgutil.iter_modules(sqlrp._stages.__path__, "sqlrp._stages."):
    import_module(name)  # a stage that nothing imports is a stage


def concrete(of: type[Stage] = Stage) -> Iterator[type[Stage]]:
    """The concrete stages of the package."""
    for cls in of.__subclasses__():
        if not inspect.isabstract(cls) and cls.__module__.startswith("sqlrp._stages."):
            yield cls
        yield from concrete(cls)


def made(cls: type[Stage], d: int) -> Stage:
    """A stage of the class over d entries."""
    draw = np.random.default_rng(d)
    pairs = np.array([[0, 1], [d - 1, -1], [1, d - 1]])
    padded = 1 << (d - 1).bit_length()
    stages: dict[type[Stage], Stage] = {
        AppendConstant: AppendConstant(1.5),
        Rescale: Rescale(draw.normal(size=d), draw.uniform(0.5, 2, d)),
        SignedSums: SignedSums(3, 1, seed=d),
        SplitSums: SplitSums(SignedSums(3, 1, seed=d), 1),
        BlockSums: BlockSums(2, 2, seed=d),
        NormalSums: NormalSums(3, seed=d),
        FourierSums: FourierSums(3, 0.5, seed=d),
        WeightedSums: WeightedSums(draw.normal(size=(d, 3))),
        Butterfly: Butterfly(padded, (0, padded - 1, 1), seed=d),
        ReflectedPick: ReflectedPick(d, (0, d - 1)),
        SumOfProducts: SumOfProducts(d, 3, 1, 2, seed=d, minimise_repetition=False),
        # The component 1 of three has no term.
        GivenProducts: GivenProducts(3, np.array([0, 0, 2]), pairs, np.array([1.0, -0.5, 2.0])),
        MonomialSums: MonomialSums(d, 2, SignedSums(3, 2, seed=d)),
        Convolved: Convolved(1, d) if d % 2 else Convolved(d // 2, 2),
        Power: Power(0.5, 2),
        SumOverGroup: SumOverGroup(),
        Normalise: Normalise(),
    }
    if cls in stages:
        return stages[cls]
    # Of a stage that is not listed, each parameter without a default is a number, one greater than the one before.
    needed = [part.name for part in fields(cls) if part.default is MISSING] if is_dataclass(cls) else []
    return cls(**{name: 1.0 + i for i, name in enumerate(needed)})


def entries(stage: Stage, d: int) -> int:
    return d + 1 if isinstance(stage, AppendConstant) else d if stage.n_outputs is None else stage.n_outputs


def pipeline(*classes: type[Stage]) -> tuple[Stage, ...]:
    found, d = [], D
    for cls in classes:
        found.append(made(cls, d))
        d = entries(found[-1], d)
    return tuple(found)


def value(formula: Formula, x: float) -> float:
    """A formula of one number, by Python's own functions."""
    match formula:
        case Formula(of=None):
            return x
        case Formula("plus", of, constant):
            return value(of, x) + other(constant, x)
        case Formula("times", of, factor):
            return value(of, x) * other(factor, x)
        case Formula("over", of, divisor):
            return value(of, x) / other(divisor, x)
        case Formula("under", of, constant):
            return other(constant, x) / value(of, x)
        case Formula("at_least", of, bound):
            return max(value(of, x), other(bound, x))
        case Formula("at_most", of, bound):
            return min(value(of, x), other(bound, x))
        case Formula("power", of, degree):
            return float(value(of, x) ** degree)
        case Formula("within", of, bound):
            return min(max(value(of, x), -bound), bound)
        case Formula("odd", of):
            return -value(of, -x) if x < 0 else value(of, x)
        case Formula(function, of):
            return float(getattr(math, {"abs": "fabs"}.get(function, function))(value(of, x)))
    raise AssertionError(formula)


def other(of: Any, x: float) -> float:
    return value(of, x) if isinstance(of, Formula) else of


def applied(stage: Elementwise, x: float) -> float:
    for formula in stage.formulas:
        x = value(formula, x)
    return x


def by_monomials(stage: MonomialSums, row: list[float]) -> list[float]:
    """The monomials of a row, each times the root of its multinomial coefficient, and their sums."""
    every = list(itertools.combinations_with_replacement(range(len(row)), stage.degree))
    runs = [math.prod(math.factorial(chosen.count(j)) for j in set(chosen)) for chosen in every]
    values = [
        math.prod(row[j] for j in chosen) * math.sqrt(math.factorial(stage.degree) / run)
        for chosen, run in zip(every, runs, strict=True)
    ]
    weights = stage.of.matrix(np.arange(len(every))).T.tolist()
    return [sum(w * v for w, v in zip(column, values, strict=True)) for column in weights]


def by_hand(stages: tuple[Stage, ...], x: Rows, ids: Any) -> tuple[Rows, list[int]]:
    """The stages one row at a time, in Python, and the ids of the rows: written apart from the package's."""
    rows, keys, numbers = [list(map(float, row)) for row in x], [int(i) for i in ids], list(range(x.shape[1]))
    for stage in stages:
        match stage:
            case AppendConstant():
                rows, numbers = [[*row, stage.value] for row in rows], [*numbers, CONSTANT_FEATURE]
            case Rescale():
                rows = [[(v - m) * w for v, m, w in zip(row, stage.offset, stage.scale, strict=True)] for row in rows]
            case Linear():
                weights = stage.matrix(np.array(numbers, dtype=np.int64)).astype(float)
                rows = [[sum(v * w for v, w in zip(row, column, strict=True)) for column in weights.T] for row in rows]
            case ReflectedPick():
                rows = [[stage.n_features * row[j] - 2 * sum(row) for j in stage.picked] for row in rows]
            case SumOfProducts():
                rows = [[sum(np.prod([row[i] for i in t]) for t in terms) for terms in stage.table] for row in rows]
            case Convolved():
                n = stage.size
                rows = [
                    [sum(row[i] * row[n + (c - i) % n] for i in range(n)) for c in range(n)] + row[2 * n :]
                    for row in rows
                ]
            case GivenProducts():
                weight = np.ones(len(stage.component)) if stage.weight is None else stage.weight
                terms = list(zip(stage.component, stage.factor, weight, strict=True))
                rows = [
                    [
                        sum(w * np.prod([row[i] for i in f if i >= 0]) for c, f, w in terms if c == o)
                        for o in range(stage.n)
                    ]
                    for row in rows
                ]
            case MonomialSums():
                rows = [by_monomials(stage, row) for row in rows]
            case Elementwise():
                rows = [[applied(stage, v) for v in row] for row in rows]
            case SumOverGroup():
                rows = [[sum(v) for v in zip(*(r for r, i in zip(rows, keys, strict=True) if i == key), strict=True)]
                        for key in dict.fromkeys(keys)]  # fmt: skip
                keys = list(dict.fromkeys(keys))
            case Normalise():
                rows = [[v / (np.linalg.norm(row) or 1) for v in row] for row in rows]
            case _:
                raise AssertionError(stage)
        if stage.n_outputs is not None:
            numbers = list(range(stage.n_outputs))
    return np.array(rows, dtype=float), keys


@dataclass(frozen=True)
class Piped(Projection):
    """A method of one's own."""

    run: tuple[Stage, ...] = ()

    function: ClassVar[str] = "piped"

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        return self.run

    def factor(self, n_features: int | None) -> float:
        return 2.0

    def parameters(self) -> dict[str, Any]:
        return {"k": self.k}

    def to_json(self) -> str:
        return repr(self.run)


def piped(stages: tuple[Stage, ...]) -> Piped:
    d = D
    for stage in stages:
        d = entries(stage, d)
    return Piped(d, run=stages)


def loaded(db: Database) -> None:
    """The rows by id, and by a group, as numbers of either kind."""
    double = "DOUBLE" if db.name == "duckdb" else "REAL"
    for table, kind, x in (("rows", double, X.tolist()), ("whole", "INTEGER", WHOLE.astype(int).tolist())):
        columns = [("id", "BIGINT"), ("g", "BIGINT"), *((f"f{j}", kind) for j in range(D))]
        db.make(table, columns, [[i, g, *row] for i, (g, row) in enumerate(zip(IDS.tolist(), x, strict=True))])


def source_of(stages: tuple[Stage, ...], table: str = "rows") -> Wide:
    key = "g" if any(isinstance(stage, SumOverGroup) for stage in stages) else "id"
    return Wide(table, key=key, features=[f"f{j}" for j in range(D)])


def refused(lowering: str, stages: tuple[Stage, ...]) -> str:
    """What the refusal of a pipeline says; empty where it is not refused."""
    own = list(stages[isinstance(stages[0], Rescale) :])
    closing: list[Stage] = []
    while own and isinstance(own[-1], (SumOverGroup, SignedRoot, Normalise)):
        closing.insert(0, own.pop())
    if lowering == "relational":
        appended = False
        for stage in stages:
            if appended and isinstance(stage, AppendConstant):
                return "AppendConstant"
            appended = isinstance(stage, AppendConstant) or (appended and stage.n_outputs is None)
    if lowering == "indexed":
        formless = (Rescale, ReflectedPick, GivenProducts, MonomialSums, Normalise, SumOverGroup)
        first = next((type(stage).__name__ for stage in own if isinstance(stage, formless)), "")
        return first or ("" if own else "no sums")
    return ""


def checked(db: Database, stages: tuple[Stage, ...], table: str = "rows") -> None:
    """The pipeline under every lowering, against the one by hand; or refused by name."""
    projection, source, x = piped(stages), source_of(stages, table), WHOLE if table == "whole" else X
    want, keys = by_hand(stages, x, IDS if source.key == "g" else range(len(x)))
    frame = pd.DataFrame(x, columns=source.features).assign(
        **{source.key or "": IDS if source.key == "g" else range(7)}
    )
    found = {"memory": sqlrp.project(projection, frame, key=source.key)}
    for lowering in ASKED if db.name == "duckdb" else ("inline", "relational"):
        reason = refused(lowering, stages)
        if reason:
            with pytest.raises(UnsupportedError) as caught:
                sqlrp.explain(projection, source, db.connection, lowering=lowering)
            assert_one_line(caught, reason)
        else:
            found[lowering] = sqlrp.project(projection, source, db.connection, lowering=lowering).to_pandas()
    for lowering, result in found.items():
        rows = result.sort_values(source.key).drop(columns=source.key).to_numpy(float)
        close = np.allclose(rows, 2 * want[np.argsort(keys)], rtol=1e-9, atol=1e-9)
        assert close, f"{lowering}: {[type(stage).__name__ for stage in stages]}"


@pytest.mark.parametrize("second", list(concrete()), ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_every_stage_at_every_place(db: Database, name: str, second: type[Stage]) -> None:
    loaded(db)
    checked(db, pipeline(second))
    # DuckDB has two lowerings more, and takes longer to plan.
    others: list[type[Stage]] = [SignedSums] if name == "duckdb" else [SignedSums, AppendConstant, SumOverGroup]
    for other in others:
        checked(db, pipeline(second, other))
        checked(db, pipeline(other, second))
    checked(db, pipeline(SignedSums, second, GivenProducts))
    if second is not Exponential:  # of sums of whole numbers it is too great
        checked(db, pipeline(SignedSums, second, SignedSums), "whole")


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_root_between_two_sums(db: Database, name: str) -> None:
    loaded(db)
    checked(db, (SignedSums(8, 1, 5), SignedRoot(), SignedSums(3, 1, 6)))


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_formulas_of_one_s_own_at_every_place(db: Database, name: str) -> None:
    loaded(db)
    sums, more = SignedSums(4, 1, 5), SignedSums(3, 1, 6)
    for stages in (Own(),), (Own(), sums), (sums, Own()), (sums, Own(), more), (AppendConstant(-1.5), Own(), more):
        checked(db, stages)


@pytest.mark.parametrize("first", [X_, X_ + 0.5], ids=["zero stays", "zero moves"])
@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_many_formulas_of_one_stage_follow_one_another(db: Database, name: str, first: Formula) -> None:
    loaded(db)
    several = Own((first, X_**2, odd(sqrt(X_)), cos(X_) if first is not X_ else abs(X_)))
    for stages in (several,), (SignedSums(4, 1, 5), several, SignedSums(3, 1, 6)):
        checked(db, stages)


def formulas() -> st.SearchStrategy[Formula]:
    """Formulas of any shape, whose values stay finite for small numbers."""
    constants = st.sampled_from([-1.5, -0.25, 0.5, 2.0])

    def above(of: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
        plain = (abs, cos, lambda f: sqrt(abs(f)), lambda f: exp(cos(f)), lambda f: f**2, lambda f: odd(sqrt(abs(f))))
        return st.one_of(st.builds(lambda f, c: f + c, of, constants), *(of.map(function) for function in plain))

    return st.recursive(st.just(X_), above, max_leaves=4)


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_formula_has_one_value_in_python_numpy_and_sql(db: Database, name: str) -> None:
    dialect, numbers = ENGINES[name], [-2.25, -1.0, 0.0, 0.5, 3.0]

    @settings(max_examples=60, deadline=None)
    @given(formulas())
    def same(formula: Formula) -> None:
        want = [value(formula, x) for x in numbers]
        assert np.allclose(formula.at(np.array(numbers)), want, rtol=1e-9, atol=1e-9)
        assert formula.keeps_zero == (value(formula, 0.0) == 0)
        wholes = {x: value(formula, x) for x in (-3.0, -1.0, 0.0, 4.0)}
        assert not formula.exact or all(z == int(z) and abs(z) <= abs(x) for x, z in wholes.items())
        rows = " UNION ALL ".join(f"SELECT {i} AS i, {dialect.literal(x, DOUBLE)} AS x" for i, x in enumerate(numbers))
        found = db.run_query(f"SELECT {written(formula, dialect, 'x', DOUBLE)} AS z FROM ({rows}) s ORDER BY i")
        assert np.allclose([z for (z,) in found], want, rtol=1e-9, atol=1e-9), formula

    same()


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_negative_constant_after_a_minus_sign(db: Database, name: str) -> None:
    loaded(db)
    signs = SignedSums(8, 1, 5)
    assert (signs.matrix(np.array([CONSTANT_FEATURE])) < 0).any()
    checked(db, (AppendConstant(-1.5), signs))
    checked(
        db, (AppendConstant(-1.5), GivenProducts(1, np.array([0, 0]), np.array([[0, D], [D, 1]]), np.array([2, -1.0])))
    )


@pytest.mark.parametrize("lowering", TABLES)
def test_every_table_names_every_stage(lowering: str) -> None:
    known = set(TABLES[lowering].table)
    assert SignedSums in set(concrete())
    for cls in concrete():
        assert cls in known or any(above in known and inspect.isabstract(above) for above in cls.__mro__), cls


@pytest.mark.parametrize("stage", [Normalise(), ReflectedPick(D + 1, (0, D))], ids=lambda stage: type(stage).__name__)
def test_a_constant_in_a_subquery_of_sql_server_has_a_name(stage: Stage) -> None:
    """SQL Server refuses a subquery with a column without a name (error 8155)."""
    stages = (AppendConstant(1.5), stage, SignedSums(3, 1, 5))
    text = sqlrp.sql(piped(stages), source_of(stages), "sqlserver", lowering="inline")
    inner = list(sqlglot.parse_one(text, dialect="tsql").find_all(sqlglot.exp.Subquery))
    assert inner
    for column in (column for subquery in inner for column in subquery.selects):
        assert isinstance(column, sqlglot.exp.Column | sqlglot.exp.Alias), column.sql()


@pytest.mark.parametrize("blocks", [2, 3])
@pytest.mark.parametrize("factors", [2, 3, 7])
def test_products_are_cut_into_as_few_blocks_as_a_statement_s_terms_allow(
    monkeypatch: pytest.MonkeyPatch, factors: int, blocks: int
) -> None:
    most = 40
    monkeypatch.setattr(DuckDB, "limits", replace(DuckDB.limits, terms=most))
    k = blocks * (most // factors)  # a product has as many terms as factors
    stage = GivenProducts(k, np.arange(k), np.arange(factors * k).reshape(k, factors) % D)
    script = sqlrp.explain(piped((stage,)), source_of(()), "duckdb", lowering="inline").script
    products = [len(re.findall(r"x\d(?:\*x\d)+", text)) for text in (*script.setup, script.query)]
    assert [count for count in products if count] == [most // factors] * blocks


@pytest.mark.parametrize("multiplied", [False, True])
def test_a_list_is_cast_unless_it_has_the_type_of_the_result(multiplied: bool) -> None:
    """Sums of BIGINT are HUGEINT, and their products are computed as DOUBLE, which a convolution reads as they are."""
    products = SumOfProducts(4, 4, 1, 2, seed=1, minimise_repetition=False)
    stages = (SignedSums(4, 1, 5), *([products] if multiplied else []), Convolved(2, 2))
    engine, names = ENGINES["duckdb"], [f"f{j}" for j in range(D)]
    columns = [Column(name, engine.read_type("BIGINT")) for name in ("id", *names)]
    job = Job(piped(stages), resolve(Wide("t", features=names), columns, engine), engine, scale=False)
    assert find("indexed").lower(job).query.count("DOUBLE[]") == (0 if multiplied else 1)


class Doubled(Stage):
    """A stage of one's own, which no lowering knows."""

    n_outputs = None


class Divided(Normalise):
    """A stage below one that is known."""


class Grouped(SumOverGroup):
    """One that closes."""


@dataclass(frozen=True)
class Own(Elementwise):
    """A stage of one's own, which states its formulas."""

    formulas: tuple[Formula, ...] = (odd(X_ + 0.5) ** 3, abs(X_))


@dataclass(frozen=True)
class Between(Elementwise):
    """One with parameters that have no default, which no table of tests lists."""

    low: float
    high: float
    slope: float = 0.5

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The logistic function between the bounds."""
        return (self.low + (self.high - self.low) / (1 + exp(-self.slope * X_)),)


class Wired(SignedSums):
    """Sums whose table is not the drawn one."""

    def matrix(self, features: Any) -> Any:
        return np.ones((len(features), self.n_vectors), dtype=np.int8)


UNKNOWN = [Doubled(), Divided()]


@pytest.mark.parametrize("stage", UNKNOWN, ids=lambda stage: type(stage).__name__)
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_unknown_stages_are_refused_by_name_on_every_road(db: Database, name: str, place: int, stage: Stage) -> None:
    loaded(db)
    known = [SignedSums(5, 1, 1), SignedSums(4, 1, 2)]
    projection, source = piped((*known[:place], stage, *known[place:])), source_of(())
    frame = pd.DataFrame(X, columns=source.features)
    roads = [
        lambda: sqlrp.project(projection, frame, key=None),
        lambda: sqlrp.project_vector(projection, [1.0] * D),
        lambda: sqlrp.vector_sql(projection, [1.0] * D, name),
        lambda: sqlrp.sql(projection, source, name),
        lambda: sqlrp.sql(projection, Long("t", n_features=D), name),
        *(
            lambda call=call, lowering=lowering: call(projection, source, db.connection, lowering=lowering)
            for call in (sqlrp.sql, sqlrp.explain, sqlrp.project)
            for lowering in ("auto", "inline", "relational", *(("indexed", "native") if name == "duckdb" else ()))
        ),
    ]
    if name == "duckdb":
        relation = duckdb.connect().from_df(frame)
        roads.append(lambda: sqlrp.project(projection, relation, key=None))
    for road in roads:
        with pytest.raises(UnsupportedError) as caught:
            road()
        assert_one_line(caught, f"{type(stage).__name__} has no form")


@pytest.mark.parametrize("stage", [None, *UNKNOWN], ids=lambda stage: type(stage).__name__)
@pytest.mark.parametrize("place", range(2))
@pytest.mark.parametrize(
    "source", [Wide("t", features=list("abcd")), Array("t", "x", n_features=D), Long("t", n_features=D), Long("t")]
)
def test_unknown_stages_are_not_evaluated_in_any_layout(source: Source, place: int, stage: Stage | None) -> None:
    stages = [SignedSums(5, 1, 1), SignedRoot()]
    stages[place:place] = [] if stage is None else [stage]
    engine = ENGINES["duckdb"]
    refusal = Evaluation.refusal(Job(Piped(5, run=tuple(stages)), resolve(source, None, engine), engine))
    assert refusal == ("" if stage is None else f"{type(stage).__name__} has no form in the evaluator")


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_a_group_of_one_s_own_is_refused_where_it_closes(db: Database, name: str) -> None:
    loaded(db)
    projection = piped((SignedSums(3, 1, 1), Grouped()))
    source = Wide("rows", key="g", features=[f"f{j}" for j in range(D)])
    with pytest.raises(UnsupportedError) as caught:
        sqlrp.project(projection, source, db.connection)
    assert_one_line(caught, "Grouped has no form")


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
@pytest.mark.parametrize("table", ["rows", "whole"])
def test_a_stage_of_one_s_own_may_have_parameters(db: Database, name: str, table: str) -> None:
    loaded(db)
    between = made(Between, D)
    assert between == Between(1.0, 2.0)
    for stages in ((between,), (SignedSums(3, 1, 1), between), (SignedSums(3, 1, 1), between, SignedSums(2, 1, 2))):
        checked(db, stages, table)


@pytest.mark.parametrize("name", ["duckdb", "sqlite"])
def test_sums_of_one_s_own_are_read_from_their_table(db: Database, name: str) -> None:
    loaded(db)
    checked(db, (Wired(3, 1, 1), SignedRoot()))


def test_auto_takes_a_lowering_that_has_the_form() -> None:
    stages = pipeline(SignedSums, Normalise, SignedSums)
    explained = sqlrp.explain(piped(stages), source_of(stages), "duckdb")
    refusals = {e.lowering: e.refusal for e in explained.plan.estimates}
    assert "Normalise has no form" in refusals["indexed"]
    assert explained.lowering in ("inline", "relational")


def test_stages_that_give_another_number_of_components() -> None:
    with pytest.raises(ParameterError) as caught:
        sqlrp.sql(Piped(5, run=(SignedSums(4, 1, 1),)), source_of(()), "duckdb")
    assert_one_line(caught, "4 entries", "k = 5")
