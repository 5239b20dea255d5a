"""What every projection shares: its checks, its stages, its name, JSON and fingerprint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sqlrp.errors import ParameterError
from sqlrp.signs import P, check_s, check_seed
from sqlrp.stages import Stage


@dataclass(frozen=True)
class Projection(ABC):
    """A map from d features to k components, defined by its parameters alone.

    A subclass is a frozen dataclass of parameters that checks them in `check` and composes `stages`; it
    knows no SQL.
    """

    k: int = 64

    function: ClassVar[str]
    """The name of the method's SQL function."""

    def __post_init__(self) -> None:
        """Check every parameter; raises ParameterError. Equal parameters are then held as equal plain values."""
        check_whole("k", self.k, 1)
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

    def kernel(self) -> tuple[int, float]:
        """The (degree, c) of the kernel (⟨x, y⟩ + c)^degree whose distances are estimated; (1, 0) is the plain one."""
        return 1, 0.0

    @property
    def name(self) -> str:
        """The class name and the parameters, as they would be written in Python."""
        return f"{type(self).__name__}({', '.join(f'{f}={v!r}' for f, v in self.parameters().items())})"

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as plain values."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    def to_json(self) -> str:
        """The projection as one line of JSON that `sqlrp.from_json` reads back."""
        return json.dumps({"projection": type(self).__name__, **self.parameters()}, sort_keys=True)

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the JSON: equal projections, equal fingerprints."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _shortest(s: float | str) -> float | str:
    """A whole number as an int, so that 3 and 3.0 are one parameter, one JSON and one fingerprint."""
    return int(s) if not isinstance(s, str) and float(s).is_integer() else s


@dataclass(frozen=True)
class Seeded(Projection):
    """A projection whose ±1/0 vectors are drawn with sparsity `s` from `seed`."""

    s: float | str = "sqrt"
    seed: int = 0

    def __post_init__(self) -> None:
        """Check s and seed, then the rest."""
        check_s(self.s)
        check_seed(self.seed)
        object.__setattr__(self, "s", _shortest(self.s))
        super().__post_init__()


def check_whole(name: str, value: object, low: int, high: int = P - 2, why: str = "") -> None:
    """Raise ParameterError unless `value` is a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        bounds = f"a whole number >= {low}" if high == P - 2 else f"a whole number from {low} to {high}"
        raise ParameterError(f"{name} = {value!r} must be {bounds}{why}")
