"""Several steps as one projection: scalings and projections, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.values import dataclass
from sqlrp._projections.code_fields import Fields
from sqlrp._projections.given import ArrayProjection, finite
from sqlrp._projections.held_arrays import Shapes
from sqlrp._projections.projection import Projection
from sqlrp._stages import Normalise, Rescale, Stage
from sqlrp.kernels import Kernel, Unknown


@dataclass(frozen=True)
class Scaling(ArrayProjection):
    """x_j ↦ (x_j - offset_j)·scale_j, and then the row over its Euclidean norm if `norm` is set; a step of `Chained`.

    k is the number of features. With `fill`, a NULL is first the number of its feature in it. `of` makes it.
    """

    optional: ClassVar[tuple[str, ...]] = ("fill",)

    @classmethod
    def of(
        cls, offset: npt.ArrayLike, scale: npt.ArrayLike, norm: bool = False, fill: npt.ArrayLike | None = None
    ) -> Self:
        """The scaling by arrays of shape (features,). Raises ParameterError for other shapes, NaN or infinity."""
        shift, size = (finite(n, v, 1).astype(np.float64) for n, v in (("offset", offset), ("scale", scale)))
        if shift.shape != size.shape:
            raise ParameterError(f"offset has {len(shift)} entries and scale {len(size)}: each needs one per feature")
        filled = {} if fill is None else {"fill": finite("fill", fill, 1).astype(np.float64)}
        return cls(k=len(size)).with_arrays(offset=shift, scale=size, norm=np.array(norm), **filled)

    @property
    def shapes(self) -> Shapes:
        """One offset, one scale and one number for NULL for each feature."""
        return {"offset": (self.k,), "scale": (self.k,), "norm": (), "fill": (self.k,)}

    @property
    def fills(self) -> bool:
        return self.state is not None and "fill" in self.arrays

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The rescaling, unless it changes nothing, then the norm.

        What takes the place of NULL is subtracted first: a NULL is 0 after that.
        """
        offset, scale, norm = (self.arrays[name] for name in ("offset", "scale", "norm"))
        first: tuple[Stage, ...] = ()
        if self.fills:
            fill = self.arrays["fill"]
            first, offset = (Rescale(fill, np.ones(self.k)),), offset - fill
        rescaled = offset.any() or (scale != 1).any()
        return *first, *((Rescale(offset, scale),) if rescaled else ()), *((Normalise(),) if norm else ())

    def factor(self, n_features: int | None) -> float:
        return 1.0


