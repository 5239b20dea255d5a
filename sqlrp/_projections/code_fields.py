"""The places of the components of a code in words, next to the two numbers that correct its distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sqlrp._core.numbers import WORD_BITS
from sqlrp._core.values import dataclass

Floats = npt.NDArray[np.float64]
ROOM = WORD_BITS - 1
"""The bits of a word that are used: so it is never below 0, and each engine shifts it alike."""
NUMBER = 16
"""The bits of each of the two numbers."""
REACH = 16
"""The two numbers are below this."""
UNITS = (1 << NUMBER) // REACH
"""How many units of the two numbers are 1."""


class Field(NamedTuple):
    """The place of a whole number from 0."""

    word: int
    at: int
    """the bits below it"""
    width: int


@dataclass(frozen=True)
class Fields:
    """The places of all numbers of a row."""

    components: tuple[Field, ...]
    factor: Field
    square: Field
    reach: float
    """the squared length, in steps, below which the number `square` tells that of a row"""

    @property
    def words(self) -> int:
        """How many words a row takes."""
        return 1 + max(field.word for field in (*self.components, self.factor, self.square))

    @property
    def square_unit(self) -> float:
        """The squared length, in steps, that the number `square` is in."""
        return self.reach / REACH

    def kept(self, factor: Floats, square: Floats) -> tuple[Floats, Floats]:
        """The two numbers of rows as they are kept, in what is given: the factors, and squared lengths in steps."""

        def whole(x: Floats) -> Floats:
            return np.asarray(np.clip(np.floor(x * UNITS + 0.5), 0, (1 << NUMBER) - 1) / UNITS)

        return whole(factor), whole(square / self.square_unit) * self.square_unit


def fields_of(widths: Sequence[int], reach: float) -> Fields:
    """Each number, the wide ones first, in the first word that has room for it."""
    room: list[int] = []

    def placed(width: int) -> Field:
        word = next((i for i, left in enumerate(room) if left >= width), len(room))
        if word == len(room):
            room.append(ROOM)
        room[word] -= width
        return Field(word, room[word], width)

    factor, square = placed(NUMBER), placed(NUMBER)
    found = {j: placed(widths[j]) for j in sorted(range(len(widths)), key=lambda j: -widths[j])}
    return Fields(tuple(found[j] for j in range(len(widths))), factor, square, reach)


__all__ = ["NUMBER", "REACH", "ROOM", "UNITS", "Field", "Fields", "fields_of"]
