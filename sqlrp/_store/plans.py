"""The macros that DuckDB's `project_with` reads a saved projection from, in plain SQL.

`"sqlrp_plan …"` returns the stages of the projection as SQL text, which calls the macros of `sql/duckdb.sql`. In it
`{n}` stands for the number of features, and no name or message contains it. Fitted numbers are in table macros,
`"sqlrp_table …"`, which the text names. `"sqlrp_call …"` returns what the extension writes the statement from: the
call of a drawn method's own function, and the fitted stages before it, or those of a fitted method. Their operations
are the bytes that `"sqlrp_bytes …"` returns for a type of numbers.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._connectors.connector import Connector
from sqlrp._core.errors import UnsupportedError
from sqlrp._core.native_library import FORMAT
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.values import dataclass
from sqlrp._dialects.dialect import Dialect
from sqlrp._engines.duckdb.lists import EMPTY, one
from sqlrp._lowering.formula_sql import written
from sqlrp._projections import FUNCTIONS, is_drawn_in_sql
from sqlrp._projections.held_arrays import features_of
from sqlrp._projections.projection import Projection
from sqlrp._stages import (
    AppendConstant,
    Elementwise,
    Normalise,
    Products,
    Rescale,
    Stage,
    WeightedSums,
)
from sqlrp._stages.forms import Forms
from sqlrp._store import stored
from sqlrp._store.kernel_bytes import KernelStages, kernel_stages

PLAN, TABLE, CALL, BYTES = "sqlrp_plan ", "sqlrp_table ", "sqlrp_call ", "sqlrp_bytes "
"""The prefixes of the macros' names; the UTF-8 bytes of the projection's name follow in hexadecimal digits."""

_MOST_TABLES = 8
_DIGEST = re.compile(r"digest\W+([0-9a-f]{16})\W*\Z")
"""The digest at the end of a plan's text. Names before it may look like one."""
_CREATED = re.compile(r'CREATE OR REPLACE MACRO "([^"]+)"')
"""The name of a macro that a statement makes."""


