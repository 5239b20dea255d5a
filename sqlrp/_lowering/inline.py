"""Inline: the signs become the text of expressions, one shallow tree of + and - per output.

The engine reads no matrix and streams the rows. Each stage maps a list of expressions to another. A list that is
read more than once is first named in one more level of subquery. If a pipeline has more terms than one statement
may have, it is cut into steps: blocks of outputs go into separate temporary tables, which are joined by row at the
end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import Number
from sqlrp._core.script import Relation, Script, Select, Setup
from sqlrp._lowering import convolutions
from sqlrp._lowering.butterflies import butterflies
from sqlrp._lowering.endpoints import (
    CLOSING,
    all_of,
    all_present,
    array_read,
    carried,
    carried_names,
    finished_statement,
    grouped,
    guard,
    long_read,
    normalised,
    rescaled,
    temporary_name,
    tree,
    wide_values,
)
from sqlrp._lowering.formula_sql import written
from sqlrp._lowering.hashed_sums import first_sum, hashed_read, hashed_terms
from sqlrp._lowering.job import Job, Step, fewest
from sqlrp._lowering.lowering import ASSUMED_ROWS, JOINED, Lowering
from sqlrp._lowering.partial_sums import SharedRounds
from sqlrp._lowering.terms import difference, paired, signed, sums_of_products, term
from sqlrp._stages import (
    ONE,
    AppendConstant,
    Butterfly,
    Convolved,
    Elementwise,
    Linear,
    Normalise,
    Products,
    ReflectedPick,
    Rescale,
    SumOverGroup,
)
from sqlrp._stages.forms import Forms

_NAMED = re.compile(r"\b[xvwu]\d+\b")
"""A name of a level of subquery."""


def _operators(expression: str) -> int:
    return expression.count("+") + expression.count("-") + expression.count("*")


class _Expressions:
    """The vector of a row while stages are applied, as expressions over the columns of `relation`.

    An empty expression is a dead entry: no later stage reads it.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.limit = job.dialect.limits.terms
        self.cut = job.inline_terms > self.limit
        self.relation: Relation = ""
        self.carried: list[str] = []
        self.expressions: list[str] = []
        self.named = False
        self.literals = False
        self.levels = 0
        self.stated = 0  # terms of the statement so far
        self.kind = job.summing
        self.narrow = job.narrow
        self.steps: list[Setup] = []

    def script(self) -> Script:
        """Read the source, apply every stage and shape the result."""
        job = self.job
        done = self._read()
        for step in job.core[done:]:
            FORMS.of(step.stage)(self, step.stage, step)
            if not step.stage.appends:
                self.kind = step.after
        if self.narrow and job.factor is None:  # a factor makes the numbers DOUBLE
            self._become([job.dialect.cast(e, self.kind) if e else "" for e in self.expressions])
        if self.cut or job.checked:
            self._name()
        values = self._split(self.expressions)
        return Script(finished_statement(job, self.relation, values, "ok" in self.carried), tuple(self.steps))

    def _read(self) -> int:
        """Read the source. Returns the number of steps that its columns have had."""
        job = self.job
        dialect, frame = job.dialect, job.frame
        extra, self.carried, done = carried(job), carried_names(job), 0
        self.relation = frame.relation(dialect)
        if frame.layout == "array":
            self.relation = array_read(job, extra)
            extra = list(self.carried)
            features = [dialect.element("x", j) for j in range(frame.width)]
            ok = guard(job, dialect.complete("x", frame.width))
        elif frame.layout == "long":
            at = None if frame.n_features is not None else first_sum(job)
            done, read = (0, long_read(job, extra)) if at is None else (at + 1, hashed_read(job, at, extra))
            self.relation, features, ok = read
            extra = list(self.carried)
        else:
            features = [dialect.quote(name) for name in frame.names]
            ok = guard(job, all_present(job))
        if ok:
            self.carried.append("ok")
        if self.cut:
            extra.append(f"{dialect.row_number()} AS r")
            self.carried.append("r")
        self.expressions = features if done else wide_values(job, features, self.narrow)
        self.kind = job.core[done - 1].after if done else self.kind
        first = None if done else next((step for step in job.core if not step.stage.appends), None)
        if first is not None and FORMS.of(first.stage) is _Expressions._sum:
            uses = (first.matrix != 0).sum(axis=1)[: len(features)]
            self._live(uses > 0)
            if first is job.core[0] and self._sums_at_once(uses):
                self._widen(first.after)
                self._add_up(first)
                done, self.kind = 1, first.after
        guards = [f"{ok} AS ok"] if ok else []
        if dialect.tries_aliases:  # the guard reads every column: none is replaced in it if it stands last
            self._level(extra, guards)
        else:
            self._level([*extra, *guards])
        if self.cut:
            self.relation = self._store(self.relation)
        return done

    def _sums_at_once(self, uses: npt.NDArray[np.int64]) -> bool:
        """Whether the level that reads the columns adds them up: each is in one sum, so that no name is read twice."""
        job = self.job
        can = job.projection.unprepared.sums_at_once and job.frame.layout == "wide" and not job.dialect.tries_aliases
        return can and not self.cut and int(uses.max(initial=0)) <= 1

    # -- forms: each writes the expressions of a stage's entries -------------------------------

    def _append(self, stage: AppendConstant, step: Step) -> None:
        if not self.kind.holds(step.after):
            self._widen(step.after)
            self.kind = step.after
        value = self.job.dialect.literal(stage.value, self.kind)
        self.expressions.append(value if stage.value >= 0 else f"({value})")  # a sign may precede it
        self.literals = True

    def _rescale(self, stage: Rescale, step: Step) -> None:
        self._widen(step.after)
        self._name()
        entries = zip(self.expressions, *stage.of(step.numbers), strict=True)
        self._become([rescaled(self.job, e, *by) for e, *by in entries])

    def _map(self, stage: Elementwise, step: Step) -> None:
        self._widen(step.after)
        for formula in stage.formulas:
            self._name()
            self._become([written(formula, self.job.dialect, e, step.after) for e in self.expressions])

    def _group(self, _: SumOverGroup, step: Step) -> None:
        """Sum the rows of each key into one row. It keeps their smallest row number, which no other group has."""
        self._name()
        values, names = self.expressions, self._names()
        extra = ["min(r) AS r"] if self.cut else []
        self.relation = grouped(self.job, self.relation, values, names, "ok" in self.carried, step, extra)
        self.expressions = names

    def _sum(self, _: Linear, step: Step) -> None:
        self._widen(step.after)
        matrix = step.matrix
        self._live((matrix != 0).sum(axis=1) > 0)
        self._name()
        if step.stage.shareable and step.shared.rounds:
            self._sum_shared(step, step.shared)
            return
        self._add_up(step)

    def _add_up(self, step: Step) -> None:
        """The sums of the step's matrix, each by itself, of entries that are wide enough."""
        matrix, x, dialect = step.matrix, self.expressions, self.job.dialect
        zero = dialect.literal(0, step.after)
        sums = []
        for column in matrix.T:
            plus, minus = (
                [term(dialect, x[j], column[j].item(), step.after) for j in np.flatnonzero(side).tolist()]
                for side in (column > 0, column < 0)
            )
            sums.append(difference(plus, minus) or zero)
        self._become(sums)

    def _sum_shared(self, step: Step, shared: SharedRounds) -> None:
        """The rounds of partial sums, one level per round, then the rest of every sum."""
        for entries in shared.rounds:
            self._become(paired(self.expressions, entries))
            self._name()
        x, zero = self.expressions, self.job.dialect.literal(0, step.after)
        self._become(
            [
                signed((sign, x[i]) for i, sign in zip(chosen, signs, strict=True) if i >= 0) or zero
                for chosen, signs in zip(shared.choice.T.tolist(), shared.sign.T.tolist(), strict=True)
            ]
        )

    def _butterfly(self, stage: Butterfly, step: Step) -> None:
        if (step.numbers != np.arange(len(step.numbers))).any():  # a constant's number is not its position
            self._sum(stage, step)
            return
        self._widen(step.after)
        self._name()
        self._sum_shared(step, butterflies(stage, step.numbers, step.most))

    def _reflect(self, stage: ReflectedPick, step: Step) -> None:
        self._widen(step.after)
        self._name(literals=True)
        x, d, two = self.expressions, *(self.job.dialect.literal(v, step.after) for v in (stage.n_features, 2))
        picked = sorted(set(stage.picked))
        total = f"{two}*{tree(x)} AS m"
        self.relation = Select((*self.carried, *(x[j] for j in picked), total), self.relation, self.job.dialect.fence)
        self._become([f"({d}*{x[j]}-m)" for j in stage.picked])

    def _normalise(self, _: Normalise, step: Step) -> None:
        self._widen(step.after)
        self._name(literals=True)
        x = self.expressions
        norm = f"{self.job.dialect.sqrt(tree([f'{e}*{e}' for e in x]))} AS m"
        self.relation = Select((*self.carried, *x, norm), self.relation, self.job.dialect.fence)
        self._become([normalised(e, "m") for e in x])

    def _multiply(self, stage: Products, step: Step) -> None:
        used = np.zeros(len(self.expressions), dtype=bool)
        used[stage.factors[stage.factors != ONE]] = True
        self._live(used)
        self._widen(step.after)
        self._name()
        self._become(sums_of_products(self.job.dialect, stage, self.expressions, step.after))

    def _convolve(self, stage: Convolved, step: Step) -> None:
        dialect, n, carried = self.job.dialect, 2 * stage.size, self.carried
        if not convolutions.splits(stage, step.after, dialect, step.most):
            self._multiply(stage, step)
            return
        self._widen(step.after)
        self._name()
        self._room(convolutions.operations(stage.size))  # here few entries are stored, between the levels many
        self._level([*carried, f"{tree([dialect.absolute(e) for e in self.expressions[:n]])} AS m"])
        self._level([*carried, "m", *convolutions.lists(dialect, self.expressions[:n])])
        self.carried = [*carried, "m", "a", "b"]

        def named(entries: Sequence[str], before: int) -> list[str]:
            self._become([*entries, *self.expressions[before:]])
            self._name()
            return self.expressions[: len(entries)]

        entries, before = convolutions.through(dialect, self.expressions[:n], named)
        self._become([*entries, *self.expressions[before:]])
        self.carried = carried

    # -- levels ------------------------------------------------------------------------------

    def _become(self, expressions: list[str]) -> None:
        """Set new expressions, which have no names yet."""
        self.expressions, self.named = expressions, False

    def _widen(self, kind: Number) -> None:
        dialect = self.job.dialect
        if self.kind != kind and (self.narrow or dialect.type_name(self.kind) != dialect.type_name(kind)):
            self.expressions = [dialect.cast(e, kind) if e else "" for e in self.expressions]
            self.named = False
            self.narrow = None

    def _live(self, used: npt.NDArray[np.bool_]) -> None:
        """Forget the entries that no later stage reads."""
        self.expressions = [e if alive else "" for e, alive in zip(self.expressions, used, strict=True)]

    def _name(self, literals: bool = False) -> None:
        """Name every live expression: in one more level, or in steps if there are too many terms.

        An appended constant stays a literal unless `literals` asks for a name for it too.
        """
        if self.named and not (literals and self.literals):
            return
        weights = [_operators(e) + 1 if e else 0 for e in self.expressions]
        self._room(sum(weights))
        if self.cut and sum(weights) > self.limit:
            self._blocks(weights)
        else:
            self.stated += sum(weights)
            self._level(self.carried)

    def _room(self, terms: int) -> None:
        """Begin another statement if the terms of all levels are too many for one."""
        if self.cut and self.stated + terms > self.limit and isinstance(self.relation, Select):
            self.relation = self._store(self.relation)

    def _names(self) -> list[str]:
        letter = "xvwu"[self.levels % 4]  # only neighbouring levels need different letters
        self.levels += 1
        self.named, self.literals = True, False
        return [f"{letter}{i}" if e else "" for i, e in enumerate(self.expressions)]

    def _level(self, extra: Sequence[str], last: Sequence[str] = ()) -> None:
        """Select the expressions by names, between `extra` and `last`."""
        values = self._split(self.expressions) if self.levels else self.expressions
        names = self._names()
        selected = [f"{e} AS {n}" for e, n in zip(values, names, strict=True) if n]
        self.relation = Select((*extra, *selected, *last), self.relation, self.job.dialect.fence)
        self.expressions = names

    def _split(self, values: list[str]) -> list[str]:
        """The expressions, with their first name written so that the engine splits the code of many terms.

        They read a level of subquery, so that a letter and digits are one of its names.
        """
        dialect = self.job.dialect
        if not dialect.uncompiled or sum(map(_operators, values)) <= dialect.compiled_terms:
            return values
        at = next(i for i, value in enumerate(values) if _NAMED.search(value))
        led = _NAMED.sub(lambda found: dialect.uncompiled.format(value=found[0]), values[at], count=1)
        return [*values[:at], led, *values[at + 1 :]]

    def _blocks(self, weights: Sequence[int]) -> None:
        """Compute the expressions in blocks within the limit, and join the blocks by row."""
        names = self._names()
        blocks: list[list[str]] = []
        terms = self.limit
        for expression, name, weight in zip(self.expressions, names, weights, strict=True):
            if not name:
                continue
            terms += weight
            if terms > self.limit:
                blocks.append([])
                terms = weight
            blocks[-1].append(f"{expression} AS {name}")
        parts = [self._store(Select(("r", *selected), self.relation)) for selected in blocks]
        columns = [f"b.{c} AS {c}" for c in self.carried] + [n for n in names if n]
        joins = "".join(f"\nJOIN {part} p{i} ON p{i}.r = b.r" for i, part in enumerate(parts))
        self.relation = Select(tuple(columns), f"{self.relation} b{joins}", flat=True)
        self.expressions = names

    def _store(self, relation: Relation) -> str:
        """Add a step that stores a relation in a temporary table."""
        self.stated = 0
        name = self.job.dialect.quote(temporary_name(self.job, len(self.steps)))
        self.steps.append(self.job.dialect.temporary_table(name, all_of(self.job, relation)))
        return name


