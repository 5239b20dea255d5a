"""Inline: the signs become the text of an expression, one shallow tree of + and - per output.

No matrix is read; the engine streams. Each stage maps a list of expressions to another; a list that is
read more than once is first given names by one more level of subquery. A pipeline with more terms than
one statement may hold is cut into steps: blocks of outputs go into temporary tables of their own, joined
by row at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sqlrp.core.numbers import Number
from sqlrp.core.script import Script
from sqlrp.dialects.base import Dialect
from sqlrp.lowering.endpoints import (
    CLOSING,
    all_present,
    carried,
    carried_names,
    checked_array,
    ended,
    grouped,
    guard,
    normalised,
    rescaled,
    signed_root,
    temporary_name,
    tree,
    wide_values,
)
from sqlrp.lowering.job import Job, Step
from sqlrp.stages import (
    ONE,
    AppendConstant,
    Butterfly,
    Exponential,
    Linear,
    Normalise,
    Power,
    Products,
    ReflectedPick,
    Rescale,
    SignedRoot,
    SumOverGroup,
    Weights,
)
from sqlrp.stages.forms import Forms


def inline(job: Job) -> Script:
    """The job as one SELECT, or as several steps where one statement cannot hold its terms."""
    return _Inline(job).script()


class _Inline:
    """The vector of a row while stages are applied: expressions over the columns of `relation`.

    An empty expression is a dead entry, which no later stage reads.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.limit = job.engine.limits.terms
        self.cut = job.inline_terms > self.limit
        self.relation = ""
        self.carried: list[str] = []
        self.expressions: list[str] = []
        self.named = False
        self.literals = False
        self.levels = 0
        self.kind = job.summing
        self.steps: list[str] = []
        self.temporary: list[str] = []

    def script(self) -> Script:
        """Read, apply every stage, shape the result."""
        job = self.job
        core = job.core
        self._read(core)
        for step in core:
            FORMS.of(step.stage)(self, step.stage, step)
            if not step.stage.appends:
                self.kind = step.after
        if self.cut:
            self._name()
        query = ended(job, self.relation, self.expressions, "ok" in self.carried)
        return Script(
            query, tuple(self.steps), tuple(job.engine.drop_temporary(name) for name in reversed(self.temporary))
        )

    def _read(self, core: Sequence[Step]) -> None:
        job = self.job
        engine, frame = job.engine, job.frame
        extra, self.carried = carried(job), carried_names(job)
        self.relation = frame.relation(engine)
        if frame.layout == "array":
            inner = ", ".join([*extra, f"{checked_array(engine, frame)} AS x"])
            self.relation = f"(SELECT {inner} FROM {self.relation}{engine.fence}) s"
            extra = list(self.carried)
            features = [engine.element("x", j) for j in range(frame.n_features or 0)]
            complete = engine.complete("x")
        else:
            features = [engine.quote(name) for name in frame.names]
            complete = all_present(job)
        ok = guard(job, complete)
        if ok:
            extra.append(f"{ok} AS ok")
            self.carried.append("ok")
        if self.cut:
            extra.append(f"{engine.row_number()} AS r")
            self.carried.append("r")
        self.expressions = wide_values(job, features)
        first = next((step for step in core if not step.stage.appends), None)
        if first is not None and FORMS.of(first.stage) is _Inline._sum:
            self._live((first.matrix != 0).sum(axis=1)[: len(features)] > 0)
        self._level(extra)
        if self.cut:
            self.relation = self._store(self.relation)

    # -- forms: each makes the expressions of a stage's entries --------------------------------

    def _append(self, stage: AppendConstant, step: Step) -> None:
        if not self.kind.holds(step.after):
            self._widen(step.after)
            self.kind = step.after
        self.expressions.append(self.job.engine.literal(stage.value, self.kind))
        self.literals = True

    def _rescale(self, stage: Rescale, step: Step) -> None:
        self._widen(step.after)
        self._name()
        entries = zip(self.expressions, *stage.of(step.numbers), strict=True)
        self._become([rescaled(self.job.engine, e, *by) for e, *by in entries])

    def _power(self, stage: Power, step: Step) -> None:
        self._widen(step.after)
        add = self.job.engine.literal(stage.add, step.after)
        self._become([f"({e}+{add})" for e in self.expressions])
        self._name()
        self._become(["*".join([e] * stage.degree) for e in self.expressions])

    def _exponential(self, _: Exponential, step: Step) -> None:
        self._widen(step.after)
        self._name()
        self._become([self.job.engine.exp(e) for e in self.expressions])

    def _root(self, _: SignedRoot, step: Step) -> None:
        self._widen(step.after)
        self._name()
        self._become([signed_root(e) for e in self.expressions])

    def _group(self, _: SumOverGroup, step: Step) -> None:
        """The rows of a key become one row; of their numbers the least stays, which no other group has."""
        self._name()
        values, names = self.expressions, self._names()
        extra = ["min(r) AS r"] if self.cut else []
        self.relation = grouped(self.job, self.relation, values, names, "ok" in self.carried, step.after, extra)
        self.expressions = names

    def _sum(self, _: Linear, step: Step) -> None:
        self._widen(step.after)
        matrix = step.matrix
        self._live((matrix != 0).sum(axis=1) > 0)
        self._name()
        if step.shareable and step.shared.rounds:
            self._sum_shared(step)
            return
        x, engine = self.expressions, self.job.engine
        zero = engine.literal(0, step.after)
        sums = []
        for column in matrix.T:
            plus, minus = (
                [_term(engine, x, column, j, step.after) for j in np.flatnonzero(side).tolist()]
                for side in (column > 0, column < 0)
            )
            if plus:
                sums.append(f"({tree(plus)}-{tree(minus)})" if minus else tree(plus))
            else:
                sums.append(f"-{tree(minus)}" if minus else zero)
        self._become(sums)

    def _sum_shared(self, step: Step) -> None:
        """The rounds of partial sums, a level each, then what is left of every sum."""
        shared = step.shared
        for entries in shared.rounds:
            x, sides = self.expressions, zip(entries.left, entries.right, entries.sign, strict=True)
            self.expressions = [
                f"{x[a]}{'+' if sign > 0 else '-'}{x[b]}" if a >= 0 and b >= 0 else x[max(a, b)] for a, b, sign in sides
            ]
            self.named = False
            self._name()
        x, zero = self.expressions, self.job.engine.literal(0, step.after)
        self.expressions = [
            _signed([("-" if sign < 0 else "") + x[i] for i, sign in zip(chosen, signs, strict=True) if i >= 0]) or zero
            for chosen, signs in zip(shared.choice.T.tolist(), shared.sign.T.tolist(), strict=True)
        ]
        self.named = False

    def _butterfly(self, stage: Butterfly, step: Step) -> None:
        """Layers of sums and differences, the highest bit first: its partners are mostly padding, which costs nothing.

        An entry is a sign and an expression; one without an expression is 0.
        """
        if (step.numbers != np.arange(len(step.numbers))).any():  # a constant, whose number has bits of its own
            self._sum(stage, step)
            return
        self._widen(step.after)
        self._name()
        flips = stage.flips(step.numbers)
        entries = dict(enumerate(zip((int(f) for f in flips), self.expressions, strict=True)))
        bits = [1 << b for b in range(stage.padded.bit_length() - 1)]
        needed = [set(stage.sample)]
        for bit in bits:
            needed.append({j for i in needed[-1] for j in (i & ~bit, i | bit)})
        for bit, wanted in zip(reversed(bits), reversed(needed[:-1]), strict=True):
            layer = {
                i: _joined(entries.get(i & ~bit), entries.get(i | bit), -1 if i & bit else 1) for i in sorted(wanted)
            }
            self.expressions, self.named = [e for _, e in layer.values()], False
            self._name()
            entries = {i: (sign, e) for (i, (sign, _)), e in zip(layer.items(), self.expressions, strict=True)}
        zero = self.job.engine.literal(0, step.after)
        picked = [entries.get(i, (1, "")) for i in stage.sample]
        self.expressions = [("-" if sign < 0 else "") + e if e else zero for sign, e in picked]
        self.named = False

    def _reflect(self, stage: ReflectedPick, step: Step) -> None:
        self._widen(step.after)
        self._name(literals=True)
        x, d, two = self.expressions, *(self.job.engine.literal(v, step.after) for v in (stage.n_features, 2))
        picked = sorted(set(stage.picked))
        columns = ", ".join([*self.carried, *(x[j] for j in picked), f"{two}*{tree(x)} AS m"])
        self.relation = f"(SELECT {columns}\nFROM {self.relation}) s"
        self._become([f"({d}*{x[j]}-m)" for j in stage.picked])

    def _normalise(self, _: Normalise, step: Step) -> None:
        self._widen(step.after)
        self._name(literals=True)
        x = self.expressions
        columns = ", ".join([*self.carried, *x, f"sqrt({tree([f'{e}*{e}' for e in x])}) AS m"])
        self.relation = f"(SELECT {columns}\nFROM {self.relation}) s"
        self._become([normalised(e, "m") for e in x])

    def _multiply(self, stage: Products, step: Step) -> None:
        used = np.zeros(len(self.expressions), dtype=bool)
        used[stage.factors[stage.factors != ONE]] = True
        self._live(used)
        engine = self.job.engine
        self._widen(step.after)
        self._name()
        v = self.expressions
        terms = ["*".join([v[i] for i in product if i != ONE] or ["1"]) for product in stage.factors.tolist()]
        if stage.weights is not None:
            terms = [_weighted(engine, e, w, step.after) for e, w in zip(terms, stage.weights.tolist(), strict=True)]
        zero = engine.literal(0, step.after)
        bounds = np.searchsorted(stage.components, np.arange(stage.n_outputs + 1)).tolist()
        self._become([_signed(terms[start:end]) or zero for start, end in pairwise(bounds)])

    # -- levels ------------------------------------------------------------------------------

    def _become(self, expressions: list[str]) -> None:
        """New expressions, which have no names yet."""
        self.expressions, self.named = expressions, False

    def _widen(self, kind: Number) -> None:
        if self.kind != kind:
            self.expressions = [self.job.engine.cast(e, kind) if e else "" for e in self.expressions]
            self.named = False

    def _live(self, used: npt.NDArray[np.bool_]) -> None:
        """Forget the entries that no later stage reads."""
        self.expressions = [e if alive else "" for e, alive in zip(self.expressions, used, strict=True)]

    def _name(self, literals: bool = False) -> None:
        """Give every live expression a name: by one more level, or by steps where they are too many.

        A constant that was appended stays a literal unless `literals` says that it needs a name too.
        """
        if self.named and not (literals and self.literals):
            return
        weights = [e.count("+") + e.count("-") + e.count("*") + 1 if e else 0 for e in self.expressions]
        if self.cut and sum(weights) > self.limit:
            self._blocks(weights)
        else:
            self._level(self.carried)

    def _names(self) -> list[str]:
        letter = "xvwu"[self.levels % 4]  # only neighbouring levels meet
        self.levels += 1
        self.named, self.literals = True, False
        return [f"{letter}{i}" if e else "" for i, e in enumerate(self.expressions)]

    def _selected(self, names: Sequence[str]) -> list[str]:
        return [f"{e} AS {n}" for e, n in zip(self.expressions, names, strict=True) if n]

    def _level(self, extra: Sequence[str]) -> None:
        names = self._names()
        selected = ", ".join([*extra, *self._selected(names)])
        self.relation = f"(SELECT {selected}\nFROM {self.relation}{self.job.engine.fence}) s"
        self.expressions = names

    def _blocks(self, weights: Sequence[int]) -> None:
        """Compute the expressions in blocks, each within the limit, and join the blocks by row."""
        if self.relation.startswith("("):
            self.relation = self._store(self.relation)
        names = self._names()
        block_of = (np.cumsum(weights) - 1) // self.limit
        parts = []
        for block in np.unique(block_of):
            selected = [
                f"{e} AS {n}" for e, n, b in zip(self.expressions, names, block_of, strict=True) if n and b == block
            ]
            if selected:
                parts.append(self._store(f"(SELECT {', '.join(['r', *selected])}\nFROM {self.relation}) s"))
        columns = [f"b.{c} AS {c}" for c in self.carried] + [n for n in names if n]
        joins = "".join(f"\nJOIN {part} p{i} ON p{i}.r = b.r" for i, part in enumerate(parts))
        self.relation = f"(SELECT {', '.join(columns)} FROM {self.relation} b{joins}) s"
        self.expressions = names

    def _store(self, query: str) -> str:
        """A temporary table of a subquery, made by one more step."""
        name = self.job.engine.quote(temporary_name(self.job, len(self.temporary)))
        self.steps.append(self.job.engine.create_temporary(name, f"SELECT * FROM {query}"))
        self.temporary.append(name)
        return name


