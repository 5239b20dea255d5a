"""Pairwise covers: a few combinations of many factors that contain every allowed pair of values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

Case = dict[str, Any]


def always(**_: Any) -> bool:
    """No combination is left out."""
    return True


def alike(**_: Any) -> float:
    """Every combination takes as long."""
    return 1


@dataclass(frozen=True)
class Cover:
    """Factors with their values, which combinations of values may be, and how long each takes."""

    factors: Mapping[str, Sequence[Any]]
    allowed: Callable[..., bool] = always
    cost: Callable[..., float] = alike

    def product(self) -> list[tuple[int, ...]]:
        """Every combination that is allowed, as positions of its values."""
        names, sizes = list(self.factors), [range(len(values)) for values in self.factors.values()]
        if self.allowed is always:
            return list(itertools.product(*sizes))
        every = zip(itertools.product(*sizes), itertools.product(*self.factors.values()), strict=True)
        return [at for at, values in every if self.allowed(**dict(zip(names, values, strict=True)))]

    def named(self, names: Sequence[str], at: Sequence[int]) -> Case:
        return {name: self.factors[name][i] for name, i in zip(names, at, strict=True)}

    def cases(self) -> list[Case]:
        """Combinations in which every pair of values of the product occurs; the same ones in every run.

        Each step takes the first pair that is not met, and of the combinations with it the one with most new pairs for
        what it costs.
        """
        names, product = list(self.factors), np.array(self.product(), dtype=np.int64)
        costs = np.ones(len(product))
        if self.cost is not alike:
            costs = np.array([self.cost(**self.named(names, at)) for at in product])
        columns = list(itertools.combinations(range(len(self.factors)), 2)) or [(0, 0)]
        sizes = [len(values) for values in self.factors.values()]
        starts = np.cumsum([0, *(sizes[a] * sizes[b] for a, b in columns)])
        # The number of each pair of each combination.
        pairs = np.stack(
            [starts[c] + product[:, a] * sizes[b] + product[:, b] for c, (a, b) in enumerate(columns)], axis=1
        )
        missing = np.zeros(starts[-1], dtype=bool)
        missing[pairs] = True
        chosen = []
        while missing.any():
            pair = int(missing.argmax())
            column = int(np.searchsorted(starts, pair, side="right")) - 1
            with_it = np.flatnonzero(pairs[:, column] == pair)
            best = with_it[(missing[pairs[with_it]].sum(axis=1) / costs[with_it]).argmax()]
            missing[pairs[best]] = False
            chosen.append(self.named(names, product[best]))
        return chosen


def pairs_of(case: Case) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The pairs of a combination, each a name with its value."""
    yield from itertools.combinations([(name, repr(value)) for name, value in case.items()], 2)


COVERS: dict[str, list[tuple[Cover, list[Case]]]] = {}
"""The covers of every test that has been imported, and their cases."""


def pairwise(*covers: Cover, here: Callable[..., bool] = always) -> Callable[[Any], Any]:
    """Run a test for the cases of the covers: of each engine, say, one.

    `here`: which of them this process runs, if others run the rest.
    """

    def mark(test: Any) -> Any:
        found = [(cover, cover.cases()) for cover in covers]
        COVERS[f"{test.__module__}.{test.__qualname__}"] = found
        names = list(covers[0].factors)
        cases = [tuple(case[name] for name in names) for _, cases in found for case in cases if here(**case)]
        return pytest.mark.parametrize(names, cases)(test)

    return mark


def factors(
    allowed: Callable[..., bool] = always, cost: Callable[..., float] = alike, **values: Sequence[Any]
) -> Cover:
    """A cover of the named factors."""
    return Cover({name: list(found) for name, found in values.items()}, allowed, cost)
