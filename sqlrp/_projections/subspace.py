"""Random subspace (RS): a random choice of features, with Householder's reflection to densify sparse rows.

N. Lim and R. J. Durrant, *Linear dimensionality reduction in linear time: Johnson-Lindenstrauss-type
guarantees for random subspace*.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from sqlrp._core.draw import draw_sample, draw_strata
from sqlrp._core.errors import ParameterError, shorten
from sqlrp._core.symbols import is_text, present, root, stated_call
from sqlrp._core.values import dataclass
from sqlrp._projections.bounds import min_k
from sqlrp._projections.checks import check_flag
from sqlrp._projections.method_advice import ABOVE, CHANCE, Advice, MethodMeasures
from sqlrp._projections.projection import DrawnProjection, Projection, known_features
from sqlrp._stages import ReflectedPick, Stage, WeightedSums

_PAPER = "Lim, Durrant, random subspace"


@dataclass(frozen=True)
class RandomSubspace(DrawnProjection):
    """k of the d features, drawn without replacement, times √(d/k) (Lim and Durrant).

    `densify` "householder" reflects every row about the diagonal first, x_j - 2·Σx/d (section 4.3, Theorem 3).
    Lengths stay the same. Rows with few non-zeros get a smaller regularity constant c, and then need a smaller k to
    keep distances. Only the sum of the row and the picked features are computed.

    `stratified` picks one feature from each of k equal parts of the list of features. Where neighbours are alike, such
    as pixels or times of a day, this keeps distances better. Each feature is picked k/d times in expectation; the one
    at the border of two parts may be picked twice, unless k divides d.

    Raises ParameterError for k < 1, k > d, another densify, a seed outside 0 … 2⁵³-1 or an open vocabulary.

        >>> sqlrp.project_vector(sqlrp.RandomSubspace(k=2, seed=7), [1.0, 2.0, 4.0, 8.0])
        array([5.65685425, 1.41421356])
    """

    use: ClassVar[str] = "columns drawn as they are: the fastest, for dense rows such as pixels"

    densify: str | None = None
    stratified: bool = field(default=False, kw_only=True)

    function: ClassVar[str] = "rs_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "densify": "householder reflects the rows first, for rows with few non-zeros",
        "stratified": "picks one feature from each of k equal parts of the list",
    }
    chosen: ClassVar[tuple[str, ...]] = ("k",)
    nearly_normal: ClassVar[bool] = False  # its distances depend on the regularity of the rows

    def check(self) -> None:
        """Check densify and stratified."""
        if present(self.densify) and not is_text(self.densify, "householder"):
            raise ParameterError(
                f"densify = {shorten(self.densify)} must be 'householder', or None to pick features as they are"
            )
        check_flag("stratified", self.stratified)

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """One stage that picks the features, with or without the reflection."""
        d = known_features(self, n_features)
        if self.k > d:
            raise ParameterError(f"k = {self.k} must be at most the number of features = {d}: lower k")
        return (picks(self.k, d, self.seed, self.stratified, present(self.densify)),)

    def factor(self, n_features: int | None) -> float:
        """√(d/k), divided by d for the reflection, as its stage multiplies by d."""
        d = known_features(self, n_features)
        return root(d / self.k) / (d if present(self.densify) else 1)

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """k = 64, or the number of features if that is smaller."""
        return values | {"k": min(cls.k, n_features)} if values["k"] is None else values

    def back_error(self, n_features: int) -> float | None:
        """(d - k)/k, for features picked without replacement.

        Features at the border of two strata have a larger error than the others, and then it depends on the rows.
        """
        shared = self.stratified and n_features % self.k
        return None if shared else (n_features - self.k) / self.k

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """With the reflection, or without it."""
        yield dataclasses.replace(self, densify=None if self.densify else "householder")

    def components_for(self, fold: float, n_features: int | None) -> int:
        """The distortion falls with √(k/(1-(k-1)/d)), as features are picked without replacement (Theorem 2)."""
        d = n_features
        if d is None:
            return super().components_for(fold, d)
        effective = self.k / (1 - (self.k - 1) / d) * fold
        return min(math.ceil(effective * (d + 1) / (d + effective)), d)

    def advice(self, measured: MethodMeasures) -> Iterator[Advice]:
        """The k that theory needs to keep all distances, and whether to reflect (Theorems 2 and 3)."""
        c, reflected, d = measured.regularity, measured.reflected, measured.n_features
        if c is None or reflected is None or d is None:
            return
        (plain, _), (turned, _) = (self._least(measured, value, d) for value in (c, reflected))
        need, figure = self._least(measured, reflected if self.densify else c, d)
        text = (
            f"With a chance of {1 - CHANCE:.0%} every squared distance between the {measured.sampled:,} sampled rows "
        )
        text += f"is kept within {measured.wanted:.3g} from k = {need:,} on. This says nothing of rows outside the "
        text += f"sample: only all {d:,} features keep theirs."
        theorem = "Theorem 1" if self.stratified else "Theorem 2"
        yield Advice("note", text, figure, f"{_PAPER}, {theorem}; c of the differences of rows, by the proof in A.1")
        yield self._reflection(measured, plain, turned)

    def _reflection(self, measured: MethodMeasures, plain: int, turned: int) -> Advice:
        """Advice whether to reflect, from the k that theory needs without and with the reflection."""
        source = f"{_PAPER}, 4.3, Theorems 2 and 3: k grows with the c of differences"
        figure = (
            f"c = {measured.regularity:.3g} as they are, c' = {measured.reflected:.3g} reflected: the largest of all "
        )
        figure += "sampled differences"
        used, other = (turned, plain) if self.densify else (plain, turned)
        if used > ABOVE * other:
            text = (
                "The rows' differences are more regular as they are: without densify"
                if self.densify
                else 'The rows\' differences are irregular: with densify = "householder"'
            )
            text += f" theory asks for k = {other:,} to keep every distance between the sampled rows, rather than "
            return Advice("change", f"{text}{used:,}.", figure, source)
        if other > ABOVE * used:
            text = "The reflection serves these rows" if self.densify else "The rows' differences are regular enough"
            return Advice("keep", f"{text}: theory asks for k = {used:,}, and otherwise for {other:,}.", figure, source)
        text = f"The reflection changes little: theory asks for k = {plain:,} without it, and {turned:,} with it."
        return Advice("keep", text, figure, source)

    def _least(self, measured: MethodMeasures, largest: float, d: int) -> tuple[int, str]:
        """The smallest k for which theory keeps every distance of the sampled rows, and its derivation.

        It depends on the largest c of all differences of rows, not on a typical one. The picks of strata are
        independent of one another, so Theorem 1 holds for them, and all d strata pick every feature.
        """
        rows, c = measured.sampled, min(max(largest, 1.0), d)
        own, shown = (None, "") if self.stratified else (d, f", d={d:,}")
        need = min(min_k(rows, measured.wanted, CHANCE, "rs", c=c, d=own), d)
        figure = f"min_k({rows:,}, eps={measured.wanted:.3g}, delta={CHANCE}, method='rs', c={c:.3g}{shown}) = {need:,}"
        return need, figure


@stated_call()
def picks(k: int, d: int, seed: int, stratified: bool, reflected: bool) -> Stage:
    """k of d features, drawn without replacement or one from each of k equal parts, of the row or of its reflection."""
    picked = draw_strata(d, k, seed) if stratified else draw_sample(d, k, seed, replace=False)
    if reflected:
        return ReflectedPick(d, tuple(picked.tolist()))
    table = np.zeros((d, k), dtype=np.int8)
    table[picked, np.arange(k)] = 1
    return WeightedSums(table)
