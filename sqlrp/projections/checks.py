"""Checks of parameters that several methods share."""

from __future__ import annotations

import numpy as np

from sqlrp.core.draw import P
from sqlrp.core.errors import ParameterError

VECTORS = ("sign", "gaussian")
"""The kinds of weights of sums: drawn signs, or normal numbers."""
VECTORS_HELP = f"what weighs the sums: {' or '.join(VECTORS)}"


def check_whole(name: str, value: object, low: int, high: int = P - 2, why: str = "") -> None:
    """Raise ParameterError unless `value` is a whole number from `low` to `high`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        bounds = f"a whole number >= {low}" if high == P - 2 else f"a whole number from {low} to {high}"
        raise ParameterError(f"{name} = {value!r} must be {bounds}{why}")


def check_flag(name: str, value: object) -> None:
    """Raise ParameterError unless `value` is True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name} = {value!r} must be true or false")


def vectors_in_force(p: int | None, degree: int, t: int, k: int) -> int:
    """The p that is used for a sum of products: the given one, or 2k, limited to degree·t … degree·t·k."""
    return p if p is not None else min(max(2 * k, degree * t), degree * t * k)


def check_vectors(p: int | None, degree: int, t: int, k: int) -> None:
    """Raise ParameterError unless p is None or in degree·t … degree·t·k."""
    if p is None:
        return
    check_whole("p", p, 1)
    low, high = degree * t, degree * t * k
    if p < low:
        raise ParameterError(f"p = {p} must be at least degree * t = {low}: raise p, or lower t or degree")
    if p > high:
        raise ParameterError(f"p = {p} must be at most degree * t * k = {high}, all that are used: lower p")


def shortest(s: float | str) -> float | str:
    """A whole number as an int, so that 3 and 3.0 give the same parameter, JSON and fingerprint."""
    return int(s) if not isinstance(s, str) and float(s).is_integer() else s


def check_vectors_name(vectors: object) -> None:
    """Raise ParameterError unless `vectors` is "sign" or "gaussian"."""
    if vectors not in VECTORS:
        raise ParameterError(f"vectors = {vectors!r} must be one of {', '.join(VECTORS)}")


def remedy(value: object) -> str:
    """The remedy for a value that was passed instead of a projection."""
    if isinstance(value, type) and hasattr(value, "stages"):
        return f"it is the class, so call it, as in {value.__name__}(k=64)"
    if hasattr(value, "projection_"):
        return "it is a fitted transformer, so pass its projection_"
    if hasattr(value, "fit") and hasattr(value, "transform"):
        return "it is a transformer; sqlrp.from_sklearn makes a projection of some, once they are fitted"
    return "pass one, such as sqlrp.SparseProjection(k=64)"
