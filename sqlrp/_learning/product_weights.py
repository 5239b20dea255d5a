"""The weights of columns and of their products in components of degree 2 or less, found by projecting a few rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sqlrp._core.errors import ParameterError, UnsupportedError
from sqlrp._core.values import dataclass
from sqlrp._evaluator.moments import Matrix
from sqlrp._projections.projection import Projection
from sqlrp._run.frames.matrix import project_array

MOST = 20_000
"""The most products of columns that are looked at: 199 columns have fewer."""
_TOLERANCE = 1e-9
"""How exactly the weights must give the components of other rows."""


@dataclass(frozen=True, eq=False)
class Monomials:
    """The weight of each column x_a, and of each product x_a·x_b with a ≤ b, in each component."""

    first: Sequence[int]
    """the position of a"""
    second: Sequence[int | None]
    """the position of b; None for a column alone"""
    weights: Matrix
    """shape (columns and products, k)"""

    @staticmethod
    def of(projection: Projection, d: int) -> Monomials:
        """Of a projection of d features; of prepared features if it prepares them.

        A polynomial of degree 2 is known from its values at 0, at ±1 for each feature, and at 1 for each pair.

        Raises ParameterError for too many features, UnsupportedError for components of another kind.
        """
        n = d * (d + 1) // 2
        if n > MOST:
            raise ParameterError(
                f"{d:,} features have {n:,} products, more than the {MOST:,} that are looked at: pass a source of "
                "fewer features"
            )
        own, units = projection.unprepared, np.eye(d)
        zero, up, down = (project_array(own, x) for x in (np.zeros((1, d)), units, -units))
        rows, columns = np.triu_indices(d, 1)
        pairs = project_array(own, units[rows] + units[columns]) - up[rows] - up[columns] + zero
        alone, squares = (up - down) / 2, (up + down) / 2 - zero
        positions = list(range(d))
        found = Monomials(
            [*positions, *positions, *rows.tolist()],
            [*[None] * d, *positions, *columns.tolist()],
            np.concatenate([alone, squares, pairs]),
        )
        x = np.random.default_rng(0).normal(size=(3, d))
        there = project_array(own, x)
        if np.abs(found._values(x) @ found.weights + zero - there).max() > _TOLERANCE * max(np.abs(there).max(), 1.0):
            raise UnsupportedError(
                f"the components of {own.name} are no sums of columns and of products of two: pass a linear "
                "projection, or one of degree 2"
            )
        return found

    def _values(self, x: Matrix) -> Matrix:
        """The columns and the products of rows, shape (rows, columns and products)."""
        others = np.column_stack([x, np.ones(len(x))])
        return np.asarray(x[:, self.first] * others[:, [-1 if b is None else b for b in self.second]])


__all__ = ["Monomials"]