def ordered(cls: type[Projection], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a method's function in their order.

    `seed` follows s. Without s only parameters that Python takes by keyword follow it.
    """
    found = dict(parameters)
    if "s" not in found and "seed" in found:
        found["seed"] = found.pop("seed")
        found |= {f.name: found.pop(f.name) for f in fields(cls) if f.kw_only and f.name in found}
    return found


def saving(dialect: Dialect, name: str, projection: Projection) -> Iterator[str]:
    """Every statement that saves a projection, besides its row in the catalogue."""
    yield from dialect.saving(name, stored.macro_text(projection.to_json()))
    if dialect.keeps_plans:
        yield from _macros(dialect, name, projection)


def made(connector: Connector, connection: Any) -> set[str]:
    """The names of the plans' macros in the current schema, and the digests that they hold."""
    found = [macro for macro in connector.macros(connection) if macro.name.startswith((PLAN, TABLE, CALL, BYTES))]
    digests = (_DIGEST.search(macro.text) for macro in found)
    return {macro.name for macro in found} | {digest[1] for digest in digests if digest}


def is_made(dialect: Dialect, name: str, projection: Projection, there: set[str]) -> bool:
    """Whether `made` has every macro of a saved projection, as this release writes them."""
    if not dialect.keeps_plans:
        return True
    statements = list(_written(dialect, name, projection))
    created = (_CREATED.match(statement) for statement in statements)
    return {_digest(statements), *(found[1] for found in created if found)} <= there


def _digest(statements: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]


def _macros(dialect: Dialect, name: str, projection: Projection) -> Iterator[str]:
    """The statements that make the macros; the last one holds the digest of all."""
    *tables, plan = _written(dialect, name, projection)
    yield from tables
    yield f"{plan}, 'digest': '{_digest([*tables, plan])}'}}"


def _written(dialect: Dialect, name: str, projection: Projection) -> Iterator[str]:
    plan = _Plan(dialect, name)
    try:
        text = plan.bound(projection)
    except UnsupportedError as error:
        text = f"error({plan.string(str(error))})"
    for at, table in enumerate(plan.tables):
        yield f"CREATE OR REPLACE MACRO {plan.table(at)}() AS TABLE {table}"
    for at in range(len(plan.tables), _MOST_TABLES):
        yield f"DROP MACRO TABLE IF EXISTS {plan.table(at)}"
    yield from _of_extension(dialect, name, projection)
    bound = projection.bound_to
    names = "NULL" if bound is None or isinstance(bound, int) else _listed(bound, dialect.string)
    plan_of = f"{{'text': {dialect.string(text)}, 'names': CAST({names} AS VARCHAR[])"
    yield f"CREATE OR REPLACE MACRO {dialect.quote(PLAN + name.encode().hex())}() AS {plan_of}"


def _of_extension(dialect: Dialect, name: str, projection: Projection) -> Iterator[str]:
    """The statements of the macros that the extension reads: the call and the bytes of the fitted stages."""
    own = name.encode().hex()
    call, kept = (dialect.quote(prefix + own) for prefix in (CALL, BYTES))
    found = _call(dialect, own, projection)
    stages = found[1].bytes() if found else {}
    if found is None or stages is None:
        yield f"DROP MACRO IF EXISTS {call}"
        yield f"DROP MACRO IF EXISTS {kept}"
        return
    yield f"CREATE OR REPLACE MACRO {call}() AS {found[0]}"
    cases = " ".join(
        f"WHEN {dialect.string(kind)} THEN from_base64({dialect.string(b64encode(code).decode())})"
        for kind, code in stages.items()
        if code
    )
    yield f"CREATE OR REPLACE MACRO {kept}(kind) AS CASE kind {cases} END" if cases else f"DROP MACRO IF EXISTS {kept}"


def _call(dialect: Dialect, own: str, projection: Projection) -> tuple[str, KernelStages] | None:
    """The value of the macro of the call, and the fitted stages.

    None if the macros run it: it pools rows, or a stage is neither the kernel's nor a formula.
    """
    bound, n = projection.bound_to, features_of(projection)
    method = projection.unprepared
    arguments, prepared = _arguments(method, n), bool(projection.preparation)
    try:
        stages = [*projection.preparation, *(_drawn(method, n) if arguments is None else [])]
        fitted = None if projection.key_argument else kernel_stages(stages, n, prepared, dialect)
    except UnsupportedError:
        return None
    if fitted is None or (arguments is not None and not (fitted.alone and fitted.keeps)):
        return None
    function, factor = (method.function, 1.0) if arguments is not None else ("", method.factor(n))
    given = [cell for value in (arguments or {"factor": factor, "k": method.k}).values() for cell in _typed(value)]
    saved = f"{own} {FORMAT} {fitted.n} {len(fitted.given)} {int(prepared)} {fitted.text}"
    cells = [function, saved, str(len(given)), *given]
    texts = ", ".join("NULL" if cell is None else dialect.string(cell) for cell in cells)
    names = "[]" if bound is None or isinstance(bound, int) else _listed(bound, dialect.string)
    return f"list_concat(CAST([{texts}] AS VARCHAR[]), CAST({names} AS VARCHAR[]))", fitted


def _arguments(projection: Projection, n_features: int | None) -> dict[str, Any] | None:
    """The arguments of a drawn method's function in their order; None if SQL does not draw the method."""
    if not is_drawn_in_sql(projection, n_features):
        return None
    cls = FUNCTIONS[projection.function]
    values = {"vectors": "sign" if projection.own_function else "gaussian", "s": "sqrt"} | projection.parameters()
    names = ordered(cls, {**cls().parameters(), **cls.arguments})
    return {name: values[name] for name in names if name != cls.key_argument}


def _typed(value: Any) -> tuple[str, str | None]:
    """The type and the text of an argument, as `typeof` and a cast in DuckDB tell them."""
    if value is None:
        return '"NULL"', None
    if isinstance(value, bool):
        return "BOOLEAN", str(value).lower()
    if isinstance(value, int):
        return ("INTEGER" if abs(value) < 2**31 else "BIGINT"), str(value)
    return ("DOUBLE", repr(value)) if isinstance(value, float) else ("VARCHAR", str(value))


def _listed(names: Sequence[str], string: Callable[[str], str]) -> str:
    """Names as a list in SQL: one text, as hundreds of literals take long to bind, split at a character of no name."""
    mark = next(mark for mark in map(chr, count(ord("|"))) if not any(mark in name for name in names))
    return f"string_split({string(mark.join(names))}, {string(mark)})"


@dataclass
class _Plan:
    """The text of a projection's stages, and the tables that it names."""

    dialect: Dialect
    name: str
    tables: list[str] = field(default_factory=list)

    def table(self, at: int) -> str:
        """The name of a table macro."""
        return self.dialect.quote(f"{TABLE}{self.name.encode().hex()} {at}")

    def string(self, text: str) -> str:
        """A string within the text, which is not taken for the number of features."""
        return "(" + self.dialect.string(text).replace("{n}", "{'||'n}") + ")"

    def add(self, text: str) -> str:
        """Add a table macro; returns its call."""
        self.tables.append(text)
        return f"{self.table(len(self.tables) - 1)}()"

    def bound(self, projection: Projection) -> str:
        """The projection, with the features that it is for."""
        names, text = projection.bound_to, self.prepared(projection)
        if names is None:
            return text
        if isinstance(names, int):
            return f"sqlrp_bound({text}, NULL, {names})"
        return f"sqlrp_bound({text}, {_listed(names, self.string)}, NULL)"

    def prepared(self, projection: Projection) -> str:
        """The projection with its preparation."""
        own = self.method(projection.unprepared, features_of(projection))
        return f"sqlrp_prepared({self.stages(projection.preparation)}, {own})" if projection.preparation else own

    def method(self, projection: Projection, n_features: int | None) -> str:
        """The stages of a method: a call of its macro if it is drawn, or else its stages with their numbers."""
        arguments = _arguments(projection, n_features)
        if arguments is None:
            factor = self.dialect.string(f"CAST('{projection.factor(n_features)!r}' AS DOUBLE)")
            return f"sqlrp_pipeline({self.stages(_drawn(projection, n_features))}, {factor}, {projection.k})"
        parts = [part for name, value in arguments.items() for part in self.values(name, value)]
        return f"sqlrp_{projection.function.removesuffix('_project')}_stages({', '.join(parts)}, {{n}})"

    def values(self, name: str, value: Any) -> list[str]:
        """A parameter as SQL; `s` is two."""
        if name == "s":
            return [self.dialect.string(str(value)), "'VARCHAR'" if isinstance(value, str) else "'DOUBLE'"]
        if value is None:
            return ["NULL"]
        if isinstance(value, float):
            return [f"CAST('{value!r}' AS DOUBLE)"]
        return [self.dialect.string(value) if isinstance(value, str) else str(value).lower()]

    def stages(self, stages: Sequence[Stage]) -> str:
        """A list of stages."""
        before: Sequence[Stage | None] = [None, *stages]
        parts = [FORMS.of(stage)(self, stage, prior) for prior, stage in zip(before, stages, strict=False)]
        return f"[{', '.join(parts)}]"


def _drawn(projection: Projection, n_features: int | None) -> list[Stage]:
    """The stages of a projection with their random numbers, as a chain may have drawn steps."""
    numbers, found = np.arange(n_features or 0, dtype=np.int64), []
    for stage in projection.stages(n_features):
        found.append(stage.drawn(numbers) if n_features else stage)
        numbers = stage.numbers(numbers)
    return found


def _append(_: _Plan, stage: AppendConstant, __: Stage | None) -> str:
    return f"sqlrp_constant(CAST('{float(stage.value)!r}' AS DOUBLE))"


def _sum(plan: _Plan, stage: WeightedSums, prior: Stage | None) -> str:
    d, k = stage.weights.shape
    constant = prior is not None and prior.appends
    facts = ", ".join(str(fact).lower() for fact in (stage.signs, stage.exact, stage.largest if stage.exact else 1))
    if stage.full:
        call = plan.add(f"SELECT {one(stage.weights.T.reshape(-1))} AS l{EMPTY}")
        return f"sqlrp_full_sums({k}, {d}, {str(constant).lower()}, {plan.dialect.string(call)}, {facts})"
    c, f = np.nonzero(stage.weights.T)
    features = np.where(f == d - 1, -1, f) if constant else f
    numbers = _unnested(c, "c"), _unnested(features, "f"), _unnested(stage.weights.T[c, f], "w")
    call = plan.add(f"SELECT {', '.join(numbers)}{EMPTY}")
    return f"sqlrp_given_sums({k}, {plan.dialect.string(call)}, {facts})"


def _multiply(plan: _Plan, stage: Products, _: Stage | None) -> str:
    n = len(stage.components)
    weights = np.ones(n, dtype=np.int64) if stage.weights is None else stage.weights
    columns = (
        f"unnest(range({n})) AS i",
        _unnested(stage.components, "c"),
        _unnested(weights, "w"),
        f"unnest(CAST(concat('{stage.factors.tolist()}', t) AS BIGINT[][])) AS v",
    )
    call = plan.dialect.string(plan.add(f"SELECT {', '.join(columns)}{EMPTY}"))
    facts = (stage.n_factors, stage.most_terms, stage.exact, stage.weights is None)
    return f"sqlrp_given_products({stage.n_outputs}, {', '.join(str(fact).lower() for fact in facts)}, {call})"


def _rescale(plan: _Plan, stage: Rescale, _: Stage | None) -> str:
    numbers = np.arange(len(stage.scale)) if stage.features is None else stage.features
    columns = _unnested(numbers, "f"), _unnested(stage.offset, "shift"), _unnested(stage.scale, "scale")
    call = plan.add(f"SELECT {', '.join(columns)}{EMPTY}")
    text = plan.dialect.string(f"SELECT f, shift, scale FROM {call}")
    shifts = 2 if stage.offset.any() else 1
    other = f"CAST('{float(stage.other)!r}' AS DOUBLE)"
    return f"sqlrp_stage('rescale', text := {text}, exact := false, heaviest := {shifts}, value := {other})"


def _map(plan: _Plan, stage: Elementwise, _: Stage | None) -> str:
    formulas = (written(formula, plan.dialect, "@", DOUBLE) for formula in stage.formulas)
    return ", ".join(f"sqlrp_map({plan.dialect.string(formula)})" for formula in formulas)


def _normalise(_: _Plan, __: Normalise, ___: Stage | None) -> str:
    return "sqlrp_stage('normalise', exact := false)"


def _unnested(values: npt.NDArray[Any], name: str) -> str:
    return f"unnest({one(values)}) AS {name}"


FORMS: Forms[Callable[[_Plan, Any, Stage | None], str]] = Forms(
    "in a saved projection of DuckDB",
    {
        AppendConstant: _append,
        WeightedSums: _sum,
        Products: _multiply,
        Rescale: _rescale,
        Elementwise: _map,
        Normalise: _normalise,
    },
)
"""The stages of fitted and given projections as calls of macros. Drawn methods have macros of their own."""
