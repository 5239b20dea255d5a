"""Run a program over a source, tile by tile, on all cores."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.values import dataclass
from sqlrp._evaluator import backend
from sqlrp._evaluator.code import TILES, WRITTEN
from sqlrp._evaluator.operations import Tile
from sqlrp._evaluator.program import NativeOperations, Program
from sqlrp._evaluator.tile_sources import Entries, Source

_NEAR = 3 << 18
"""The bytes of a tile that stays in the second-level cache with room for its results."""
_FAR = 1 << 24
"""The bytes of a tile for numpy, where a call costs more than a cache miss."""
_PRODUCT = 1 << 22
"""The bytes of a tile that BLAS multiplies with one thread."""
_SHARED_PRODUCT = 1 << 26
"""The bytes of a tile that BLAS multiplies with all threads, which wait for one another."""
_SHARED = float(1 << 20)
"""The number of additions from which a second thread is worth its start."""
_PIECE = 1 << 10
"""The number of rows that the native library evaluates in one call."""
_HELD = 1 << 24
"""The largest number of entries that wait to be added to their groups."""


def run(
    program: Program,
    source: Source,
    by_rows: bool,
    dtype: npt.DTypeLike = np.float64,
    groups: Ints | None = None,
    threads: int | None = None,
    tile: int | None = None,
) -> npt.NDArray[Any]:
    """The results of all rows: shape (rows, entries) if `by_rows`, otherwise (entries, rows).

    `dtype`: of the result. `groups`: the group of each row, from 0 without gaps, if the program sums groups.
    `threads`: all cores by default. `tile`: the largest number of rows in a tile, by default what fits the cache.
    """
    work = source.rows * program.terms
    native = backend.native(work)
    workers = threads or (backend.cores() if work >= _SHARED else 1)
    *before, last = program.segments
    for segment in before:
        if groups is None:
            groups = np.arange(source.rows, dtype=np.int64)
        source = Entries(_summed(segment, source, groups, native, workers, tile))
        groups = None
    out = np.empty(
        (source.rows, last.n_outputs) if by_rows else (last.n_outputs, source.rows),
        dtype=last.dtypes[-1] if last.dtypes[-1].kind == "O" else dtype,
    )
    size = _size(last, native, tile)
    if tile is None and _multiplies(last, native):
        if source.view(0, 1) is not None and _only_multiplies(last, native):
            size, workers = max(_SHARED_PRODUCT // (last.widest * 8), 1), 1  # BLAS shares large products best itself
        size = _even(source.rows, size, workers)
    _run(last, source, list(source.pieces(size)), _ResultBuffer(out, by_rows, program.factor), native, workers)
    return out


def _size(program: Program, native: Any, tile: int | None) -> int:
    """The number of rows of a tile."""
    if tile is not None:
        return tile
    width = program.widest * 8
    if any(operation.draws for operation in program.operations):
        return max(_SHARED_PRODUCT // width, 256)
    if _multiplies(program, native):
        return max(min((_PRODUCT if backend.has_single_blas() else _SHARED_PRODUCT) // width, 1 << 14), 256)
    if native is None:
        return max(min(_FAR // width, 2048), 32)
    if len(program.coded.operations) == 1 and isinstance(program.coded.operations[0], NativeOperations):
        return _PIECE
    return max(min(_NEAR // width // 32 * 32, 1024), 32)


def _even(rows: int, size: int, workers: int) -> int:
    """At most `size` rows, so that every worker gets as many tiles as the others: large tiles take long."""
    tiles = -(-rows // size)
    return size if tiles < 2 else max(-(-rows // (-(-tiles // workers) * workers)), 1)


@dataclass(frozen=True)
class _ResultBuffer:
    """Where results go."""

    out: Tile
    by_rows: bool = False
    """whether a row of `out` is a row, and not an entry"""
    factor: float | None = None
    """what multiplies them"""


def _run(
    program: Program,
    source: Source,
    pieces: list[tuple[int, int]],
    written: _ResultBuffer,
    native: Any,
    workers: int,
    first: int = 0,
) -> None:
    """Run a program without groups over pieces of a source, whose row i becomes the result's row i - first."""
    if not pieces:
        return
    size = max(n for _, n in pieces)
    multiplies = _multiplies(program, native)
    if multiplies and (len(pieces) == 1 or not backend.has_single_blas()):
        workers = 1  # BLAS uses all cores itself
    work = iter(pieces)  # taking the next piece is one step, so threads may share it

    def loop() -> None:
        tiles = _Tiles(program, size, written, native)
        with np.errstate(all="ignore"):
            for at, n in work:
                tiles.project(source, at, n, at - first)

    if workers == 1 or len(pieces) == 1:
        loop()
        return
    limit = backend.single_blas() if multiplies else nullcontext()
    with limit, ThreadPoolExecutor(min(workers, len(pieces)), thread_name_prefix="sqlrp") as pool:
        for done in [pool.submit(loop) for _ in range(min(workers, len(pieces)))]:
            done.result()


def _multiplies(program: Program, native: Any) -> bool:
    """Whether an operation is a product of matrices."""
    return any(o.by_blas(t, native) for o, t in zip(program.operations, program.dtypes, strict=False))


def _only_multiplies(program: Program, native: Any) -> bool:
    """Whether all operations are products of matrices, or change single entries."""
    return all(o.in_place or o.by_blas(t, native) for o, t in zip(program.operations, program.dtypes, strict=False))


