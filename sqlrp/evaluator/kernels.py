"""Kernels that numba compiles: loops over tiles, which hold one entry of many rows side by side.

A tile has the shape (entries, rows). Every kernel reads the first n rows of the tile `x` and writes the rows from `at`
on of `out`. The innermost loops run along the rows, so the processor's vector units do them. Nothing holds the GIL.
"""

# Annotations stay out of the compiled functions: numba reads their types from the arguments.
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,attr-defined,call-arg"

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

FLOAT64, FLOAT32, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, BITS = range(11)
"""The kinds of columns that `read_columns` reads."""


def compiled(function: Any) -> Any:
    """Compile when first called, and keep the machine code on disk; without a folder to write to, for this process."""
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder is writable
        return numba.njit(**options)(function)


def kept() -> str | None:
    """The folder of the machine code; None if there is none."""
    try:
        return str(signed_sums.stats.cache_path or "") or None
    except AttributeError:
        return None


def known() -> bool:
    """Whether the machine code of an earlier process is on disk."""
    folder = kept()
    return folder is not None and any(Path(folder).glob("*signed_sums*.nbi"))


@intrinsic
def _pointer(context, address):
    """An address as a pointer."""

    def generate(_, builder, __, arguments):
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


@compiled
def _next(h, f, b):
    """h·f + b mod P = 2³¹-1, up to P + 1, for h of up to P + 1 and f and b below P."""
    h = h * f + b
    h = (h >> 31) + (h & 0x7FFFFFFF)
    return (h >> 31) + (h & 0x7FFFFFFF)


@compiled
def fill_signs(b, f, low, high, out):
    """out[c, j]: the sign of the entry h(c, f[j]), as `sqlrp.core.draw` describes it."""
    for c in range(len(out)):
        b0, b1, b2, b3, b4, b5, b6, b7 = b[0, c], b[1, c], b[2, c], b[3, c], b[4, c], b[5, c], b[6, c], b[7, c]
        o = out[c]
        for j in range(len(f)):
            x = f[j]
            h = _next(_next(_next(_next(b7, x, b6), x, b5), x, b4), x, b3)
            h = _next(_next(_next(h, x, b2), x, b1), x, b0)
            h -= (h >= 0x7FFFFFFF) * 0x7FFFFFFF
            o[j] = np.int8(h < low) - np.int8((h >= low) & (h < high))


@compiled
def signed_sums(x, n, out, at, base, index, start, turn):
    """out[c] = base[c] + Σ x[index[start[c]:turn[c]]] - Σ x[index[turn[c]:start[c + 1]]], four terms at a time."""
    for c in range(len(turn)):
        o = out[c, at : at + n]
        o[:] = base[c]
        j, end = start[c], turn[c]
        while j + 4 <= end:
            p, q, u, v = x[index[j]], x[index[j + 1]], x[index[j + 2]], x[index[j + 3]]
            for r in range(n):
                o[r] += (p[r] + q[r]) + (u[r] + v[r])
            j += 4
        while j < end:
            p = x[index[j]]
            for r in range(n):
                o[r] += p[r]
            j += 1
        end = start[c + 1]
        while j + 4 <= end:
            p, q, u, v = x[index[j]], x[index[j + 1]], x[index[j + 2]], x[index[j + 3]]
            for r in range(n):
                o[r] -= (p[r] + q[r]) + (u[r] + v[r])
            j += 4
        while j < end:
            p = x[index[j]]
            for r in range(n):
                o[r] -= p[r]
            j += 1


@compiled
def weighted_sums(x, n, out, at, base, index, start, weight):
    """out[c] = base[c] + Σ weight[j]·x[index[j]] over j in start[c] … start[c + 1] - 1."""
    for c in range(len(start) - 1):
        o = out[c, at : at + n]
        o[:] = base[c]
        j, end = start[c], start[c + 1]
        while j + 4 <= end:
            p, q, u, v = x[index[j]], x[index[j + 1]], x[index[j + 2]], x[index[j + 3]]
            a, b, e, d = weight[j], weight[j + 1], weight[j + 2], weight[j + 3]
            for r in range(n):
                o[r] += (a * p[r] + b * q[r]) + (e * u[r] + d * v[r])
            j += 4
        while j < end:
            p, a = x[index[j]], weight[j]
            for r in range(n):
                o[r] += a * p[r]
            j += 1


