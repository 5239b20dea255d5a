"""Sums of several components of a packed code, which a query looks up in one list by the bits that hold them.

A code of 200 components is 200 terms, each with a shift and a product, and planning them takes longer than the scan of
some thousand rows. Six bits next to each other have 64 values: the sums of what they hold are computed ahead for one
vector, so that the query reads one number for every six bits (as product quantisation does: Jegou, Douze and Schmid
2011, section III-A).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sqlrp._core.values import dataclass
from sqlrp._projections.code_fields import Field, Fields

Floats = npt.NDArray[np.float64]
_BITS = 6
"""The most bits of several components together. With 8 the list is 3 times as long."""


@dataclass(frozen=True)
class SumPlace:
    """The place in the query of the sums for a vector."""

    array: str
    first: int
    """how many numbers of the array come before them"""


def groups(fields: Fields) -> list[tuple[Field, list[int]]]:
    """Bits next to each other, and the components in them."""
    found: list[tuple[Field, list[int]]] = []
    for j in sorted(range(len(fields.components)), key=lambda j: fields.components[j]):
        word, at, width = fields.components[j]
        if found:
            field, members = found[-1]
            together = at + width - field.at
            if field.word == word and field.at + field.width == at and together <= _BITS:
                found[-1] = Field(word, field.at, together), [*members, j]
                continue
        found.append((Field(word, at, width), [j]))
    return found


def size(fields: Fields) -> int:
    """The number of sums for a vector."""
    return sum(1 << field.width for field, _ in groups(fields))


def sums(fields: Fields, z: Floats) -> list[float]:
    """The sums for a vector of components, shape (k,): those of each group, by the value of its bits."""
    found = []
    for field, members in groups(fields):
        values = np.arange(1 << field.width)
        own = np.zeros(len(values))
        for j in members:
            at, width = fields.components[j].at - field.at, fields.components[j].width
            own += (values >> at & ((1 << width) - 1)) * z[j]
        found.extend(own.tolist())
    return found


__all__ = ["SumPlace", "groups", "size", "sums"]
