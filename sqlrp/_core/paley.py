"""Hadamard matrices of Paley, for transforms whose length is not a power of two.

A Hadamard matrix H of order m has the entries ±1 and orthogonal rows: H·Hᵀ = m·I. Its Kronecker product with
Sylvester's matrix of order 2^b is one of order m·2^b.

R. E. A. C. Paley, *On orthogonal matrices*, Journal of Mathematics and Physics 12 (1933), pages 311 to 320.
"""

from __future__ import annotations

import numpy as np

from sqlrp._core.draw import Ints, Signs

PRIMES: dict[int, int] = {12: 5, 20: 19, 28: 13, 36: 17}
"""The orders of the blocks, each with the prime q that it is built from."""


def paley(order: int) -> Signs:
    """The Hadamard matrix of an order in `PRIMES`: int8, shape (order, order).

    Orders 2(q + 1), for a prime q with q mod 4 = 1, are from Paley's second construction: every entry ±1 of a
    symmetric conference matrix becomes ± a block of 2 × 2. These blocks share more partial sums than the first
    construction has. Order q + 1, for a prime q with q mod 4 = 3, is from the first one. Raises KeyError for other
    orders.
    """
    q = PRIMES[order]
    first = order == q + 1
    conference = np.zeros((q + 1, q + 1), dtype=np.int8)
    conference[0, 1:] = 1
    conference[1:, 0] = -1 if first else 1
    conference[1:, 1:] = _characters(q)
    identity = np.eye(q + 1, dtype=np.int8)
    if first:
        return conference + identity
    plain, diagonal = np.array([[1, 1], [1, -1]], dtype=np.int8), np.array([[1, -1], [-1, -1]], dtype=np.int8)
    return np.kron(conference, plain) + np.kron(identity, diagonal)


def _characters(q: int) -> Ints:
    """The quadratic character of i - j in the field of q elements: 1 for squares, 0 for 0, -1 otherwise."""
    numbers = np.arange(q, dtype=np.int64)
    character = np.full(q, -1, dtype=np.int64)
    character[numbers**2 % q] = 1
    character[0] = 0
    return np.asarray(character[(numbers[:, None] - numbers[None, :]) % q])


def least_length(n: int) -> tuple[int, int]:
    """The least m·2^b ≥ n, for m = 1 or an order in `PRIMES`, and its m."""
    return min((block << max(-(-n // block) - 1, 0).bit_length(), block) for block in (1, *PRIMES))