@compiled
def sums_of_products(x, n, out, at, factors, start, weight):
    """out[c] = Σ weight[i]·Π_j x[factors[i, j]] over the terms i of component c; -1 is the factor 1.

    `weight` is empty if all weights are 1.
    """
    degree = factors.shape[1]
    plain = len(weight) == 0
    product = np.empty(n, dtype=x.dtype)
    for c in range(len(start) - 1):
        o = out[c, at : at + n]
        o[:] = 0
        i, end = start[c], start[c + 1]
        if degree == 2 and plain:
            while i + 2 <= end and min(factors[i, 0], factors[i, 1], factors[i + 1, 0], factors[i + 1, 1]) >= 0:
                p, q = x[factors[i, 0]], x[factors[i, 1]]
                u, v = x[factors[i + 1, 0]], x[factors[i + 1, 1]]
                for r in range(n):
                    o[r] += p[r] * q[r] + u[r] * v[r]
                i += 2
        while i < end:
            if plain:
                product[:] = 1
            else:
                product[:] = weight[i]
            for j in range(degree):
                f = factors[i, j]
                if f >= 0:
                    p = x[f]
                    for r in range(n):
                        product[r] *= p[r]
            for r in range(n):
                o[r] += product[r]
            i += 1


@compiled
def placed(x, n, places, flips, y):
    """y[places[f]] += flips[f]·x[f], from zeros on. `flips`: ±1."""
    y[:, :n] = 0
    for f in range(len(places)):
        o, p = y[places[f]], x[f]
        if flips[f] > 0:
            for r in range(n):
                o[r] += p[r]
        else:
            for r in range(n):
                o[r] -= p[r]


@compiled
def butterflies(y, n, part):
    """The Walsh-Hadamard transform of every `part` entries of the columns of y, in place. `part`: a power of two.

    Two layers are done at once, as each pass over the tile takes longer than its additions.
    """
    size, half = len(y), 1
    while 4 * half <= part:
        for block in range(0, size, 4 * half):
            for i in range(block, block + half):
                p, q, u, v = y[i], y[i + half], y[i + 2 * half], y[i + 3 * half]
                for r in range(n):
                    a, b, c, d = p[r] + q[r], p[r] - q[r], u[r] + v[r], u[r] - v[r]
                    p[r] = a + c
                    q[r] = b + d
                    u[r] = a - c
                    v[r] = b - d
        half *= 4
    if half < part:
        for block in range(0, size, 2 * half):
            for i in range(block, block + half):
                p, q = y[i], y[i + half]
                for r in range(n):
                    a, b = p[r], q[r]
                    p[r] = a + b
                    q[r] = a - b


@compiled
def picked(y, n, out, at, sample):
    """out[c] = y[sample[c]]."""
    for c in range(len(sample)):
        o, p = out[c, at : at + n], y[sample[c]]
        for r in range(n):
            o[r] = p[r]


@compiled
def convolutions(x, n, out, at, size):
    """The circular convolution of the first two of the vectors of `size` entries that lie side by side in x."""
    for c in range(size):
        o = out[c, at : at + n]
        o[:] = 0
        for i in range(size):
            p, q = x[i], x[size + (c - i) % size]
            for r in range(n):
                o[r] += p[r] * q[r]


@compiled
def add_cells(starts, slots, values, first, weight, component, entry, out):
    """Add the cells of rows to their sums. `out`: shape (rows, sums).

    Row r has the cells starts[r] … starts[r + 1] - 1. The feature in slot s has the weights entry[s] … entry[s + 1] - 1
    and the sums `component` that they belong to.
    """
    for r in range(len(out)):
        o = out[r]
        for cell in range(starts[first + r], starts[first + r + 1]):
            s, v = slots[cell], values[cell]
            if s >= 0:
                for j in range(entry[s], entry[s + 1]):
                    o[component[j]] += weight[j] * v


@compiled
def add_groups(x, n, groups, at, low, high, out):
    """out[groups[at + r]] += x[low:high, r] for every row r. `out`: shape (groups, entries)."""
    for r in range(n):
        o = out[groups[at + r]]
        for f in range(low, high):
            o[f] += x[f, r]


@compiled
def to_tile(rows, first, n, out):
    """out[f, r] = rows[first + r, f], in blocks that fit the first-level cache."""
    d = rows.shape[1]
    for f0 in range(0, d, 16):
        f1 = min(f0 + 16, d)
        for r0 in range(0, n, 16):
            r1 = min(r0 + 16, n)
            for r in range(r0, r1):
                for f in range(f0, f1):
                    out[f, r] = rows[first + r, f]


