"""Pairwise covers: a few combinations of many factors that contain every allowed pair of values."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
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
    twice: str = ""
    """A factor of many values: each is in two cases, and not in a pair with each value of the others."""

    def asked(self, function: Callable[..., float]) -> npt.NDArray[np.float64]:
        """What a function says of each combination. It is asked once for the values that it names."""
        named = inspect.signature(function).parameters.values()
        everything = any(one.kind is one.VAR_KEYWORD and one.name != "_" for one in named)
        names = [name for name in self.factors if everything or any(name == one.name for one in named)]
        sizes = {name: len(values) for name, values in self.factors.items()}
        among = itertools.product(*(self.factors[name] for name in names))
        said = np.array([function(**dict(zip(names, values, strict=True))) for values in among], dtype=float)
        shape = [sizes[name] if name in names else 1 for name in sizes]
        return np.broadcast_to(said.reshape(shape), [*sizes.values()]).ravel()

    def product(self) -> npt.NDArray[np.int32]:
        """Every combination that is allowed, as positions of its values."""
        sizes = [len(values) for values in self.factors.values()]
        every = np.indices(sizes, dtype=np.int32).reshape(len(sizes), -1).T
        return every[self.asked(self.allowed) != 0]

    def columns(self) -> list[tuple[int, int]]:
        """The factors whose pairs of values are met, by position."""
        found = [at for at, name in enumerate(self.factors) if name != self.twice]
        return list(itertools.combinations(found, 2))

    def named(self, names: Sequence[str], at: Sequence[int]) -> Case:
        return {name: self.factors[name][i] for name, i in zip(names, at, strict=True)}

    def cases(self) -> list[Case]:
        """Combinations in which every pair of values of the product occurs; the same ones in every run.

        Each step takes the first pair that is not met, and of the combinations with it the one with most new pairs for
        what it costs.
        """
        names, product = list(self.factors), self.product()
        costs = self.asked(self.cost)[self.asked(self.allowed) != 0]
        columns = self.columns() or [(0, 0)]
        sizes = [len(values) for values in self.factors.values()]
        starts = np.cumsum([0, *(sizes[a] * sizes[b] for a, b in columns)], dtype=np.int32)
        # The number of each pair of each combination: a row for each two factors.
        pairs = np.stack([starts[c] + product[:, a] * sizes[b] + product[:, b] for c, (a, b) in enumerate(columns)])
        missing = np.zeros(starts[-1], dtype=bool)
        missing[pairs] = True
        chosen = []
        if self.twice:
            # Of equal combinations any is taken: the first would have the same value of each other factor.
            any_of = np.random.default_rng(0).random(len(product)) / 2
            factor = names.index(self.twice)
            for value in [*range(sizes[factor])] * 2:
                with_it = np.flatnonzero(product[:, factor] == value)
                best = with_it[(missing[pairs[:, with_it]].sum(axis=0) / costs[with_it] + any_of[with_it]).argmax()]
                missing[pairs[:, best]], any_of[best] = False, -len(columns)
                chosen.append(self.named(names, product[best]))
        while missing.any():
            pair = int(missing.argmax())
            column = int(np.searchsorted(starts, pair, side="right")) - 1
            with_it = np.flatnonzero(pairs[column] == pair)
            best = with_it[(missing[pairs[:, with_it]].sum(axis=0) / costs[with_it]).argmax()]
            missing[pairs[:, best]] = False
            chosen.append(self.named(names, product[best]))
        return chosen


def pairs_of(case: Case) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """The pairs of a combination, each a name with its value."""
    yield from itertools.combinations([(name, repr(value)) for name, value in case.items()], 2)


COVERS: dict[str, list[tuple[Cover, list[Case]]]] = {}
"""The covers of every test that has been imported, and their cases."""


def quick(cases: Sequence[Case]) -> set[int]:
    """The places of cases in which each value of each factor occurs."""
    seen = set[tuple[str, str]]()
    every = [[(name, repr(value)) for name, value in case.items()] for case in cases]
    found = set()
    for at, values in enumerate(every):
        if not seen.issuperset(values):
            found.add(at)
            seen.update(values)
    return found


def pairwise(*covers: Cover, here: Callable[..., bool] = always) -> Callable[[Any], Any]:
    """Run a test for the cases of the covers: of each engine, say, one.

    Those in which each value occurs are enough for `make test`. The others, which bring all pairs, are slow.
    `here`: which of them this process runs, if others run the rest.
    """

    def mark(test: Any) -> Any:
        found = [(cover, cover.cases()) for cover in covers]
        COVERS[f"{test.__module__}.{test.__qualname__}"] = found
        names = list(covers[0].factors)
        given = []
        for _, cases in found:
            mine = [case for case in cases if here(**case)]
            first = quick(mine)
            for at, case in enumerate(mine):
                marks = [] if at in first else [pytest.mark.slow]
                given.append(pytest.param(*(case[name] for name in names), marks=marks))
        return pytest.mark.parametrize(names, given)(test)

    return mark


def factors(
    allowed: Callable[..., bool] = always,
    cost: Callable[..., float] = alike,
    twice: str = "",
    **values: Sequence[Any],
) -> Cover:
    """A cover of the named factors."""
    return Cover({name: list(found) for name, found in values.items()}, allowed, cost, twice)
