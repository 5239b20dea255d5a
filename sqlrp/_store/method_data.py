"""What a method's own Python says of its parameters and stages, as SQL for the functions in DuckDB and PostgreSQL.

`sqlrp._core.symbols` finds the checks and the stages as expressions. Here they become the function that composes the
stages of a call. In DuckDB, `n` is SQL text, as only the statement may know the number of features; so what depends on
it is written as text, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, get_type_hints

from sqlrp._core.draw import Purpose
from sqlrp._core.errors import LimitError, SqlrpError, UnsupportedError
from sqlrp._core.numbers import DOUBLE
from sqlrp._core.symbols import FunctionBody, Symbol, is_late, stated, texts_and_symbols
from sqlrp._engines.registry import dialect_named
from sqlrp._lowering.formula_sql import written
from sqlrp._projections import BY_NAME
from sqlrp._projections.projection import Projection
from sqlrp._stages import (
    AppendConstant,
    BlockSums,
    FourierSums,
    Normalise,
    NormalSums,
    SignedSums,
    SplitSums,
    Stage,
    SumOfProducts,
    SumOverGroup,
)
from sqlrp._stages.elementwise import Elementwise
from sqlrp._stages.forms import Forms
from sqlrp._stages.formulas import Formula

_N = Symbol("name", ("n",))


def statement(cls: type[Projection], fixed: Mapping[str, str] = {}) -> FunctionBody:
    """What a call of the method's function checks, and its value: the stages and their factor.

    `fixed`: the values of parameters that are known.
    """
    hints = get_type_hints(cls)
    named = {f.name: hints[f.name] for f in fields(cls) if f.name != "bound_to"}
    named |= {name: str for name in cls.arguments if name != cls.key_argument}
    kinds = {
        name: next((kind for kind in (bool, int, float) if kind in _kinds(hint)), str) for name, hint in named.items()
    }
    if "s" in kinds:
        kinds["s"] = str
    symbols = {name: fixed.get(name, Symbol("name", (name,), kind)) for name, kind in kinds.items()}

    def code() -> tuple[tuple[Stage, ...], float]:
        name, values = cls.of_call(symbols)
        method = object.__new__(cls if name == cls.__name__ else BY_NAME[name])
        for parameter, value in {**values, "bound_to": None}.items():
            object.__setattr__(method, parameter, value)
        method.__post_init__()
        return tuple(method.stages(_N)), method.factor(_N)  # type: ignore[arg-type]  # a symbol for the number

    return stated(code, SqlrpError, LimitError)


def _kinds(hint: Any) -> tuple[Any, ...]:
    return getattr(hint, "__args__", (hint,))


class Writer:
    """Expressions as SQL of one host."""

    name = ""

    def value(self, of: Any) -> str:
        """An expression as SQL."""
        if not isinstance(of, Symbol):
            return self.constant(of)
        op, parts = of.op, of.of
        if op in ("name", "row"):
            return self.n if op == "name" and parts[0] == "n" else str(parts[0])
        if op in ("choose", "where"):
            condition, one, other = parts
            return f"CASE WHEN {self.value(condition)} THEN {self.value(one)} ELSE {self.value(other)} END"
        if op in self.calls:
            return self.calls[op](self, *parts)
        a, b = (self.value(part) for part in parts)
        if op == "/":
            return f"(CAST({a} AS double precision) / {b})"
        return f"({a} {self.operators.get(op, op)} {b})"

    n = "n"
    operators: ClassVar[dict[str, str]] = {"==": "=", "!=": "<>"}
    calls: ClassVar[dict[str, Callable[..., str]]] = {
        "present": lambda w, x: f"{'n' if x.of[0] == 'n' else w.value(x)} IS NOT NULL",
        "not": lambda w, x: f"({w.value(x)}) IS NOT TRUE",
        "sqrt": lambda w, x: f"sqrt(CAST({w.value(x)} AS double precision))",
        "least": lambda w, x, y: f"least({w.value(x)}, {w.value(y)})",
        "greatest": lambda w, x, y: f"greatest({w.value(x)}, {w.value(y)})",
        "power": lambda w, x, y, _: f"power({w.value(x)}, {w.value(y)})",
        "resolve_s": lambda w, s, n: f"sqlrp_s({w.value(s)}, {w.value(n)})",
        "n_monomials": lambda w, d, degree: f"sqlrp_n_monomials({w.value(d)}, {w.value(degree)})",
    }

    def constant(self, value: Any) -> str:
        """A constant as SQL."""
        if value is None or isinstance(value, bool):
            return {None: "NULL", True: "true", False: "false"}[value]
        if isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        if value == float("inf"):
            return "CAST('Infinity' AS double precision)"
        return f"{value!r}e0" if isinstance(value, float) else str(int(value))

    def listed(self, stages: Sequence[Any], each: Callable[[Any], str], start: str) -> str:
        """A list of stages as SQL, of which some are lists themselves."""
        parts: list[str] = []
        run: list[str] = []
        for stage in stages:
            if isinstance(stage, Symbol) and stage.op == "spread":
                parts += [f"{start}{', '.join(run)}]"] if run else []
                run, inner = [], stage.of[0]
                if inner.op == "choose":
                    condition, one, other = inner.of
                    one, other = (self.listed(part, each, start) for part in (one, other))
                    parts.append(f"CASE WHEN {self.value(condition)} THEN {one} ELSE {other} END")
                else:
                    parts.append(each(inner))
            else:
                run.append(each(stage))
        parts += [f"{start}{', '.join(run)}]"] if run else []
        return " || ".join(parts) or self.empty

    empty = "[]"

    def stage(self, stage: Any, entries: Any) -> str:
        """A stage as a call. `entries`: how many it is over."""
        if isinstance(stage, Symbol):
            if stage.op == "choose":
                condition, one, other = stage.of
                one, other = self.stage(one, entries), self.stage(other, entries)
                return f"CASE WHEN {self.value(condition)} THEN {one} ELSE {other} END"
            return self.made[stage.op](self, entries, *stage.of)
        return self.forms.of(stage)(self, entries, stage)

    made: ClassVar[dict[str, Callable[..., str]]] = {}
    forms: ClassVar[Forms[Callable[..., str]]]


def _closing(stages: tuple[Any, ...]) -> tuple[tuple[Any, ...], bool, Any]:
    """The stages of a row, whether they are summed over a group, and whether root and norm follow."""
    at = next((at for at, stage in enumerate(stages) if isinstance(stage, SumOverGroup)), None)
    if at is None:
        return stages, False, False
    closing = stages[at + 1 :]
    chosen = closing[0].of[0].of[0] if closing and isinstance(closing[0], Symbol) else bool(closing)
    return stages[:at], True, chosen


def _entries(stages: Sequence[Any]) -> list[Any]:
    """How many entries each stage is over, as far as its form needs it."""
    found, n = [], _N
    for stage in stages:
        found.append(n)
        if isinstance(stage, Symbol) and stage.op in ("spread", "choose"):
            continue
        n = n if (left := stage.n_outputs) is None else left
    return found


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


class PostgreSQLWriter(Writer):
    """A function in PL/pgSQL, whose n is a number."""

    name = "postgresql"
    operators: ClassVar[dict[str, str]] = {**Writer.operators, "//": "/"}
    empty = "CAST('{}' AS jsonb[])"

    def composing(self, cls: type[Projection], named: str, parameters: str) -> str:
        """The function that composes the stages."""
        said = statement(cls)
        stages, factor = said.value
        row, grouped, closing = _closing(stages)
        over = dict(zip(map(id, row), _entries(row), strict=True))
        listed = self.listed(row, lambda stage: self.stage(stage, over.get(id(stage), _N)), "ARRAY[")
        rest = f", true, {self.value(closing)}" if grouped else ""
        return "\n".join(
            [
                f"-- The stages of {cls.__name__}.",
                f"CREATE OR REPLACE FUNCTION {named}({parameters}, n bigint) RETURNS jsonb",
                "LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$",
                "BEGIN",
                *(self.refusing(*refusal) for refusal in said.refusals),
                f"  RETURN sqlrp_pipeline({listed}, {self.value(factor)}{rest});",
                "END $f$;\n",
            ]
        )

    def refusing(self, conditions: Sequence[Symbol], text: Sequence[Any], limit: bool) -> str:
        """A refusal as a statement."""
        when = " AND ".join(map(self.value, conditions))
        words = ", ".join(self.shown(part) if isinstance(part, Symbol) else self.constant(part) for part in text)
        code = ", 'program_limit_exceeded'" if limit else ""
        return f"  IF {when} THEN\n    PERFORM sqlrp_refuse(concat({words}){code});\n  END IF;"

    def shown(self, of: Symbol) -> str:
        """A value within an error."""
        if of.op != "shown":
            return self.value(of)
        inner = of.of[0]
        return (
            f"quote_nullable({self.value(inner)})"
            if inner.kind is str
            else f"coalesce(CAST({self.value(inner)} AS text), 'NULL')"
        )

    def text(self, of: Any) -> str:
        """The text of an expression over the rows c and j, as SQL."""
        return _joined(self.pieces(of))

    def pieces(self, of: Any) -> list[str]:
        """The same as parts."""
        if not _over_rows(of):
            value = self.value(of)
            if isinstance(of, Symbol) and of.kind is float:
                return [f"format('CAST(%L AS double precision)', {value})"]
            return [f"CAST({value} AS text)"]
        return _structure(self, of)


def _joined(pieces: Sequence[str]) -> str:
    """Pieces of text as one expression; literals side by side are one."""
    found: list[str] = []
    for piece in pieces:
        if found and all(re.fullmatch("'(?:[^']|'')*'", text) for text in (found[-1], piece)):
            found[-1] = found[-1][:-1] + piece[1:]
        else:
            found.append(f"({piece})" if piece.startswith("CASE ") else piece)
    return " || ".join(found)


def _over_rows(of: Any) -> bool:
    return isinstance(of, Symbol) and (of.op == "row" or any(map(_over_rows, of.of)))


def _structure(writer: Any, of: Symbol) -> list[str]:
    """The pieces of an expression that is written out as text."""
    op, parts = of.op, of.of
    if op == "row":
        return [f"'{parts[0]}'"]
    if op in ("where", "choose"):
        a, b, c = (writer.pieces(part) for part in parts)
        return ["'CASE WHEN '", *a, "' THEN '", *b, "' ELSE '", *c, "' END'"]
    if op == "sqrt":
        return ["'sqrt('", *writer.pieces(parts[0]), "')'"]
    if op == "run" and writer.name == "postgresql":
        first, length = parts
        return [
            "'ARRAY(SELECT generate_series('",
            *writer.pieces(first),
            "', '",
            *writer.pieces(first + length - 1),
            "'))'",
        ]
    a, b = (writer.pieces(part) for part in parts)
    return ["'('", *a, f"' {writer.operators.get(op, op)} '", *b, "')'"]


def _products_postgresql(w: PostgreSQLWriter, _: Any, k: Any, t: Any, weight: Any, factors: Any) -> str:
    listed = (
        w.text(factors)
        if isinstance(factors, Symbol)
        else "'ARRAY[' || " + " || ', ' || ".join(map(w.text, factors)) + " || ']'"
    )
    number = factors.of[1] if isinstance(factors, Symbol) else len(factors)
    exact = "false" if isinstance(weight, Symbol) and weight.kind is float else "true"
    return f"sqlrp_products_of({w.value(k)}, {w.value(t)}, {w.value(number)}, {exact}, {w.text(weight)}, {listed})"


def _v(w: Writer, *parts: Any) -> str:
    return ", ".join(map(w.value, parts))


PostgreSQLWriter.made = {
    "products_of": _products_postgresql,
    "convolutions": lambda w, _, k, degree: f"sqlrp_convolutions({_v(w, k, degree)})",
    "products_across": lambda w, n, products, p: f"sqlrp_across({w.stage(products, n)}, {w.value(p)})",
    "picks": lambda w, _, *parts: f"sqlrp_picks({_v(w, *parts)})",
    "sampled_transform": lambda w, _, *parts: f"sqlrp_sampled_transform({_v(w, *parts)})",
    "all_monomials": lambda w, _, *parts: f"sqlrp_all_monomials({_v(w, *parts)})",
    "sums_and_squares": lambda w, _, *parts: f"sqlrp_sums_and_squares({_v(w, *parts)})",
}


def _map_postgresql(w: PostgreSQLWriter, n: Any, stage: Elementwise) -> str:
    found = []
    for formula in stage.formulas:
        parts = _formula(w.name, formula, "%1$s")
        keeps_zero = len(parts) == 1 and formula.keeps_zero  # it may not with some value of a parameter
        found.append(f"sqlrp_map({w.value(n)}, {_text_of(w, parts)}, {w.constant(keeps_zero)})")
    return ", ".join(found)


PostgreSQLWriter.forms = Forms(
    "in the functions of PostgreSQL",
    {
        SignedSums: lambda w, n, x: f"sqlrp_vectors({_v(w, n, x.n_vectors, x.s, x.seed)}{_purpose(x)})",
        NormalSums: lambda w, n, x: f"sqlrp_vectors({_v(w, n, x.n_vectors, None, x.seed)}{_purpose(x)})",
        FourierSums: lambda w, n, x: f"sqlrp_fourier_sums({_v(w, n, x.n_vectors, x.width, x.seed)})",
        BlockSums: lambda w, n, x: _blocks(w, x, _v(w, n) + ", "),
        SplitSums: lambda w, n, x: f"sqlrp_split_sums({w.stage(x.of, n)}, {w.value(x.split)})",
        SumOfProducts: lambda w, _, x: (
            f"sqlrp_drawn_products({_v(w, x.p, x.degree, x.t, x.k, x.seed, x.minimise_repetition)})"
        ),
        AppendConstant: lambda w, _, x: f"sqlrp_constant({w.value(x.value)})",
        Elementwise: _map_postgresql,
    },
)


def _purpose(stage: Any, named: str = "") -> str:
    return "" if stage.purpose == type(stage).purpose else f", {named}{int(stage.purpose)}"


def _formula(engine: str, formula: Formula, x: str) -> tuple[Any, ...]:
    """A formula over x as SQL: texts, and symbols for the parameters between them."""
    return texts_and_symbols(lambda: written(formula, dialect_named(engine), x, DOUBLE))


def _text_of(w: Any, parts: Sequence[Any]) -> str:
    """Texts and symbols as SQL that gives the text."""
    return _joined([piece for p in parts for piece in (w.pieces(p) if isinstance(p, Symbol) else [w.constant(p)])])


def _first_draw(stage: BlockSums) -> BlockSums:
    """The stage, refused if it is another draw than the first."""
    if stage.purpose != Purpose.BLOCKS:
        raise UnsupportedError(
            "the functions draw BlockSums for one purpose: take SignedSums or NormalSums for the other"
        )
    return stage


def _blocks(w: Writer, x: Any, first: str) -> str:
    one = f"sqlrp_block_sums({first}{_v(w, _first_draw(x).blocks, x.size, x.seed)})"
    if not isinstance(x.buckets, Symbol) and x.buckets == 1:
        return one
    many = f"sqlrp_bucket_sums({first}{_v(w, x.blocks, x.size, x.buckets, x.seed)})"
    return f"CASE WHEN {w.value(x.buckets)} > 1 THEN {many} ELSE {one} END"


# -- DuckDB -----------------------------------------------------------------------------------------------------------


class DuckDBWriter(Writer):
    """A macro, whose n is SQL text: what depends on it is text as well."""

    name = "duckdb"

    def __init__(self, late_n: str = "n") -> None:
        """`late_n`: what holds the text of the number of features."""
        self.late_n = late_n
        self.n = f"TRY_CAST({late_n} AS BIGINT)"

    def composing(self, cls: type[Projection], named: str, parameters: str, fixed: Mapping[str, str] = {}) -> str:
        """The macro that composes the stages, or those for the values of parameters that are known."""
        said = statement(cls, fixed)
        stages, factor = said.value
        row, grouped, closing = _closing(stages)
        early = [refusal for refusal in said.refusals if not _is_late(refusal)]
        late = [refusal for refusal in said.refusals if _is_late(refusal)]
        inner = DuckDBWriter("stated_n") if late else self
        listed = inner.listed(row, lambda stage: inner.stage(stage, _N), "[")
        arguments = f"{listed}, {inner.text(factor)}, k"
        text = f"sqlrp_pooled({arguments}, {self.value(closing)})" if grouped else f"sqlrp_pipeline({arguments})"
        if (
            fixed and len(found := set(re.findall(r"sqlrp_s\(s, s_type, \w+\)", text))) == 1
        ):  # bound once, not at each use
            (of_s,) = found
            text = f"list_transform([{of_s}], lambda stated_s: {text.replace(of_s, 'stated_s')})[1]"
        if late:
            text = f"list_transform([{self.checked(late)}], lambda stated_n: {text})[1]"
        if early:
            cases = " ".join(f"WHEN {self.conditions(r[0])} THEN error({self.words(r[1])})" for r in early)
            text = f"CASE {cases} ELSE {text} END"
        comment = f"-- The stages of {cls.__name__}."
        return f"{comment}\nCREATE OR REPLACE MACRO {named}({parameters}, n) AS\n  {text};\n"

    def conditions(self, conditions: Sequence[Symbol]) -> str:
        """Conditions, all of which are asked for."""
        return " AND ".join(map(self.value, conditions))

    def words(self, text: Sequence[Any]) -> str:
        """The text of an error."""
        parts = (self.shown(part) if isinstance(part, Symbol) else self.constant(part) for part in text)
        return f"concat({', '.join(parts)})"

    def shown(self, of: Symbol) -> str:
        """A value within an error."""
        return f"sqlrp_shown({self.value(of.of[0])})" if of.op == "shown" else self.value(of)

    def checked(self, late: Sequence[Any]) -> str:
        """n, or an error: at once where n is a number, and else when the statement runs."""
        now = " ".join(f"WHEN {self.conditions(r[0])} THEN error({self.words(r[1])})" for r in late)
        then: list[str] = []
        for conditions, text, _ in late:
            then += ["' WHEN '", *self.joined(map(self.pieces, conditions), "' AND '"), "' THEN error(concat('"]
            parts = [self.pieces(p) if isinstance(p, Symbol) else [self.constant(self.constant(p))] for p in text]
            then += [*self.joined(parts, "', '"), "'))'"]
        inside = _joined(["'CASE'", *then, "' ELSE n END'"])
        known = f"WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, {inside})"
        return f"CASE WHEN n IS NULL THEN NULL {known} {now} ELSE n END"

    @staticmethod
    def joined(parts: Any, between: str) -> list[str]:
        """Lists of pieces with one between each two."""
        found: list[str] = []
        for part in parts:
            found += [*([between] if found else []), *part]
        return found

    def text(self, of: Any) -> str:
        """An expression as SQL that gives it as text."""
        return _joined(self.pieces(of))

    def pieces(self, of: Any) -> list[str]:  # noqa: PLR0911  # one for each kind of expression
        """The same as parts."""
        if not isinstance(of, Symbol):
            if isinstance(of, float) and of.is_integer():
                return [f"'{int(of)}'" if of == 1 else f"'{of!r}e0'"]
            return [self.constant(self.constant(of))]
        if of.op == "name" and of.of[0] == "n":
            return [self.late_n]
        if of.op == "shown":
            return self.pieces(of.of[0])
        if of.op == "resolve_s":
            return [f"sqlrp_s(s, s_type, {self.text(of.of[1])})"]
        if of.op == "n_monomials":
            return [f"sqlrp_n_monomials({self.value(of.of[1])}, {self.late_n})"]
        if of.op == "power":
            return ["'pow('", *self.pieces(of.of[0]), "', '", *self.pieces(of.of[1]), "')'"]
        if of.op in ("choose", "where") and not is_late(of.of[0]) and not _over_rows(of.of[0]):
            condition, one, other = of.of
            return [f"CASE WHEN {self.value(condition)} THEN {self.text(one)} ELSE {self.text(other)} END"]
        if of.op == "run":
            first, length = of.of
            return ["'range('", *self.pieces(first), "', '", *self.pieces(first + length), "')'"]
        if is_late(of) or _over_rows(of) or (of.kind is float and of.op in ("/", "*", "+", "-", "sqrt")):
            return _structure_duckdb(self, of)
        if of.kind is float:
            return [f"sqlrp_double({self.value(of)})"]
        return [f"sqlrp_text({self.value(of)})" if of.kind is str else f"sqlrp_value({self.value(of)})"]


def _structure_duckdb(w: DuckDBWriter, of: Symbol) -> list[str]:
    if of.op == "/":
        a, b = (w.pieces(part) for part in of.of)
        return ["'(CAST('", *a, "' AS DOUBLE) / '", *b, "')'"]
    if of.op == "sqrt":
        return ["'sqrt(CAST('", *w.pieces(of.of[0]), "' AS DOUBLE))'"]
    if of.op == "not":
        return ["'('", *w.pieces(of.of[0]), "') IS NOT TRUE'"]
    return _structure(w, of)


def _is_late(refusal: Any) -> bool:
    conditions, text, _ = refusal
    return any(map(is_late, conditions)) or any(is_late(part) for part in text)


def _size(w: DuckDBWriter, of: Any) -> str:
    """A number of entries as text: digits where n is a number."""
    if not is_late(of):
        return w.value(of)
    if of.op == "n_monomials":
        return w.text(of)
    return f"coalesce(CAST({w.value(of)} AS VARCHAR), {w.text(of)})"


def _products_duckdb(w: DuckDBWriter, _: Any, k: Any, t: Any, weight: Any, factors: Any) -> str:
    if isinstance(factors, Symbol):
        first, length = factors.of
        listed = w.text(factors)
        drawn = w.text(Symbol("run", (first + 1, length)))
        number = w.value(length)
    else:
        listed = "'[' || " + " || ', ' || ".join(map(w.text, factors)) + " || ']'"
        drawn = "'[' || " + " || ', ' || ".join(w.text(factor + 1) for factor in factors) + " || ']'"
        number = str(len(factors))
    plain = "true" if not isinstance(weight, Symbol) and weight == 1 else "false"
    exact = "false" if isinstance(weight, Symbol) and weight.kind is float else "true"
    rule = f"{w.text(weight)}, {listed}, {drawn}, {plain}, {exact}"
    return f"sqlrp_products_of({_size(w, k)}, {w.value(t)}, {number}, {rule})"


def _t(w: DuckDBWriter, of: Any) -> str:
    """A number as text that is a float."""
    return f"'{float(of)!r}e0'" if not isinstance(of, Symbol) else w.text(of)


def _map_duckdb(w: DuckDBWriter, _: Any, stage: Elementwise) -> str:
    return ", ".join(f"sqlrp_map({_text_of(w, _formula(w.name, formula, '@'))})" for formula in stage.formulas)


DuckDBWriter.made = {
    "products_of": _products_duckdb,
    "convolutions": lambda w, _, k, degree: f"sqlrp_convolutions({_v(w, k, degree)})",
    "products_across": lambda w, n, products, p: f"sqlrp_across({w.stage(products, n)}, {w.value(p)})",
    "picks": lambda w, _, k, d, *rest: f"sqlrp_picks({w.value(k)}, {w.text(d)}, {_v(w, *rest)})",
    "sampled_transform": lambda w, _, k, d, *rest: (
        f"sqlrp_sampled_transform({w.value(k)}, {w.text(d)}, {_v(w, *rest)})"
    ),
    "all_monomials": lambda w, _, n, d, degree: f"sqlrp_all_monomials({w.text(n)}, {w.text(d)}, {w.value(degree)})",
    "sums_and_squares": lambda w, _, k, m, s, seed, d: (
        f"sqlrp_sums_and_squares({_v(w, k, m)}, {w.text(s)}, {w.value(seed)}, {w.text(d)})"
    ),
}
DuckDBWriter.forms = Forms(
    "in the functions of DuckDB",
    {
        SignedSums: lambda w, _, x: (
            f"sqlrp_signed_sums({w.value(x.n_vectors)}, {_t(w, x.s)}, {w.value(x.seed)}{_purpose(x, 'purpose := ')})"
        ),
        NormalSums: lambda w, _, x: f"sqlrp_normal_sums({_v(w, x.n_vectors, x.seed)}{_purpose(x, 'purpose := ')})",
        FourierSums: lambda w, _, x: (
            f"sqlrp_fourier_sums({w.value(x.n_vectors)}, {w.text(x.width)}, {w.value(x.seed)})"
        ),
        BlockSums: lambda w, _, x: _blocks(w, x, ""),
        SplitSums: lambda w, n, x: (
            f"sqlrp_split_sums({w.stage(x.of, n)}, {w.value(x.n_outputs)}, {w.value(x.split)}, {w.late_n})"
        ),
        SumOfProducts: lambda w, _, x: (
            f"sqlrp_drawn_products({_v(w, x.p, x.k, x.t, x.degree, x.seed, x.minimise_repetition)})"
        ),
        AppendConstant: lambda w, _, x: f"sqlrp_constant({w.value(x.value)})",
        Elementwise: _map_duckdb,
    },
)
WRITERS: dict[str, DuckDBWriter | PostgreSQLWriter] = {"duckdb": DuckDBWriter(), "postgresql": PostgreSQLWriter()}


# -- data -------------------------------------------------------------------------------------------------------------


class Data:
    """Expressions as the extension of DuckDB reads them (native/stated.h): in parentheses, after their operation."""

    def value(self, of: Any) -> str:
        """An expression."""
        if isinstance(of, Symbol):
            if of.op == "name":
                return str(of.of[0])
            if of.op == "row":
                return f"@{of.of[0]}"
            parts = of.of[:2] if of.op == "power" else of.of  # its third part is its name
            return self.listed(of.op, *parts)
        if of is None or isinstance(of, bool):
            return {None: "none", True: "true", False: "false"}[of]
        return f"'{of}'" if isinstance(of, str) else repr(float(of)) if isinstance(of, float) else str(int(of))

    def listed(self, op: str, *parts: Any) -> str:
        """An operation with its parts, of which some are written already."""
        return f"({' '.join([op, *(part[0] if isinstance(part, list) else self.value(part) for part in parts)])})"

    def stage(self, stage: Any) -> str:
        """A stage, or a choice of stages."""
        if isinstance(stage, tuple):
            return self.listed("list", *([self.stage(part)] for part in stage))
        if not isinstance(stage, Symbol):
            return self.forms.of(stage)(self, stage)
        if stage.op == "choose":
            condition, one, other = stage.of
            return self.listed("choose", condition, [self.stage(one)], [self.stage(other)])
        return self.stage(stage.of[0]) if stage.op == "spread" else self.made[stage.op](self, *stage.of)

    def stages(self, cls: type[Projection]) -> str:
        """The stages of a method."""
        return "".join(map(self.stage, statement(cls).value[0]))

    def factor(self, cls: type[Projection]) -> str:
        """The factor of its results."""
        return self.value(statement(cls).value[1])

    def refused(self, cls: type[Projection]) -> str:
        """When a call is refused: one of these holds."""
        found = []
        for conditions, _, _ in statement(cls).refusals:
            text = self.value(conditions[0])
            for condition in conditions[1:]:
                text = self.listed("and", [text], condition)
            found.append(text)
        return " ".join(found)

    @staticmethod
    def factors(of: Any) -> list[str]:
        """The factors of a product by their rule."""
        return [data.value(of) if isinstance(of, Symbol) else data.listed("of", *of)]

    made: ClassVar[dict[str, Callable[..., str]]] = {
        "products_of": lambda d, k, t, weight, factors: d.listed("products", k, t, weight, d.factors(factors)),
        "convolutions": lambda d, k, degree: d.listed("convolutions", k, degree),
        "products_across": lambda d, products, p: d.listed("across", [d.stage(products)], p),
        "picks": lambda d, *parts: d.listed("picks", *parts),
        "sampled_transform": lambda d, *parts: d.listed("transform", *parts),
        "all_monomials": lambda d, *parts: d.listed("monomials", *parts),
        "sums_and_squares": lambda d, *parts: d.listed("squares", *parts),
    }
    forms: ClassVar[Forms[Callable[..., str]]] = Forms(
        "in the extension of DuckDB",
        {
            SignedSums: lambda d, x: d.listed("signs", x.n_vectors, x.s, x.seed, x.purpose),
            NormalSums: lambda d, x: d.listed("normals", x.n_vectors, x.seed, x.purpose),
            FourierSums: lambda d, x: d.listed("fourier", x.n_vectors, x.width, x.seed),
            BlockSums: lambda d, x: d.listed("blocks", _first_draw(x).blocks, x.size, x.seed, x.buckets),
            SplitSums: lambda d, x: d.listed("split", [d.stage(x.of)], x.split),
            SumOfProducts: lambda d, x: d.listed("dealt", x.p, x.k, x.t, x.degree, x.seed, x.minimise_repetition),
            AppendConstant: lambda d, x: d.listed("append", x.value),
            SumOverGroup: lambda d, _: d.listed("group"),
            Normalise: lambda d, _: d.listed("norm"),
            Elementwise: lambda d, x: "".join(d.listed("map", *_formula("duckdb", of, "@")) for of in x.formulas),
        },
    )


data = Data()