@compiled
def to_rows(x, n, out, first, factor):
    """out[first + r, c] = factor·x[c, r], in blocks that fit the first-level cache."""
    k = out.shape[1]
    for c0 in range(0, k, 16):
        c1 = min(c0 + 16, k)
        for r0 in range(0, n, 16):
            r1 = min(r0 + 16, n)
            for r in range(r0, r1):
                for c in range(c0, c1):
                    out[first + r, c] = factor * x[c, r]


@compiled
def read_columns(addresses, kinds, offsets, valid, fill, first, n, out, missing):  # noqa: PLR0912
    """Copy n rows of columns into a tile, as numbers of its type.

    A column starts at its address, plus `offsets` values. `valid` has the address of its validity bitmap, or 0. A row
    without a value gets `fill`, and its entry of `missing` becomes true.
    """
    for f in range(len(addresses)):
        o, start, kind = out[f], offsets[f] + first, kinds[f]
        end = start + n
        if kind == FLOAT64:
            a0 = numba.carray(_pointer(addresses[f]), (end,), np.float64)
            for r in range(n):
                o[r] = a0[start + r]
        elif kind == FLOAT32:
            a1 = numba.carray(_pointer(addresses[f]), (end,), np.float32)
            for r in range(n):
                o[r] = a1[start + r]
        elif kind == INT8:
            a2 = numba.carray(_pointer(addresses[f]), (end,), np.int8)
            for r in range(n):
                o[r] = a2[start + r]
        elif kind == UINT8:
            a3 = numba.carray(_pointer(addresses[f]), (end,), np.uint8)
            for r in range(n):
                o[r] = a3[start + r]
        elif kind == INT16:
            a4 = numba.carray(_pointer(addresses[f]), (end,), np.int16)
            for r in range(n):
                o[r] = a4[start + r]
        elif kind == UINT16:
            a5 = numba.carray(_pointer(addresses[f]), (end,), np.uint16)
            for r in range(n):
                o[r] = a5[start + r]
        elif kind == INT32:
            a6 = numba.carray(_pointer(addresses[f]), (end,), np.int32)
            for r in range(n):
                o[r] = a6[start + r]
        elif kind == UINT32:
            a7 = numba.carray(_pointer(addresses[f]), (end,), np.uint32)
            for r in range(n):
                o[r] = a7[start + r]
        elif kind == INT64:
            a8 = numba.carray(_pointer(addresses[f]), (end,), np.int64)
            for r in range(n):
                o[r] = a8[start + r]
        elif kind == UINT64:
            a9 = numba.carray(_pointer(addresses[f]), (end,), np.uint64)
            for r in range(n):
                o[r] = a9[start + r]
        else:
            bits = numba.carray(_pointer(addresses[f]), (end // 8 + 1,), np.uint8)
            for r in range(n):
                o[r] = (bits[(start + r) >> 3] >> ((start + r) & 7)) & 1
        if valid[f]:
            there = numba.carray(_pointer(valid[f]), (end // 8 + 1,), np.uint8)
            for r in range(n):
                if not (there[(start + r) >> 3] >> ((start + r) & 7)) & 1:
                    o[r] = fill[f]
                    missing[first + r] = True


@compiled
def add_dense_cells(starts, slots, values, first, weights, out):
    """Add the cells of rows to their sums, with weights of shape (slots, sums). `out`: shape (rows, sums)."""
    m = out.shape[1]
    for r in range(len(out)):
        o = out[r]
        for cell in range(starts[first + r], starts[first + r + 1]):
            if slots[cell] >= 0:
                w, v = weights[slots[cell]], values[cell]
                if np.isfinite(v):
                    for c in range(m):
                        o[c] += w[c] * v
                else:
                    for c in range(m):
                        if w[c] != 0:
                            o[c] += w[c] * v


@compiled
def count_shown(z, gone, first, last, shown):
    """shown[r]: how many entries of row r are shown. Entry 0 is, those other than 0, and all of a row that is gone."""
    for r in range(first, last):
        n = 1
        for c in range(1, z.shape[1]):
            n += gone[r] | (z[r, c] != 0)
        shown[r] = n


@compiled
def list_shown(z, gone, first, last, ends, row, component, value):
    """The entries that `count_shown` counts, side by side. Those of row r end at ends[r].

    Each entry is written, and the next one takes its place if it is not shown: a branch would often be mispredicted.
    """
    at = ends[first - 1] if first else 0
    for r in range(first, last):
        z_r, c = z[r], 0
        while at < ends[r]:
            row[at], component[at], value[at] = r, c, z_r[c]
            at += (c == 0) | gone[r] | (z_r[c] != 0)
            c += 1