FORMS: Forms[Callable[..., None]] = Forms(
    "as an expression of the inline lowering",
    {
        AppendConstant: _Expressions._append,
        Rescale: _Expressions._rescale,
        Linear: _Expressions._sum,
        Butterfly: _Expressions._butterfly,
        ReflectedPick: _Expressions._reflect,
        Products: _Expressions._multiply,
        Convolved: _Expressions._convolve,
        Elementwise: _Expressions._map,
        SumOverGroup: _Expressions._group,
        Normalise: _Expressions._normalise,
    },
)
"""The forms of all stages but the closing ones, which are in `sqlrp._lowering.endpoints`."""


def _unread(job: Job) -> str:
    """Why long rows are not read as wide ones; empty if they are."""
    if not job.dialect.long_as_wide:
        return JOINED
    if job.frame.n_features is not None and not job.frame.text_features:
        return ""
    if job.frame.n_features is None and first_sum(job) is not None:
        return ""
    return f"features that are not the positions below n_features have no columns before a drawn sum; {JOINED}"


class Inline(Lowering):
    """One SELECT, or several steps if the terms are too many for one statement."""

    name = "inline"
    forms = FORMS

    def unwritten(self, job: Job) -> str:
        """Why the layout or a stage has no form; empty if all have one."""
        if job.frame.layout == "long":
            unread = _unread(job)
            if unread:
                return unread
        return FORMS.refusal([step.stage for step in job.core]) or CLOSING.refusal(job.closing)

    def excess(self, job: Job, single: bool) -> str:
        """Why it is too large: too many columns, or several steps where only one is possible."""
        limit, drawn = job.dialect.limits.terms, hashed_terms(job)
        wide = super().excess(job, single) or convolutions.excess(job.inline_products, limit)
        if not wide and drawn > limit:
            wide = f"{drawn:,} terms of the draws are more than the {limit:,} of one statement"
        if wide or job.inline_terms <= limit:
            return wide
        more = f"{job.inline_terms:,} terms are more than the {limit:,} of one statement, and "
        if single:
            return f"{more}several steps fit neither a view nor a table function"
        none = f"{more}{job.dialect.name} has no temporary tables for several steps"
        return "" if job.dialect.has_temporary else none

    def widths(self, job: Job) -> Sequence[tuple[int, int | None]]:
        """The features, the entries of each stage and the outputs: each of them may be the columns of a subquery."""
        dialect, limits = job.dialect, job.dialect.limits
        cut = job.inline_terms > limits.terms
        columns = fewest(limits.columns, job.held, limits.stored if cut else None)
        last = job.k if cut or (job.output == "long" and not dialect.has_lists) else 0
        summed = job.stages if job.frame.n_features is None else job.stages[:-1]
        vectors = [stage.n_outputs for stage in summed if stage.n_outputs is not None]
        vectors += [stage.widest for stage in job.stages]
        return [
            (max([job.frame.width + 1, *vectors, last]), columns),
            (max([*vectors, 0 if job.shape == "columns" else job.k]), limits.expressions),
        ]

    def terms(self, job: Job) -> int:
        """The number of terms for one row, after the sharing of partial sums."""
        return job.inline_terms

    def features(self, job: Job) -> int:
        """All features, in any layout."""
        return job.frame.width

    def written(self, job: Job) -> int:
        """All terms."""
        return job.inline_terms + hashed_terms(job)

    def drawn(self, job: Job) -> int | None:
        """None, because the signs become text; those of an open vocabulary are drawn for each cell."""
        return (job.frame.cells or ASSUMED_ROWS) * hashed_terms(job) or None

    def lower(self, job: Job) -> Script:
        """The job as one SELECT, or as several steps."""
        return _Expressions(job).script()
