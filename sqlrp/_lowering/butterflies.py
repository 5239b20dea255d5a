"""The layers of a Hadamard transform, as rounds of partial sums: what an entry shares with others is summed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sqlrp._core.draw import Ints, Signs
from sqlrp._lowering.partial_sums import Round, SharedRounds, share
from sqlrp._stages import Butterfly

Entries = dict[int, tuple[int, int]]
"""The entries that are not 0, by their position in the transform: the number of an expression, and its sign."""


def butterflies(stage: Butterfly, features: Ints, most: int | None = None) -> SharedRounds:
    """The transform of the features, whose numbers are their positions: only what the sample needs.

    First come the butterflies within each part, highest bit first: there most partners are padding, which costs
    nothing. The sums of the parts come last, as they need not be computed for entries that are not in the sample.
    `most`: the most entries of a round, if the engine bounds the columns of a subquery.
    """
    entries: Entries = {f: (f, flip) for f, flip in enumerate(stage.flips(features).tolist())}
    return layers(entries, stage.part, stage.sample, stage.signs_of_parts, most)


def layers(entries: Entries, part: int, sample: Sequence[int], signs: Signs, most: int | None) -> SharedRounds:
    """The same of any entries, in parts of a length. `signs`: those that the sums of the parts are added with."""
    wholes = set(sample)
    bits = [1 << b for b in range(part.bit_length() - 1)]
    needed = [{p * part + i % part for p in range(len(signs)) for i in wholes}]
    for bit in bits:
        needed.append({j for i in needed[-1] for j in (i & ~bit, i | bit)})
    rounds = []
    for bit, wanted in zip(reversed(bits), reversed(needed[:-1]), strict=True):
        made, entries = _layer(entries, wanted, bit)
        rounds.append(made)
    if len(signs) > 1:
        return _sums_of_parts(part, sample, signs, entries, rounds, most)
    found = [entries.get(i, (-1, 1)) for i in sample]
    choice, sign = np.array(found, dtype=np.int64).reshape(-1, 2).T
    return SharedRounds(tuple(rounds), choice[None, :], sign[None, :])


def _layer(entries: Mapping[int, tuple[int, int]], wanted: Iterable[int], bit: int) -> tuple[Round, Entries]:
    """The sums and differences of the entries that differ in one bit."""
    nothing = (-1, 1)
    made: list[tuple[int, int, int]] = []
    after: Entries = {}
    for i in sorted(wanted):
        (left, a), (right, b) = entries.get(i & ~bit, nothing), entries.get(i | bit, nothing)
        if left < 0 and right < 0:
            continue
        b = -b if i & bit else b
        after[i] = (len(made), b if left < 0 else a)
        made.append((left, right, a * b))
    left_, right_, sign = np.array(made, dtype=np.int64).reshape(-1, 3).T
    return Round(left_, right_, sign), after


def _sums_of_parts(
    part: int, sample: Sequence[int], table: Signs, entries: Entries, rounds: list[Round], most: int | None
) -> SharedRounds:
    """Add up the parts' entries at the same place, with the signs of Paley's matrix."""
    places: dict[int, list[int]] = {}
    for i in sorted(set(sample)):
        places.setdefault(i % part, []).append(i)
    room = None if most is None else most // len(places)
    block, sums = len(table), []
    for place, wanted in places.items():
        there = [p for p in range(block) if p * part + place in entries]
        numbers, signs = np.array([entries[p * part + place] for p in there], dtype=np.int64).reshape(-1, 2).T
        matrix = table[np.ix_([i // part for i in wanted], there)].T * signs[:, None]
        sums.append((wanted, numbers, share(matrix, room)))
    starts = [numbers for _, numbers, _ in sums]  # which entries of the last round each place reads
    for level in range(max(len(shared.rounds) for _, _, shared in sums)):
        made, at = [], 0
        for i, (_, _, shared) in enumerate(sums):
            if level < len(shared.rounds):
                own = shared.rounds[level]
                left, right = (np.where(side >= 0, starts[i][side], -1) for side in (own.left, own.right))
                own = Round(left, right, own.sign)
            else:
                own = Round(starts[i], np.full_like(starts[i], -1), np.ones_like(starts[i]))
            made.append(own)
            starts[i] = np.arange(at, at + len(own.left))
            at += len(own.left)
        rounds.append(Round(*(np.concatenate([getattr(r, side) for r in made]) for side in ("left", "right", "sign"))))
    column: dict[int, tuple[Ints, Ints]] = {}
    for (wanted, _, shared), start in zip(sums, starts, strict=True):
        for i, chosen, sign in zip(wanted, shared.choice.T, shared.sign.T, strict=True):
            column[i] = (start[chosen[chosen >= 0]], sign[chosen >= 0])
    choice = np.full((block, len(sample)), -1, dtype=np.int64)
    sign = np.zeros_like(choice)
    for c, i in enumerate(sample):
        chosen, signs = column[i]
        choice[: len(chosen), c], sign[: len(chosen), c] = chosen, signs
    return SharedRounds(tuple(rounds), choice, sign)