@dataclass(frozen=True)
class Chained(Projection):
    """The steps in `of`, each applied to the result of the step before; `sqlrp.from_sklearn` makes it of a pipeline.

    `k` is that of the last step. Each step that is drawn needs a seed of its own: of one seed, two steps would draw the
    same signs, and not be independent. Raises ParameterError if there is no step, if a step is not a projection, or if
    two steps are drawn from one seed. Chains that were saved, and pipelines that were fitted, keep the seeds they have,
    and their use gives a warning.

        >>> steps = sqlrp.SparseProjection(k=8, s=1), sqlrp.PolynomialKernelProjection(k=4, seed=1)
        >>> sqlrp.Chained(of=steps).k
        4
    """

    of: tuple[Projection, ...] = ()
    shared_seeds: bool = field(default=False, kw_only=True, compare=False)
    """whether steps may have one seed, as in what was stored or fitted so; no parameter, and not stored itself"""

    when_stored: ClassVar[Mapping[str, Any]] = {"shared_seeds": True}
    function: ClassVar[str] = "project_with"
    own_function: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Take k from the last step, then check the rest."""
        steps = tuple(self.of) if isinstance(self.of, (tuple, list)) else (self.of,)
        for step in steps:
            if not isinstance(step, Projection):
                raise ParameterError(f"of holds {shorten(step)}, which is not a projection")
        if not steps:
            raise ParameterError("of = () must hold at least one projection")
        object.__setattr__(self, "of", steps)
        object.__setattr__(self, "k", steps[-1].k)
        late = next((number for number, step in enumerate(steps[1:], 2) if step.fills), None)
        if late is not None:
            raise ParameterError(f"step {late} of {len(steps)} fills NULL, which makes a row NULL before: put it first")
        if self._said_of_seeds and not self.shared_seeds:
            raise ParameterError(f"{self._said_of_seeds}: give each step a seed of its own")
        super().__post_init__()

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """Those of the steps."""
        return tuple(seed for step in self.of for seed in step.drawn_seeds)

    @property
    def _said_of_seeds(self) -> str:
        """Which steps are drawn from one seed, in words; empty if none are."""
        first: dict[int, int] = {}
        for at, step in enumerate(self.of):
            for seed in step.drawn_seeds:
                if seed in first:
                    return (
                        f"steps {first[seed]} and {at} of the chain are both drawn from seed = {seed}, so that their "
                        "signs are the same"
                    )
            first |= dict.fromkeys(step.drawn_seeds, at)
        return ""

    def parameters(self) -> dict[str, Any]:
        """Without what is not stored."""
        return {name: value for name, value in super().parameters().items() if name not in self.when_stored}

    @property
    def _scalings(self) -> int:
        """The number of scalings at the beginning."""
        return next((i for i, step in enumerate(self.of) if not isinstance(step, Scaling)), len(self.of))

    @property
    def preparation_only(self) -> bool:
        """Whether every step is a scaling."""
        return self._scalings == len(self.of)

    @property
    def fills(self) -> bool:
        """Whether the first step does."""
        return self.of[0].fills

    @property
    def preparation(self) -> tuple[Stage, ...]:
        """The stages of the scalings at the beginning."""
        return tuple(stage for step in self.of[: self._scalings] for stage in step.stages(step.k))

    @property
    def unprepared(self) -> Projection:
        """The steps after the scalings at the beginning."""
        at = self._scalings
        if at == 0 or self.preparation_only:
            return self
        return self.of[at] if at == len(self.of) - 1 else Chained(of=self.of[at:], shared_seeds=self.shared_seeds)

    @property
    def unrounded(self) -> Projection:
        """With the last step unrounded."""
        return self._ending(self.of[-1].unrounded)

    @property
    def unshifted(self) -> Projection:
        """With the last step unrounded and without a shift."""
        return self._ending(self.of[-1].unshifted)

    def _ending(self, last: Projection) -> Projection:
        """With another last step."""
        return self if last is self.of[-1] else replace(self, of=(*self.of[:-1], last))

    @property
    def code_shift(self) -> float:
        """That of the last step."""
        return self.of[-1].code_shift

    @property
    def code_range(self) -> tuple[int, int] | None:
        """That of the last step."""
        return self.of[-1].code_range

    @property
    def fields(self) -> Fields | None:
        """Those of the last step."""
        return self.of[-1].fields

    def _sized(self, n_features: int | None) -> Iterator[tuple[Projection, int | None]]:
        """Every step with its number of features."""
        for step in self.of:
            yield step, n_features
            n_features = step.k

    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The stages of all steps. Between two steps the scale of the first becomes a stage."""
        found: list[Stage] = []
        factor = 1.0
        for step, n in self._sized(n_features):
            own = list(step.stages(n))
            if any(stage.groups for stage in own):
                raise UnsupportedError(
                    f"{type(step).__name__} sums the rows of a group, which no step of a chain may: materialize it, "
                    "and project its table with the next steps"
                )
            if factor != 1 and isinstance(own[0] if own else None, Rescale):
                first: Rescale = own[0]  # type: ignore[assignment]
                own[0] = replace(first, offset=first.offset / factor, scale=first.scale * factor)
            elif factor != 1:
                found.append(Rescale(np.zeros(n or 0), np.full(n or 0, factor)))
            found, factor = found + own, step.factor(n)
        return tuple(found)

    def factor(self, n_features: int | None) -> float:
        """The scale of the last step."""
        *_, (last, n) = self._sized(n_features)
        return last.factor(n)

    def kernel(self) -> Kernel:
        """The kernel of the projection after the scalings, for scaled rows; several together have no known one."""
        return self.of[-1].kernel() if self._scalings == len(self.of) - 1 else Unknown()

    def over_arrays(self, sizes: Sequence[int]) -> Projection:
        """The first step over these arrays, then the others."""
        return replace(self, of=(self.of[0].over_arrays(sizes), *self.of[1:]))

    def estimating(self) -> Projection:
        """The chain with the estimating projection of its last step."""
        return replace(self, of=(*self.of[:-1], self.of[-1].estimating()))

    @property
    def name(self) -> str:
        return f"Chained({', '.join(step.name for step in self.of)})"

    def resolved_name(self, n_features: int | None) -> str:
        """The names of the steps, with the parameters that are used."""
        return f"Chained({', '.join(step.resolved_name(n) for step, n in self._sized(n_features))})"

    def remark(self, n_features: int | None) -> str:
        """The names of the steps, in their order."""
        return f"steps: {', then '.join(type(step).__name__ for step in self.of)}"

    def caution(self, n_features: int | None) -> str:
        said = [self._said_of_seeds, *(step.caution(n) for step, n in self._sized(n_features))]
        return "; ".join(filter(None, said))

    def check_fitted(self) -> None:
        """Raise ParameterError if a step needs arrays that it does not have yet."""
        for step in self.of:
            step.check_fitted()
