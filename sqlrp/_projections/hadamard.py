"""Randomised Hadamard transform (FHT, SRHT): butterflies of sums and differences (SVM paper, eq. 10)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import ClassVar

import numpy as np

from sqlrp._core.draw import draw_sample
from sqlrp._core.errors import check_choice
from sqlrp._core.paley import PRIMES, least_length
from sqlrp._core.symbols import root, stated_call
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_flag
from sqlrp._projections.projection import DrawnProjection, Projection, known_features
from sqlrp._stages import Butterfly, Stage

PADDINGS = ("power_of_two", "least")
"""The lengths that a row may be padded to."""


@dataclass(frozen=True)
class HadamardProjection(DrawnProjection):
    """k entries, drawn at random, of a Hadamard transform of ±x, times 1/√k (SVM paper, eq. 10).

    The row is padded with zeros to D entries (`padded`, which explain shows). With `padding` "power_of_two" D is
    2^⌈log2 d⌉. With "least" it is the least m·2^b ≥ d for m in 1, 12, 20, 28 and 36, so that d = 768, 1152, 1536 and
    3072 need no padding. These m are orders of Paley's Hadamard matrices (`sqlrp._core.paley`). The transform consists
    of sums and differences, about D·log2 D in all. The SQL contains only those that the sample needs.

    Every entry is drawn once before any entry is drawn again. With k = D nothing is lost: the inner products of
    projected rows are those of the rows. So `HadamardProjection(k=768, padding="least")` rotates rows of 768 features.
    `replacement` True draws the entries with replacement, as eq. 10 does. Distances then vary more.

    Raises ParameterError for k < 1, a seed outside 0 … 2⁵³-1, another padding, a replacement that is not a bool or an
    open vocabulary.

        >>> rotation = sqlrp.HadamardProjection(k=4, seed=7)
        >>> sqlrp.project_vector(rotation, [1.0, 2.0, 4.0, 8.0])
        array([-7.5,  4.5, -1.5,  2.5])
    """

    use: ClassVar[str] = "embeddings, their bits, and rotations without loss"

    padding: str = field(default="power_of_two", kw_only=True)
    replacement: bool = field(default=False, kw_only=True)

    function: ClassVar[str] = "fht_project"
    parameter_help: ClassVar[Mapping[str, str]] = {
        "padding": "the length that rows are padded to: power_of_two, or least, which is a power of two times 1, "
        + ", ".join(map(str, PRIMES)),
        "replacement": "draw the entries with replacement; without it, k = the padded length loses nothing",
    }

    def check(self) -> None:
        """Check padding and replacement."""
        check_choice("padding", self.padding, PADDINGS)
        check_flag("replacement", self.replacement)

    def padded(self, n_features: int) -> int:
        """D, the length of the transform."""
        return _length(n_features, self.padding)[0]

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        d = known_features(self, n_features)
        return (sampled_transform(self.k, d, self.seed, self.padding, self.replacement),)

    def factor(self, n_features: int | None) -> float:
        return 1 / root(self.k)

    def remark(self, n_features: int | None) -> str:
        """The number of entries after padding."""
        d = known_features(self, n_features)
        padded = self.padded(d)
        return f"{d:,} features, without padding" if padded == d else f"{d:,} features padded with zeros to {padded:,}"

    def caution(self, n_features: int | None) -> str:
        """No warning for a whole transform, which is a rotation."""
        whole = not self.replacement and n_features is not None and self.k == self.padded(n_features)
        return "" if whole else super().caution(n_features)

    def back_error(self, n_features: int) -> float | None:
        """The error for a sample of k of D orthogonal vectors, of which d entries are read.

        It is d·q/k² + (D - d)/(D - 1)·(1 - q/k²) - 1, where q is the expected sum of the squared numbers of times that
        the vectors are drawn. With replacement it is (d - 1)/k. Without, it is (d - k)/k for D = d ≥ k.
        """
        k, d, length = self.k, n_features, self.padded(n_features)
        if self.replacement or length == 1:
            return (d - 1) / k
        times, more = divmod(k, length)
        share = (more * (times + 1) ** 2 + (length - more) * times**2) / k**2
        return max(d * share + (length - d) / (length - 1) * (1 - share) - 1, 0.0)

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """Entries drawn without replacement."""
        if self.replacement:
            yield dataclasses.replace(self, replacement=False)

    def components_for(self, fold: float, n_features: int | None) -> int:
        """Without replacement the distortion falls with √(k/(1-(k-1)/D))."""
        if self.replacement or n_features is None:
            return super().components_for(fold, n_features)
        length = self.padded(n_features)
        drawn = min(self.k, length)
        effective = drawn / (1 - (drawn - 1) / length) * fold
        return min(math.ceil(effective * (length + 1) / (length + effective)), length)


def _length(n_features: int, padding: str) -> tuple[int, int]:
    """D, and the order of Paley's block; 1 for none."""
    return least_length(n_features) if padding == "least" else (1 << (n_features - 1).bit_length(), 1)


@stated_call()
def sampled_transform(k: int, d: int, seed: int, padding: str, replacement: bool) -> Stage:
    """A sample of k entries of a Hadamard transform of d features, padded with zeros and with drawn signs."""
    padded, block = _length(d, padding)
    sample = draw_sample(padded, k, seed, replacement)
    return Butterfly(padded, tuple(np.resize(sample, k).tolist()), seed, block)
