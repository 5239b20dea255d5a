"""Checks of parameters that several methods share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sqlrp._core.draw import P, real
from sqlrp._core.errors import LimitError, ParameterError, SourceError, check_choice, shorten
from sqlrp._core.sources import is_text
from sqlrp._core.symbols import Symbol, greatest, least, present, stated_call, stated_check

MOST_DEGREE = 1000
"""The largest degree of a kernel: beyond it few numbers have powers that a float holds."""
MOST_STATED = 1 << 24
"""The most entries of the tables that a projection states for any rows, such as its table of products."""

_ALIKE = 3
"""The most pairs of similar names in a message."""

VECTORS = ("sign", "gaussian")
"""The kinds of weights of sums: drawn signs, or normal numbers."""
VECTORS_HELP = f"what weighs the sums: {' or '.join(VECTORS)}"


@stated_check
def check_whole(name: str, value: object, low: int, high: int = P - 2, why: str = "") -> None:
    """Raise ParameterError unless `value` is a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        bounds = f"a whole number >= {low}" if high == P - 2 else f"a whole number from {low} to {high}"
        if high == P - 2 and isinstance(value, (int, np.integer)) and value > high:
            bounds += f", and at most {high}"
        raise ParameterError(f"{name} = {shorten(value)} must be {bounds}{why}")


@stated_check
def check_degree(degree: object) -> None:
    """Raise ParameterError unless a degree is a whole number from 1, and LimitError above `MOST_DEGREE`."""
    check_whole("degree", degree, 1)
    if degree > MOST_DEGREE:  # type: ignore[operator]  # it is a whole number
        raise LimitError(f"degree = {shorten(degree)} must be at most {MOST_DEGREE}: lower degree")


def check_size(sizes: Mapping[str, int]) -> None:
    """Raise LimitError if the tables that a projection states for any rows have more than `MOST_STATED` entries.

    `sizes`: the parameters whose product is at least the number of entries.
    """
    entries = math.prod(sizes.values())
    if entries > MOST_STATED:
        said = " * ".join(f"{name}" for name in sizes)
        raise LimitError(f"{said} = {shorten(entries)} must be at most {MOST_STATED:,}: lower {' or '.join(sizes)}")


@stated_call(float)
def power(base: float, exponent: float, what: str) -> float:
    """base to the power of exponent. Raises LimitError if no float is so large; `what` names it."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        raise LimitError(f"{what} = {base:g}^{exponent:g} is too large for a float: lower degree or its base") from None


def check_positive(name: str, value: object, otherwise: str = "") -> None:
    """Raise ParameterError unless `value` is a finite number above 0. `otherwise`: what else it may be, in words."""
    if not 0 < real(value) < math.inf:
        raise ParameterError(f"{name} = {shorten(value)} must be a finite number > 0{otherwise}")


def checked_bound(features: object) -> tuple[str, ...] | int | None:
    """The names of features, their number, or None. Raises ParameterError for anything else."""
    if isinstance(features, Sequence) and not isinstance(features, str):
        for name in features:
            if not isinstance(name, str) or not is_text(name):
                raise ParameterError(f"bound_to has {shorten(name)}, which must be the name of a feature")
        return tuple(features)
    if features is not None:
        check_whole("bound_to", features, 1)
    return features  # type: ignore[return-value]  # as it was checked


@stated_check
def check_flag(name: str, value: object) -> None:
    """Raise ParameterError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} = {shorten(value)} must be true or false")


def vectors_in_force(p: int | None, degree: int, t: int, k: int, minimise_repetition: bool = True) -> int:
    """The p that is used for a sum of products: the given one, or 2k and at least degree·t.

    Without repetition no more than degree·t·k vectors are used: of more, the thesis takes the first (equation 4.21).
    """
    if present(p) and not minimise_repetition:
        return p
    return least(p if present(p) else greatest(2 * k, degree * t), degree * t * k)


def check_vectors(p: int | None, degree: int, t: int, k: int) -> None:
    """Raise ParameterError unless p is None or at least degree·t."""
    if not present(p):
        return
    check_whole("p", p, 1)
    low = degree * t
    if p < low:
        raise ParameterError(f"p = {p} must be at least degree * t = {low}: raise p, or lower t or degree")


def shortest(s: float | str) -> float | str:
    """A whole number as an int, so that 3 and 3.0 give the same parameter, JSON and fingerprint."""
    return int(s) if not isinstance(s, (str, Symbol)) and float(s).is_integer() else s


def check_vectors_name(vectors: object) -> None:
    """Raise ParameterError unless `vectors` is "sign" or "gaussian"."""
    check_choice("vectors", vectors, VECTORS)


def remedy(value: object) -> str:
    """The remedy for a value that was passed instead of a projection."""
    if isinstance(value, type) and hasattr(value, "stages"):
        return f"it is the class, so call it, as in {value.__name__}(k=64)"
    if hasattr(value, "projection_"):
        return "it is a fitted transformer, so pass its projection_"
    if hasattr(value, "fit") and hasattr(value, "transform"):
        return "it is a transformer; sqlrp.from_sklearn makes a projection of some, once they are fitted"
    return "pass one, such as sqlrp.SparseProjection(k=64)"


def check_bound(
    bound: Sequence[str] | int | None, names: Sequence[str] | None, n_features: int | None, called: str = "projection"
) -> None:
    """Raise SourceError for other features than a projection or a model is bound to. `names`: None if they have none.

    The message says which features are missing, which ones the source has besides, and which differ by their spelling
    only.
    """
    if bound is not None and not isinstance(bound, int) and names is not None:
        if tuple(names) != tuple(bound):
            raise SourceError(
                f"the {called} holds for {len(bound)} features; of the source's {len(names)} are "
                f"{_unlike(bound, names)}: name the {called}'s own in features"
            )
        return
    n = bound if bound is None or isinstance(bound, int) else len(bound)
    if n is not None and n_features is not None and n_features != n:
        there = f": {shorten(list(names))}" if names else ""
        raise SourceError(
            f"the {called} holds for {n} features, the source has {n_features}{there}: name {n} in features"
        )


def _unlike(bound: Sequence[str], names: Sequence[str]) -> str:
    """How two lists of names differ, in words."""
    missing = [name for name in bound if name not in set(names)]
    extra = [name for name in names if name not in set(bound)]
    said = [
        f"{len(found)} {what}: {shorten(found)}" for what, found in (("missing", missing), ("extra", extra)) if found
    ]
    spelt = {_letters(name): name for name in extra}
    alike = [f"{name!r} may be {spelt[_letters(name)]!r}" for name in missing if _letters(name) in spelt]
    hint = f" ({', '.join(alike[:_ALIKE])})" if alike else ""
    return f"{' and '.join(said) or 'all there, in another order'}{hint}"


def _letters(name: str) -> str:
    """What stays of a name that is spelt in another way: letters and digits."""
    return "".join(filter(str.isalnum, name.casefold())) or name
