"""A projection as its stages and its scale for one number of features, without the class that made them."""

from __future__ import annotations

from sqlrp._core.values import dataclass
from sqlrp._projections.projection import Projection
from sqlrp._stages import Stage


@dataclass(frozen=True)
class FixedStages(Projection):
    """A pipeline that is already made. It travels to processes that do not know the class of the method."""

    made: tuple[Stage, ...] = ()
    constant: float = 1.0

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The stages that it was made with."""
        return self.made

    def factor(self, n_features: int | None) -> float:
        """The scale that it was made with."""
        return self.constant
