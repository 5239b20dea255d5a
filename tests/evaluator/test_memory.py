"""What reaches the native library: arrays that other packages made, of every type, order and kind of index."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import sqlrp
import sqlrp.sklearn as ours
from sqlrp import SourceError
from sqlrp._evaluator.sparse_rows import Cells

SIZES = [(0, 40), (1, 40), (7, 40), (300, 800), (3000, 300)]
"""Rows and features: below and above the work that the native library is called for, and of several tiles."""
FORMATS = ("csr", "csc", "coo", "dia", "lil", "bsr", "dok")
METHODS = [cls for cls in ours.TRANSFORMERS if not (cls.method.learns or cls.supervised)]


def scipys(n: int, d: int, seed: int) -> sparse.csr_matrix:
    """What scipy's own generator makes, with an explicit zero, rows without cells and unsorted indices."""
    x = sparse.random(n, d, density=min(0.05, 2000 / max(n * d, 1)), random_state=seed, format="csr")
    if x.nnz > 3:
        x.data[0] = 0
        x.indices[:] = np.concatenate(
            [np.random.default_rng(seed).permutation(r) for r in np.split(x.indices, x.indptr[1:-1])]
        )
        x.has_sorted_indices = False
    return x


def variants(x: sparse.csr_matrix) -> dict[str, Any]:
    """One matrix in every format, with every pair of index types, read-only, with room for more, and as an array."""
    made: dict[str, Any] = {}
    for kind in FORMATS:
        made[kind] = x.asformat(kind)
        made[f"{kind} array"] = getattr(sparse, f"{kind}_array")(x)
    for indices, indptr in product((np.int32, np.int64), repeat=2):
        each = x.copy()
        each.indices, each.indptr = each.indices.astype(indices), each.indptr.astype(indptr)
        made[f"{indices.__name__} {indptr.__name__}"] = each
    still = x.copy()
    for part in (still.data, still.indices, still.indptr):
        part.flags.writeable = False
    made["read-only"] = still
    twice = x.tocoo()
    made["duplicates"] = sparse.coo_matrix(
        (np.tile(twice.data / 2, 2), (np.tile(twice.row, 2), np.tile(twice.col, 2))), x.shape
    )
    roomy = x.copy()
    roomy.data, roomy.indices = np.append(roomy.data, [9.0, 9]), np.append(roomy.indices, [10**6, -5]).astype(np.int32)
    made["room for more"] = roomy
    return made


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_cells_of_every_sparse_matrix(size: tuple[int, int]) -> None:
    x = scipys(*size, seed=1)
    want = x.toarray()
    for name, matrix in variants(x).items():
        cells = Cells.of_matrix(matrix)
        found = np.zeros(size)
        np.add.at(found, (cells.places, cells.numbers), cells.values)
        np.testing.assert_allclose(found, want, rtol=1e-15, err_msg=name)


def test_damaged_matrices_are_refused() -> None:
    damage: dict[str, Callable[[Any], None]] = {
        "beyond the features": lambda x: x.indices.__setitem__(3, x.shape[1]),
        "below 0": lambda x: x.indices.__setitem__(3, -1),
        "rows that run back": lambda x: x.indptr.__setitem__(5, x.nnz + 3),
        "a start above 0": lambda x: x.indptr.__setitem__(0, 1),
    }
    for name, change in damage.items():
        x = sparse.random(300, 800, density=0.02, random_state=0, format="csr")
        change(x)
        for call in (Cells.of_matrix, ours.TensorSketch(2).fit, ours.PrincipalComponents(2).fit):
            with pytest.raises(SourceError, match="damaged"):
                call(x)
        assert name


@pytest.mark.parametrize("cls", METHODS, ids=lambda cls: cls.__name__)
def test_transformers_of_sparse_matrices(cls: type[ours.Transformer]) -> None:
    """Each size, with the variants in turn; the oracle is the same transformer on the dense matrix."""
    turn = 0
    for n, d in SIZES[1:]:
        x = scipys(n, d, seed=n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = cls(16, random_state=3).fit(x.toarray())
            want = made.transform(x.toarray())
            made_of = list(variants(x).items())
            for _ in range(4):
                name, matrix = made_of[turn % len(made_of)]
                turn += 5
                if name == "room for more":  # scikit-learn's own check refuses it
                    continue
                for kind in (np.float64, np.float32):
                    found = made.transform(matrix.astype(kind))
                    tolerance = 1e-9 if kind == np.float64 else 1e-3
                    np.testing.assert_allclose(found, want, atol=tolerance * (1 + np.abs(want).max()), err_msg=name)


def test_a_million_rows_most_of_them_empty() -> None:
    rows, d = 1_000_000, 50
    draws = np.random.default_rng(0)
    at = np.sort(draws.choice(rows, 1000, replace=False))
    x = sparse.csr_array((np.ones(1000), (at, draws.integers(0, d, 1000))), shape=(rows, d))
    estimator = ours.SparseProjection(4, random_state=1).fit(x)
    z = estimator.transform(x)
    assert z.shape == (rows, 4)
    assert np.array_equal(z[at], estimator.transform(x[at].toarray()))
    assert np.count_nonzero(z.any(axis=1)) <= 1000


def dense(x: np.ndarray[Any, Any], folder: Path) -> dict[str, Any]:
    """One matrix of small whole numbers in every type and order."""
    kinds = [*"bBhHiIlLefdg", ">f8", ">i4"]
    made: dict[str, Any] = {f"type {kind}": x.astype(kind) for kind in kinds}
    room = np.zeros((2 * len(x), 3 * x.shape[1]))
    room[::2, ::3] = x
    made |= {"strides": room[::2, ::3], "order": np.asfortranarray(x), "negative": x[::-1].copy()[::-1]}
    odd = np.zeros(x.nbytes + 1, dtype=np.uint8)[1:].view(np.float64).reshape(x.shape)
    odd[:] = x
    still = x.copy()
    still.flags.writeable = False
    on_disk = np.memmap(folder / "x", dtype=np.float64, mode="w+", shape=x.shape)
    on_disk[:] = x
    return made | {
        "unaligned": odd,
        "read-only": still,
        "memory-mapped": on_disk,
        "matrix": np.asmatrix(x),
        "list": x.tolist(),
    }


def test_dense_arrays_of_every_type_and_order(tmp_path: Path) -> None:
    """The exact sums of small whole numbers, by the signs themselves."""
    for n, d in ((5, 12), (4000, 96)):
        x = np.random.default_rng(d).integers(0, 50, size=(n, d)).astype(np.float64)
        projection = sqlrp.SparseProjection(k=16, s=1, seed=5)
        drawn = sqlrp.signs(d, 16, s=1, seed=5).column("sign").to_numpy().reshape(16, d).T
        want = x @ drawn * projection.factor(d)
        for name, given in dense(x, tmp_path).items():
            if name == "matrix":  # scikit-learn refuses numpy's class `matrix`
                continue
            made = ours.SparseProjection(16, s=1, random_state=5).fit(x)
            found = made.transform(given)
            np.testing.assert_allclose(found, want, rtol=1e-5 if name == "type f" else 1e-12, err_msg=name)
