"""A Hadamard transform over lists: sums and differences of parts of a list, then dot products with short lists.

The transform of length P·2^l is one of length P over parts of 2^l entries, followed by one of length 2^l over each
part. The first adds and subtracts whole lists. Of the second only the entries of the sample are computed, each as a
dot product of 2^l terms instead of one over the whole row.
"""

from __future__ import annotations

import numpy as np

from sqlrp._core.draw import Ints
from sqlrp._core.script import Select
from sqlrp._lowering.butterflies import layers
from sqlrp._stages import Butterfly

_LENGTH = 32
"""The entries of a part: the shortest whose dot product takes little longer than the call of a function."""
_ADDED = 8
"""How many terms of a dot product take as long as the addition of two elements of lists, about."""


def parted(stage: Butterfly, numbers: Ints) -> bool:
    """Whether the transform of these features is written over parts: they are all positions, and it takes less time."""
    plain = len(numbers) <= stage.padded and (numbers == np.arange(len(numbers))).all()
    return bool(plain) and stage.part >= _LENGTH and terms_of_parts(stage) < stage.stated(len(numbers))


def terms_of_parts(stage: Butterfly) -> float:
    """The terms of dot products that take about as long for one row."""
    depth = (stage.part // _LENGTH).bit_length() - 1 + (stage.block if stage.block > 1 else 0)
    return float(stage.n_outputs * _LENGTH + _ADDED * stage.padded * depth)


def signs_of_part() -> Ints:
    """Sylvester's matrix of the length of a part: entry (i, j) is (-1)^popcount(i AND j)."""
    i = np.arange(_LENGTH)
    return np.asarray(1 - 2 * (np.bitwise_count(i[:, None] & i[None, :]) & 1).astype(np.int64))


def summed_parts(
    stage: Butterfly, n: int, relation: Select, kept: tuple[str, ...], slices: list[str]
) -> tuple[Select, list[tuple[str, str, int]]]:
    """The levels that add and subtract the parts, and for each output its sign, its list and the place in the part.

    `slices`: the expressions of the parts of the list of `relation`. `n`: how many there are.
    """
    wholes = [j // _LENGTH for j in stage.sample]
    wanted = sorted(set(wholes))
    shared = layers({i: (i, 1) for i in range(n)}, stage.part // _LENGTH, wanted, stage.signs_of_parts, None)
    names = [f"b{i}" for i in range(n)]
    made = Select((*kept, *(f"{text} AS {name}" for text, name in zip(slices, names, strict=True))), relation)
    for level, entries in enumerate(shared.rounds):
        sides = zip(entries.left.tolist(), entries.right.tolist(), entries.sign.tolist(), strict=True)
        texts = [
            f"{names[a]}{'+' if sign > 0 else '-'}{names[b]}" if a >= 0 and b >= 0 else names[max(a, b)]
            for a, b, sign in sides
        ]
        names = [f"b{level + 1}_{i}" for i in range(len(texts))]
        made = Select((*kept, *(f"{text} AS {name}" for text, name in zip(texts, names, strict=True))), made)
    ends = {}
    for at, (chosen, signs) in enumerate(zip(shared.choice.T.tolist(), shared.sign.T.tolist(), strict=True)):
        terms = [(names[i], sign) for i, sign in zip(chosen, signs, strict=True) if i >= 0]
        first, rest = terms[0], terms[1:]  # the sign of the first is that of the sum
        text = first[0] + "".join(f"{'+' if sign == first[1] else '-'}{name}" for name, sign in rest)
        ends[wanted[at]] = (text, "-" if first[1] < 0 else "")
    texts = sorted({text for text, _ in ends.values()})
    made = Select((*kept, *(f"{text} AS s{i}" for i, text in enumerate(texts))), made)
    place = {text: f"s{i}" for i, text in enumerate(texts)}
    return made, [(ends[w][1], place[ends[w][0]], j % _LENGTH) for w, j in zip(wholes, stage.sample, strict=True)]
