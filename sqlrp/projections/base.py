"""What every projection shares: its checks, its stages, its name, JSON and fingerprint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from sqlrp.core.draw import P, check_s, check_seed
from sqlrp.core.errors import ParameterError, SourceError, shorten
from sqlrp.kernels import LINEAR, Kernel
from sqlrp.stages import Linear, Stage


@dataclass(frozen=True)
class Projection(ABC):
    """A map from d features to k components, defined by its parameters alone.

    A subclass is a frozen dataclass of parameters that checks them in `check` and composes `stages`; it
    knows no SQL.
    """

    k: int = 64
    bound_to: Sequence[str] | int | None = field(default=None, kw_only=True)
    """The names of the features, or how many, that a saved or fitted projection holds for; None for any."""

    function: ClassVar[str]
    """The name of the method's SQL function."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the short repr, where `dataclass` would write one with all names and arrays that are held."""
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Projection.__repr__  # type: ignore[method-assign]  # once for each class, as dataclass does

    def __repr__(self) -> str:
        """The name."""
        return self.name

    def __post_init__(self) -> None:
        """Check every parameter; raises ParameterError. Equal parameters are then held as equal plain values."""
        check_whole("k", self.k, 1)
        if isinstance(self.bound_to, Sequence) and not isinstance(self.bound_to, str):
            object.__setattr__(self, "bound_to", tuple(self.bound_to))
        elif self.bound_to is not None:
            check_whole("bound_to", self.bound_to, 1)
        self.check()
        for name, value in self.parameters().items():
            object.__setattr__(self, name, value)

    def check(self) -> None:  # noqa: B027  # not every subclass adds parameters
        """Check the parameters that the subclass adds; raises ParameterError."""

    @abstractmethod
    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The pipeline for rows of `n_features` features (None: an open vocabulary), the scale not included.

        Raises ParameterError where the method needs to know the number of features.
        """

    @abstractmethod
    def factor(self, n_features: int | None) -> float:
        """The constant by which the outputs of `stages` are multiplied at the end."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the components; z0 … z{k-1}."""
        return tuple(f"z{c}" for c in range(self.k))

    @property
    def preparation(self) -> tuple[Stage, ...]:
        """The stages that prepare the features before the method's own: its distances are those of prepared rows."""
        return ()

    def remark(self, n_features: int | None) -> str:
        """What `explain` adds about the method; empty for nothing."""
        floats = any(isinstance(stage, Linear) and not stage.exact for stage in self.stages(n_features))
        return "the weights are floats: every term is a multiplication" if floats else ""

    def caution(self, n_features: int | None) -> str:
        """What a warning says about the method on so many features (None: an open vocabulary); empty for nothing.

        A method that keeps the features' own distances gains nothing by as many components as there are features.
        """
        if n_features is None or self.k < n_features or not self.kernel().linear:
            return ""
        return (
            f"k = {self.k:,} is not below the number of features = {n_features:,}: {type(self).__name__} does not "
            "reduce the dimensions here; lower k"
        )

    def bound(self, features: Sequence[str] | int | None) -> Self:
        """The projection, bound to these features."""
        return dataclasses.replace(self, bound_to=features)

    def check_features(self, names: Sequence[str] | None, n_features: int | None) -> None:
        """Raise SourceError where a source's features are not those that the projection is bound to.

        `names` None: a source whose features have no names.
        """
        bound = self.bound_to
        if bound is None:
            return
        if isinstance(bound, tuple) and names is not None and tuple(names) != bound:
            missing = [n for n in bound if n not in set(names)]
            extra = [n for n in names if n not in set(bound)]
            said = [f"{len(g)} {w}: {shorten(g)}" for w, g in (("missing", missing), ("extra", extra)) if g]
            raise SourceError(
                f"the projection holds for {len(bound)} features; of the source's {len(names)} are "
                f"{' and '.join(said) or 'all there, in another order'}: name the projection's own in features"
            )
        n = len(bound) if isinstance(bound, tuple) else bound
        if n_features is not None and n_features != n:
            raise SourceError(
                f"the projection holds for {n} features, the source has {n_features}: name {n} in features"
            )

    def kernel(self) -> Kernel:
        """The kernel that inner products of projected rows estimate, and whose distances `diagnose` compares with.

        Of prepared rows where there is a preparation. Unless a method says otherwise, ⟨x, y⟩.
        """
        return LINEAR

    def bias(self, n_features: int | None) -> str:
        """What the parameters add to the kernel in expectation, and the remedy; empty for an estimate without bias."""
        return ""

    def estimating(self) -> Projection:
        """The projection whose inner products estimate `kernel`: this one, or it without last steps that change them.

        `diagnose` measures this one.
        """
        return self

    @property
    def name(self) -> str:
        """The class name and the parameters, as they would be written in Python; fitted values are cut."""
        shown = {f: v for f, v in self.parameters().items() if not (f == "state" and v is None)}
        return f"{type(self).__name__}({', '.join(f'{f}={shorten(v)}' for f, v in shown.items())})"

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as plain values; bound_to only where it is set."""
        values = {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}
        bound = values.pop("bound_to")
        return values if bound is None else values | {"bound_to": bound}

    def to_json(self) -> str:
        """The projection as one line of JSON that `sqlrp.from_json` reads back."""
        return json.dumps(_named(self), sort_keys=True, default=_named)

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the JSON: equal projections, equal fingerprints."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def _named(projection: Projection) -> dict[str, Any]:
    return {"projection": type(projection).__name__, **projection.parameters()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def shortest(s: float | str) -> float | str:
    """A whole number as an int, so that 3 and 3.0 are one parameter, one JSON and one fingerprint."""
    return int(s) if not isinstance(s, str) and float(s).is_integer() else s


@dataclass(frozen=True)
class Drawn(Projection):
    """A projection that is drawn from `seed`, with no sparsity to choose."""

    seed: int = 0

    def __post_init__(self) -> None:
        """Check the seed, then the rest."""
        check_seed(self.seed)
        super().__post_init__()


@dataclass(frozen=True)
class Seeded(Projection):
    """A projection whose ±1/0 vectors are drawn with sparsity `s` from `seed`."""

    s: float | str = "sqrt"
    seed: int = 0

    def __post_init__(self) -> None:
        """Check s and seed, then the rest."""
        check_s(self.s)
        check_seed(self.seed)
        object.__setattr__(self, "s", shortest(self.s))
        super().__post_init__()


def known_features(projection: Projection, n_features: int | None) -> int:
    """The number of features; raises ParameterError for an open vocabulary, which the method cannot take."""
    if n_features is None:
        raise ParameterError(
            f"{type(projection).__name__} needs the number of features, which an open vocabulary does not have: "
            "pass n_features, or use SparseProjection or SparseEmbedding"
        )
    return n_features


def vectors_in_force(p: int | None, degree: int, t: int, k: int) -> int:
    """The p in force for a sum of products: the one given, or 2k within degree·t … degree·t·k."""
    return p if p is not None else min(max(2 * k, degree * t), degree * t * k)


def check_vectors(p: int | None, degree: int, t: int, k: int) -> None:
    """Raise ParameterError unless p is None or lies in degree·t … degree·t·k."""
    if p is None:
        return
    check_whole("p", p, 1)
    low, high = degree * t, degree * t * k
    if p < low:
        raise ParameterError(f"p = {p} must be at least degree * t = {low}: raise p, or lower t or degree")
    if p > high:
        raise ParameterError(f"p = {p} must be at most degree * t * k = {high}, all that are used: lower p")


def checked(projection: object) -> Projection:
    """The argument, where it is a projection; raises ParameterError for anything else."""
    if not isinstance(projection, Projection):
        raise ParameterError(f"projection {shorten(projection)} is not a projection of sqlrp: {_remedy(projection)}")
    return projection


def _remedy(value: object) -> str:
    """How to come from what was passed as a projection to one."""
    if isinstance(value, type) and issubclass(value, Projection):
        return f"it is the class, so call it, as in {value.__name__}(k=64)"
    if hasattr(value, "projection_"):
        return "it is a fitted transformer, so pass its projection_"
    if hasattr(value, "fit") and hasattr(value, "transform"):
        return "it is a transformer; sqlrp.from_sklearn makes a projection of some, once they are fitted"
    return "pass one, such as sqlrp.SparseProjection(k=64)"


def check_whole(name: str, value: object, low: int, high: int = P - 2, why: str = "") -> None:
    """Raise ParameterError unless `value` is a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        bounds = f"a whole number >= {low}" if high == P - 2 else f"a whole number from {low} to {high}"
        raise ParameterError(f"{name} = {value!r} must be {bounds}{why}")
