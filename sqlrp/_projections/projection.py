"""The base class of projections: checks, stages, name, JSON and fingerprint."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import SEED_BOUND, check_s, check_seed, purpose_of, resolve_s
from sqlrp._core.errors import ParameterError, UnsupportedError, shorten
from sqlrp._core.reprs import parameter_table
from sqlrp._core.symbols import present
from sqlrp._core.values import dataclass
from sqlrp._projections.checks import check_bound, check_size, check_whole, checked_bound, remedy, shortest
from sqlrp._projections.code_fields import Fields
from sqlrp._projections.method_advice import Advice, Measure, MethodMeasures
from sqlrp._stages import Linear, ReflectedPick, Stage, Weights
from sqlrp.kernels import LINEAR, Kernel

Floats = npt.NDArray[np.float64]
BackMap = tuple[Weights, float, Floats | None]
"""Weights of shape (k, d), the factor of their sums, and the offset that is added."""
SIZES = ("k", "degree", "t", "m", "nnz_per_feature")
"""The parameters whose product is at least the number of entries that the tables of a projection state for any rows.

A method whose parameter is no such size, such as a threshold, gives it another name.
"""
SEED = "which table is drawn; the same for rows that are to be compared"


@dataclass(frozen=True)
class Projection(ABC):
    """A map from rows x of shape (rows, d) to rows z of shape (rows, k), defined by its parameters alone.

    A subclass is a frozen dataclass of parameters. It checks them in `check`, returns its pipeline in `stages`,
    and contains no SQL. Everything specific to a method is in its class; the rest of the package uses these members.

        >>> isinstance(rp, sqlrp.Projection), rp.outputs
        (True, ('z0', 'z1'))
    """

    k: int = 64
    bound_to: Sequence[str] | int | None = field(default=None, kw_only=True)
    """The names or the number of the features that a saved or fitted projection is for; None for any."""

    function: ClassVar[str]
    """The name of the SQL function that runs the method."""
    own_function: ClassVar[bool] = True
    """False if that function belongs to another method."""
    sums_at_once: ClassVar[bool] = False
    """True if the level of the inline text that reads the columns adds them up, where each is in one sum. The functions
    inside databases write a level of its own for the sums."""
    arguments: ClassVar[Mapping[str, str | None]] = {}
    """The arguments of the function besides the parameters, with their defaults."""
    key_argument: ClassVar[str] = ""
    """The argument in `arguments` that names the key instead of `key`; empty for none."""
    also: ClassVar[tuple[str, ...]] = ()
    """Other names that the command line understands."""
    use: ClassVar[str] = ""
    """What it is for, in a few words, for those who choose among all methods."""
    parameter_help: ClassVar[Mapping[str, str]] = {"k": "components of the result"}
    """A short help text for each parameter and argument; a subclass lists those that it adds."""

    called: ClassVar[str] = "projection"
    """What messages about its features call it."""
    needs_state: ClassVar[bool] = False
    """Whether it must be fitted, or made from given arrays, before it can project."""
    learns: ClassVar[bool] = False
    """Whether `sqlrp.fit` fits it on a sample."""
    when_stored: ClassVar[Mapping[str, Any]] = {}
    """What `from_json` passes besides the parameters, so that what is stored can always be read."""
    unstated: ClassVar[Mapping[str, Any]] = {}
    """What a stored definition means that was written before a parameter was added, even if its default changes."""
    sheds: ClassVar[bool] = False
    """Whether `rotated` leaves components out."""
    transforms: ClassVar[bool] = True
    """Whether it has a scikit-learn transformer, which must return one row for each row."""
    chosen: ClassVar[tuple[str, ...]] = ()
    """Parameters of a transformer that `choose` sets from the rows it is fitted on, if they are None."""
    nearly_normal: ClassVar[bool] = True
    """Whether its distances vary almost as in a Gaussian projection, if its other parameters are large enough."""

    _repr_html_ = parameter_table

    def __init_subclass__(cls, **options: Any) -> None:
        """Keep the short repr, as `dataclass` would write one with all names and arrays."""
        super().__init_subclass__(**options)
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Projection.__repr__  # type: ignore[method-assign]  # set on each class, as dataclass does

    def __repr__(self) -> str:
        """The name."""
        return self.name

    def __post_init__(self) -> None:
        """Check every parameter, and store equal parameters as equal plain values; raises ParameterError."""
        check_whole("k", self.k, 1)
        object.__setattr__(self, "bound_to", checked_bound(self.bound_to))
        self.check()
        check_size({name: value for name in SIZES if isinstance(value := getattr(self, name, 1), int) and value > 1})
        for name, value in self.parameters().items():
            object.__setattr__(self, name, value)

    def check(self) -> None:  # noqa: B027  # not every subclass adds parameters
        """Check the parameters that the subclass adds; raises ParameterError."""

    @abstractmethod
    def stages(self, n_features: int | None) -> tuple[Stage, ...]:
        """The pipeline for rows of `n_features` features (None: an open vocabulary), without the scale.

        Raises ParameterError if the method needs the number of features and it is None.
        """

    def after(self, preparation: tuple[Stage, ...], n_features: int | None) -> tuple[Stage, ...]:
        """The pipeline for rows that these stages prepare, with them."""
        return (*preparation, *self.stages(n_features))

    @abstractmethod
    def factor(self, n_features: int | None) -> float:
        """The scale: the constant that multiplies the outputs of `stages`."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the components: z0 … z{k-1}."""
        return tuple(f"z{c}" for c in range(self.k))

    @property
    def preparation(self) -> tuple[Stage, ...]:
        """The stages that prepare the features before the method's own. Distances are those of the prepared rows."""
        return ()

    @property
    def fills(self) -> bool:
        """Whether a NULL becomes a value of the projection's own, which its first stage subtracts from the others."""
        return False

    def remark(self, n_features: int | None) -> str:
        """A remark of `explain` about the method; empty for none."""
        floats = any(isinstance(stage, Linear) and not stage.exact for stage in self.stages(n_features))
        return "the weights are floats: every term is a multiplication" if floats else ""

    def caution(self, n_features: int | None) -> str:
        """The text of a warning about the method on n_features features (None: an open vocabulary); empty for none."""
        # Where the distances of the features are kept, k as large as the number of features is no gain.
        if n_features is None or self.k < n_features or not self.kernel().linear:
            return ""
        return (
            f"k = {self.k:,} is not below the number of features = {n_features:,}: {type(self).__name__} does not "
            "reduce the dimensions here; lower k"
        )

    @classmethod
    def purpose(cls, number: int) -> int:
        """The `purpose` of draw number 1, 2, … of the method, for a stage that draws besides another of its kind.

        It differs from the purpose of every other draw, so that both tables are independent at the same seed.
        """
        return purpose_of(cls.function, number)

    # -- SQL functions and the command line -----------------------------------------------------------------------

    @classmethod
    def command(cls) -> str:
        """The name on the command line: from the method's own SQL function, or else from the class."""
        if cls.own_function:
            return cls.function.removesuffix("_project")
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", cls.__name__.removesuffix("Projection")).lower()

    @classmethod
    def help_by_parameter(cls) -> dict[str, str]:
        """A short help text for every parameter and argument: `parameter_help` of the class and its bases."""
        words: dict[str, str] = {}
        for base in reversed(cls.__mro__):
            words |= base.__dict__.get("parameter_help", {})
        return words

    @classmethod
    def of_call(cls, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """The name and the parameters of the class that a call of the SQL function with these `values` uses."""
        return cls.__name__, dict(values)

    def composed_in_sql(self, n_features: int | None) -> bool:
        """Whether the SQL function composes the stages itself for this many features."""
        return True

    def over_arrays(self, sizes: Sequence[int]) -> Projection:
        """The projection for rows whose features are in array columns of these lengths; for most methods, this one."""
        return self

    # -- fitting --------------------------------------------------------------------------------------------------

    @classmethod
    def choose(cls, values: dict[str, Any], n_rows: int, n_features: int) -> dict[str, Any]:
        """The parameters of a transformer, with values for these rows and features for `chosen` ones that are None."""
        return values

    @classmethod
    def components_from(cls, k: int, values: Mapping[str, Any]) -> int:
        """The smallest number of components, at least k, that the method can have with these parameters."""
        return k

    @property
    def unprepared(self) -> Projection:
        """The method that projects the prepared rows; the projection itself if it has no preparation."""
        return self

    @property
    def unrounded(self) -> Projection:
        """The projection of the vector of a search: in the same steps but not rounded, as it is not stored."""
        return self

    @property
    def unshifted(self) -> Projection:
        """The same for inner products with what the rounded components stand for: they and `code_shift`."""
        return self.unrounded

    @property
    def code_shift(self) -> float:
        """How much more than its whole number a rounded component stands for, in steps."""
        return 0.0

    def asking(self, metric: str, bits: bool) -> tuple[Projection, float]:
        """The projection of a vector that is compared with components, and what theirs stand for beyond themselves.

        `bits`: whether only their signs are compared. Differences need no shift: the vector has it subtracted.
        """
        shift = 0.0 if bits or metric == "l2" else self.code_shift
        return (self.unshifted if shift else self.unrounded), shift

    @property
    def code_range(self) -> tuple[int, int] | None:
        """The least and the largest whole number of components that are rounded; None if they are not."""
        return None

    @property
    def fields(self) -> Fields | None:
        """The places of rounded components in words; None if they are not packed."""
        return None

    def rotated(self, seed: int, among: Sequence[int] | None = None) -> Projection:
        """The projection with components of about one size, among which distances stay; itself if they are, or may be.

        Numbers of one size are rounded by a smaller step. `among`: a number for each component. Those of one number are
        rotated among themselves, and those of 0 are left out, where `sheds`.
        """
        return self

    @property
    def sampling_seed(self) -> int:
        """The seed for drawing samples for the projection."""
        return int(self.parameters().get("seed", 0))

    @property
    def sample_size(self) -> int:
        """The number of rows to learn from; 0 for a method that does not learn, or that learns from all rows."""
        return 0

    @property
    def iterations(self) -> int:
        """The number of steps of fitting; 0 if it reports no progress."""
        return 0

    def fitted_on(
        self, x: Floats, bound_to: Sequence[str] | int | None, progress: Callable[[int, float], bool] | None = None
    ) -> Projection:
        """The projection fitted on the rows of x, shape (rows, features), and bound to these features.

        Raises ParameterError for a method that does not learn.
        """
        raise ParameterError(f"projection {shorten(self)} does not learn from data: use it as it is")

    def check_fitted(self) -> None:  # noqa: B027  # most methods need nothing
        """Raise ParameterError if the method needs arrays that it does not have yet."""

    # -- back to the features -------------------------------------------------------------------------------------

    def has_back_map(self, n_features: int) -> bool:
        """Whether `back_map` has a map: the method is linear. Nothing is drawn."""
        return self._only_sum(n_features) is not None

    def _only_sum(self, n_features: int) -> Linear | ReflectedPick | None:
        """The stage of a method that is one stage of sums."""
        first, *more = self.stages(n_features)
        return first if isinstance(first, (Linear, ReflectedPick)) and not more else None

    def back_map(self, n_features: int) -> BackMap:
        """The map from projected rows to an estimate of the features: f·R·z for a drawn z = f·Rᵀx.

        Raises UnsupportedError for a method that is not linear.
        """
        stage = self._only_sum(n_features)
        if stage is None:
            raise UnsupportedError(
                f"{type(self).__name__} is not linear, so its rows have no estimate of the features: back_project "
                "takes one stage of sums, such as SparseProjection's"
            )
        return stage.matrix(np.arange(n_features, dtype=np.int64)).T, self.factor(n_features), None

    def back_error(self, n_features: int) -> float | None:
        """E‖x̂ - x‖²/‖x‖² of `back_map` over the seeds, for any row x; None if it depends on the data."""
        return None

    def shrinking_error(self, n_features: int) -> float | None:
        """The error by which `back_project` shrinks its estimate; None for no shrinking."""
        return self.back_error(n_features)

    # -- properties of the method ---------------------------------------------------------------------------------

    def sparsity(self, n_features: int) -> float | None:
        """The sparsity s of its signs for that number of features; None for a method without sparse signs."""
        return None

    def tuned(self, n_iter: int, sample: int) -> tuple[str, dict[str, Any]] | None:
        """The name and the parameters of the method that tunes a table such as this one to data; None for no such.

        `n_iter`: the steps of its search. `sample`: the rows that it learns from. `projections.build` makes it.
        """
        return None

    def gradient_sums(self) -> Projection:
        """The projection of single rows whose outputs are summed over a group, for `sqlrp.gradient_sql`.

        Raises ParameterError for a method without a gradient.
        """
        raise ParameterError(f"projection {shorten(self)} has no gradient in SQL: it must be a BilinearPooling")

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """The seeds from which its tables are drawn; empty if they are learnt or given."""
        return ()

    # -- advice -------------------------------------------------------------------------------------------------------

    def components_for(self, fold: float, n_features: int | None) -> int:
        """The k for a mean distortion that is √fold times as small: fold times as many, as it falls with √k."""
        return math.ceil(self.k * fold)

    def toward(self, wanted: float, measure: Measure, n_features: int) -> Projection | None:
        """The method with its parameters raised so that its law of distortion gives `wanted`; None if it has no such.

        `measure` returns the mean distortion of sampled rows, so that the law is that of the data.
        """
        if self.needs_state and not self.learns:
            return None
        k = max(self.components_for((measure(self) / wanted) ** 2, n_features), self.k)
        return self.resized(k)

    def resized(self, k: int) -> Projection | None:
        """The method, unfitted, with k components or the next number that it can have; None if it has no other."""
        values = self.parameters()
        try:
            k = self.components_from(k, values)
            made = dataclasses.replace(self, k=k, **({"state": None} if self.learns else {}))
        except ParameterError:
            return None
        return made if made.k == k else None

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """The method with other parameters than k that may lower the distortion at the same k."""
        yield from ()

    def reseeded(self, seed: int) -> Projection:
        """The method with another seed. Raises ParameterError for a method that is not drawn from a seed alone."""
        if self.needs_state or "seed" not in self.parameters():
            raise ParameterError(f"{type(self).__name__} is not drawn from a seed alone: leave seeds = 1")
        return dataclasses.replace(self, **{"seed": seed % SEED_BOUND})

    @property
    def measuring_seed(self) -> int:
        """The seed for drawing the rows to measure on, which are not those that a method has learnt from."""
        return self.sampling_seed

    def around(self, method: Projection) -> Projection:
        """`method` with the preparation of this projection, if it has one."""
        return method

    def advice(self, measured: MethodMeasures) -> Iterator[Advice]:
        """Advice on the method's own parameters from the measures; `quality.advice` adds the advice for all methods."""
        yield from ()

    # -- features -------------------------------------------------------------------------------------------------

    def bound(self, features: Sequence[str] | int | None) -> Self:
        """This projection, bound to these features."""
        return dataclasses.replace(self, bound_to=features)

    def check_features(self, names: Sequence[str] | None, n_features: int | None) -> None:
        """Raise SourceError for other features than the projection is bound to. `names`: None if they have none."""
        check_bound(self.bound_to, names, n_features, self.called)

    def kernel(self) -> Kernel:
        """The kernel that inner products of projected rows estimate; `diagnose` compares with its distances.

        It is ⟨x, y⟩ unless a method overrides it, with `sqlrp.kernels.Unknown` if none is known. With a preparation, x
        and y are the prepared rows.
        """
        return LINEAR

    def bias(self, n_features: int | None) -> str:
        """The bias that the parameters add to the estimate of the kernel, and the remedy; empty for no bias."""
        return ""

    def estimating(self) -> Projection:
        """The projection whose inner products estimate `kernel`: this one, or this one without its last steps.

        `diagnose` measures the returned projection.
        """
        return self

    @property
    def name(self) -> str:
        """The class name and the parameters, as written in Python; fitted values are shortened."""
        shown = {f: v for f, v in self.parameters().items() if not (f == "state" and v is None)}
        return f"{type(self).__name__}({', '.join(f'{f}={shorten(v)}' for f, v in shown.items())})"

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as plain values; bound_to only if it is set."""
        values = {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}
        bound = values.pop("bound_to")
        return values if bound is None else values | {"bound_to": bound}

    def resolved(self, n_features: int | None) -> dict[str, Any]:
        """The parameters with the values that are used for n features, such as s = 11.3 for "sqrt"."""
        return self.parameters()

    def resolved_name(self, n_features: int | None) -> str:
        """The class name and the parameters that are used for n features."""
        shown = {f: v for f, v in self.resolved(n_features).items() if f not in ("state", "bound_to")}
        values = (f"{f}={v:.4g}" if isinstance(v, float) else f"{f}={shorten(v)}" for f, v in shown.items())
        return f"{type(self).__name__}({', '.join(values)})"

    def to_json(self) -> str:
        """The projection as one line of JSON that `sqlrp.from_json` reads back."""
        return json.dumps(_named(self), sort_keys=True, default=_named)

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the JSON. Equal projections have equal fingerprints."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]


def _named(projection: Projection) -> dict[str, Any]:
    return {"projection": type(projection).__name__, **projection.parameters()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@dataclass(frozen=True)
class DrawnProjection(Projection):
    """A projection that is drawn from `seed`, with no sparsity to choose."""

    seed: int = 0

    parameter_help: ClassVar[Mapping[str, str]] = {"seed": SEED}

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """The seed."""
        return (self.seed,)

    def __post_init__(self) -> None:
        """Check the seed, then the rest."""
        check_seed(self.seed)
        super().__post_init__()


@dataclass(frozen=True)
class SeededProjection(Projection):
    """A projection whose ±1/0 vectors are drawn with sparsity `s` from `seed`."""

    s: float | str = "sqrt"
    seed: int = 0

    parameter_help: ClassVar[Mapping[str, str]] = {
        "s": "one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features",
        "seed": SEED,
    }

    def resolved(self, n_features: int | None) -> dict[str, Any]:
        """With s as a number, if the number of features is known."""
        s = self.s if n_features is None else resolve_s(self.s, n_features)
        return super().resolved(n_features) | {"s": s}

    @property
    def drawn_seeds(self) -> tuple[int, ...]:
        """The seed."""
        return (self.seed,)

    def sparsity(self, n_features: int) -> float | None:
        """s, or the square root of the number of features for "sqrt"."""
        return resolve_s(self.s, n_features)

    def alternatives(self, n_features: int) -> Iterator[Projection]:
        """A smaller s, whose sums depend less on few large entries."""
        for s in (3, 1):
            if s < (self.sparsity(n_features) or 1):
                yield dataclasses.replace(self, s=s)

    def __post_init__(self) -> None:
        """Check s and seed, then the rest."""
        check_s(self.s)
        check_seed(self.seed)
        object.__setattr__(self, "s", shortest(self.s))
        super().__post_init__()


def known_features(projection: Projection, n_features: int | None) -> int:
    """The number of features. Raises ParameterError for an open vocabulary, which the method does not support."""
    if not present(n_features):
        raise ParameterError(
            f"{type(projection).__name__} needs the number of features, which an open vocabulary does not have: "
            "pass n_features, or use SparseProjection or SparseEmbedding"
        )
    return n_features


def checked(projection: object) -> Projection:
    """The argument, if it is a projection. Raises ParameterError otherwise."""
    if not isinstance(projection, Projection):
        raise ParameterError(f"projection {shorten(projection)} is not a projection of sqlrp: {remedy(projection)}")
    return projection
