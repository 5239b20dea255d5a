"""Index tables and permutations of the draw: whole, as even as possible, and without favourites."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from helpers import assert_one_line
from hypothesis import given
from hypothesis import strategies as st

from sqlrp import ParameterError
from sqlrp._core.draw import (
    SEED_BOUND,
    Purpose,
    draw_index_table,
    draw_permutation,
)

SIZES = [(1, 1, 1), (8, 8, 5), (9, 8, 5), (60, 6, 40), (976, 60, 200), (64, 8, 7), (7, 2, 100), (600, 60, 10)]


@pytest.mark.parametrize("minimise", [True, False])
@pytest.mark.parametrize(("p", "size", "k"), SIZES)
def test_index_tables_hold_distinct_vectors(p: int, size: int, k: int, minimise: bool) -> None:
    for seed in range(5):
        table = draw_index_table(p, size, k, seed, minimise)
        assert table.shape == (k, size)
        assert table.dtype == np.int64
        assert table.min() >= 0
        assert table.max() < p
        assert (np.diff(np.sort(table, axis=1), axis=1) > 0).all()


@pytest.mark.parametrize(("p", "size", "k"), SIZES)
def test_repetition_is_minimal(p: int, size: int, k: int) -> None:
    for seed in range(5):
        used = np.bincount(draw_index_table(p, size, k, seed).reshape(-1), minlength=p)
        low = size * k // p
        assert set(used.tolist()) <= {low, low + 1}
        assert int((used == low + 1).sum()) == size * k % p


@given(size=st.integers(1, 12), more=st.integers(0, 30), k=st.integers(1, 30), seed=st.integers(0, SEED_BOUND - 1))
def test_index_tables_of_any_size(size: int, more: int, k: int, seed: int) -> None:
    p = size + more
    table = draw_index_table(p, size, k, seed)
    used = np.bincount(table.reshape(-1), minlength=p)
    assert used.max() - used.min() <= 1
    assert (np.diff(np.sort(table, axis=1), axis=1) > 0).all()
    first = draw_index_table(p, size, k + 1, seed)[:k]
    assert (first == table).all(), "one more component moved the others"


def pair_counts(table: npt.NDArray[np.int64], p: int) -> npt.NDArray[np.int64]:
    """How often each unordered pair of vectors shares a component."""
    member = np.zeros((len(table), p), dtype=np.int64)
    np.put_along_axis(member, table, 1, axis=1)
    together = member.T @ member
    return np.asarray(together[np.triu_indices(p, 1)])


@pytest.mark.parametrize("minimise", [True, False])
def test_pairs_do_not_repeat_systematically(minimise: bool) -> None:
    # p = 60 divides into 10 components of 6: were the permutations alike, components would come again.
    p, size, k = 60, 6, 400
    counts = np.concatenate([pair_counts(draw_index_table(p, size, k, seed, minimise), p) for seed in range(10)])
    mean = k * size * (size - 1) / (p * (p - 1))
    assert counts.mean() == pytest.approx(mean)
    assert 0.85 * mean < counts.var() < 1.15 * mean, "as rare events: Poisson"
    assert counts.max() < mean + 7 * math.sqrt(mean)


@pytest.mark.parametrize("minimise", [True, False])
def test_vectors_are_exchangeable(minimise: bool) -> None:
    # Every vector stands equally often at every position, over many seeds.
    p, size, k, seeds = 10, 4, 3, 1000
    seen = np.zeros((k * size, p))
    for seed in range(seeds):
        seen[np.arange(k * size), draw_index_table(p, size, k, seed, minimise).reshape(-1)] += 1
    error = math.sqrt(seeds * (1 / p) * (1 - 1 / p))
    assert np.abs(seen - seeds / p).max() < 4.5 * error


def test_index_tables_of_two_seeds_differ() -> None:
    tables = {draw_index_table(40, 8, 10, seed).tobytes() for seed in range(200)}
    assert len(tables) == 200


def test_too_few_vectors_are_refused() -> None:
    for minimise in (True, False):
        with pytest.raises(ParameterError) as caught:
            draw_index_table(7, 8, 2, 0, minimise)
        assert_one_line(caught, "p = 7", "degree * t = 8", "raise p")


def test_permutations_are_whole() -> None:
    for seed in range(20):
        assert sorted(draw_permutation(100, seed, Purpose.SUBSPACE)) == list(range(100))
    assert draw_permutation(100, 0, Purpose.SUBSPACE).tolist() != draw_permutation(100, 1, Purpose.SUBSPACE).tolist()