class _Tiles:
    """The tiles of one thread, which it uses again for every piece."""

    def __init__(self, program: Program, size: int, written: _ResultBuffer, native: Any) -> None:
        out, by_rows, self.native, self.size = written.out, written.by_rows, native, size
        self.out, self.by_rows, self.factor = out, by_rows, written.factor
        self.program = program if native is None else program.coded
        operations, kinds = self.program.operations, self.program.dtypes
        places = [i for i, o in enumerate(operations) if not o.in_place]
        self.last = places[-1] if places else -1
        blas = bool(places) and operations[self.last].by_blas(kinds[self.last], native)
        self.directly = bool(places) and kinds[-1] == out.dtype and (blas or not by_rows)
        self.written = out.T if by_rows else out
        # What the native library writes, and with how many rows of a piece it works at a time.
        self.sink = native.Sink(self.written) if native is not None and out.dtype in WRITTEN else None
        rows = min(max(_NEAR // (program.widest * 8) // 32 * 32, 32), size)
        self.coded = {i: o.ready(rows) for i, o in enumerate(operations) if isinstance(o, NativeOperations)}
        self.tiles: dict[int, Tile] = {}

    def project(self, source: Source, first: int, n: int, to: int) -> None:
        """Read a piece and write its results from row `to` on."""
        operations = self.program.operations
        if not operations and self.by_rows and source.write(first, self.out[to : to + n], self.native):
            if self.factor is not None:
                self.out[to : to + n] *= self.factor
            return
        x, at = self._first(source, first, n), 0
        for i, operation in enumerate(operations):
            if i in self.coded:
                lies = source.lies(first, self.native) if x is None else (self.native.lies(x), 0)
                assert lies is not None
                if i == len(operations) - 1 and self.sink is not None:
                    self.coded[i](*lies, n, self.sink, to, self.factor)
                    return
                x, at = self._tile(i), 0
                self.coded[i](*lies, n, self.native.Sink(x), 0)
                continue
            assert x is not None
            if operation.in_place:
                operation.apply(x, n, x, at, self.native)
            else:
                direct = self.directly and i == self.last
                y, at = (self.written, to) if direct else (self._tile(i), 0)
                operation.apply(x, n, y, at, self.native)
                x = y
        assert x is not None
        if x is self.written:
            if self.factor is not None:
                x[:, to : to + n] *= x.dtype.type(self.factor)
            return
        self._write(x, n, to)

    def _first(self, source: Source, first: int, n: int) -> Tile | None:
        """The rows as a tile; None if the native library reads them where they lie."""
        operations, kinds = self.program.operations, self.program.dtypes
        if 0 in self.coded and source.lies(first, self.native):
            return None
        if operations and operations[0].by_blas(kinds[0], self.native):
            x = source.view(first, n)
            if x is not None and x.dtype == kinds[0]:
                return x
        x = self._tile(-1)
        source.read(first, n, x, self.native)
        return x

    def _tile(self, i: int) -> Tile:
        """The tile after an operation; -1: before the first."""
        if i not in self.tiles:
            n = self.program.operations[i].n_outputs if i >= 0 else self.program.n_features
            self.tiles[i] = np.empty((n, self.size), dtype=self.program.dtypes[i + 1])
        return self.tiles[i]

    def _write(self, x: Tile, n: int, to: int) -> None:
        out = self.out
        if self.sink is not None and x.dtype in TILES:
            self.native.store(x, n, self.sink, to, self.factor)
            return
        place = out[to : to + n].T if self.by_rows else out[:, to : to + n]
        if self.factor is None:
            np.copyto(place, x[:, :n], casting="unsafe")
        elif out.dtype == object:
            place[...] = x[:, :n] * self.factor
        else:
            wide = np.result_type(x.dtype, out.dtype)  # a component may fit, its sum not
            np.multiply(x[:, :n], wide.type(self.factor), out=place, dtype=wide, casting="unsafe")


def _summed(program: Program, source: Source, groups: Ints, native: Any, workers: int, tile: int | None) -> Tile:
    """The sums over groups after the operations before the last one: shape (entries, groups)."""
    head = Program(program.operations[:-1], program.dtypes[:-1], program.n_features)
    n, dtype = head.n_outputs, head.dtypes[-1]
    out = np.zeros((int(groups.max(initial=-1)) + 1, n), dtype=dtype)
    waiting = max(_HELD // max(n, 1), 1)
    pieces = list(source.pieces(min(_size(head, native, tile), waiting)))
    while pieces:
        rows = 0
        taken = 0
        while taken < len(pieces) and (not taken or rows + pieces[taken][1] <= waiting):
            rows += pieces[taken][1]
            taken += 1
        first = pieces[0][0]
        part = np.empty((n, rows), dtype=dtype)
        _run(head, source, pieces[:taken], _ResultBuffer(part), native, workers, first)
        _add(part, groups[first : first + rows], out, native, workers)
        pieces = pieces[taken:]
    return np.ascontiguousarray(out.T)


def _add(x: Tile, groups: Ints, out: Tile, native: Any, workers: int) -> None:
    """Add each row of a tile to its group. Threads share the entries, so that the order of additions stays the same."""
    if native is None or x.dtype not in TILES:
        order = np.argsort(groups, kind="stable")
        own = groups[order]
        starts = np.flatnonzero(np.diff(own, prepend=-1))
        out[own[starts]] += np.add.reduceat(x[:, order], starts, axis=1).T if len(own) else 0
        return
    bounds = np.linspace(0, len(x), workers + 1).astype(int).tolist()
    with ThreadPoolExecutor(workers) as pool:
        for done in [pool.submit(native.add_groups, x, groups, low, high, out) for low, high in pairwise(bounds)]:
            done.result()