FORMS: Forms[Callable[..., None]] = Forms(
    "as an expression of the inline lowering",
    {
        AppendConstant: _Inline._append,
        Rescale: _Inline._rescale,
        Linear: _Inline._sum,
        Butterfly: _Inline._butterfly,
        ReflectedPick: _Inline._reflect,
        Products: _Inline._multiply,
        Power: _Inline._power,
        Exponential: _Inline._exponential,
        SumOverGroup: _Inline._group,
        SignedRoot: _Inline._root,
        Normalise: _Inline._normalise,
    },
)
"""The forms of a stage before the end of the pipeline; those at its end are in `sqlrp.lowering.endpoints`."""


def refusal(job: Job) -> str:
    """Why the lowering does not hold for a job's stages; empty where it does."""
    return FORMS.refusal([step.stage for step in job.core]) or CLOSING.refusal(job.closing)


def _term(engine: Dialect, x: Sequence[str], weights: Weights, j: int, kind: Number) -> str:
    """One term of a sum, without its sign."""
    weight = abs(weights[j].item())
    return x[j] if weight == 1 else f"{engine.literal(weight, kind)}*{x[j]}"


def _weighted(engine: Dialect, product: str, weight: float, kind: Number) -> str:
    """One term of a sum of products, with its sign in front."""
    sign = "-" if weight < 0 else ""
    return sign + (product if abs(weight) == 1 else f"{engine.literal(abs(weight), kind)}*{product}")


def _signed(terms: Sequence[str]) -> str:
    """A sum of terms, some of which begin with a minus; empty of none."""
    if not terms:
        return ""
    plus = [e for e in terms if not e.startswith("-")]
    minus = [e[1:] for e in terms if e.startswith("-")]
    if not plus:
        return f"-{tree(minus)}"
    return f"({tree(plus)}-{tree(minus)})" if minus else tree(plus)


def _joined(a: tuple[int, str] | None, b: tuple[int, str] | None, sign: int) -> tuple[int, str]:
    """a + sign·b of two signed entries, as a signed entry."""
    if a is None or not a[1]:
        return (1, "") if b is None or not b[1] else (sign * b[0], b[1])
    if b is None or not b[1]:
        return a
    return a[0], f"{a[1]}{'+' if a[0] * sign * b[0] > 0 else '-'}{b[1]}"
