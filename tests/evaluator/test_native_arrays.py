"""The arrays that the native library is given: what does not fit is refused, and only one module takes an address."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from databases import need_native_library

import sqlrp
from sqlrp._core import draw, memory, native_library
from sqlrp._evaluator import TableColumns, backend, code, native_calls, run
from sqlrp._evaluator.program import program
from sqlrp._evaluator.results import listed

PACKAGE = Path(sqlrp.__file__).parent
ADDRESSES = re.compile(
    r"\bctypes\b|\bc_void_p\b|\.address\b|__array_interface__|__cuda_array|\.data_ptr\(|\b_as_parameter_"
)


@pytest.fixture(autouse=True)
def library_is_here() -> None:
    need_native_library()


def test_one_module_takes_addresses() -> None:
    """`native` loads the library; no address passes there."""
    found = {str(path.relative_to(PACKAGE)): ADDRESSES.findall(path.read_text()) for path in PACKAGE.rglob("*.py")}
    taken = {name for name, words in found.items() if words}
    assert taken == {"_core/native_library.py", "_core/memory.py", "_evaluator/native_calls.py"}
    assert set(found["_core/native_library.py"]) == {"ctypes"}
    calls = (PACKAGE / "_evaluator" / "native_calls.py").read_text()
    assert re.findall(r".*\bctypes\b.*", calls) == ["from ctypes import byref"]
    callers = {name for name in found if "library().sqlrp_" in (PACKAGE / name).read_text()}
    assert callers == {"_core/draw.py", "_evaluator/native_calls.py"}


def test_the_library_takes_no_bare_address() -> None:
    words = code.program(1, np.float64, [])
    with pytest.raises(Exception, match="arrays that passed"):
        native_library.library().sqlrp_check(words.ctypes.data, words.nbytes, 8)


def whole(*shape: int) -> Any:
    return np.zeros(shape, dtype=np.int64)


def unaligned(*shape: int) -> Any:
    size = int(np.prod(shape)) * 8
    return np.zeros(size + 1, dtype=np.uint8)[1:].view(np.float64).reshape(shape)


def fixed(x: Any) -> Any:
    x.flags.writeable = False
    return x


TWO = native_calls.SlotWeights(np.ones((2, 3)), 3)
WRONG: dict[str, Callable[[], Any]] = {
    "a matrix in the other order of bytes": lambda: native_calls.lies(np.zeros((2, 3), dtype=">f8")),
    "a matrix that is not aligned": lambda: native_calls.lies(unaligned(2, 3)),
    "a matrix of three dimensions": lambda: native_calls.lies(np.zeros((2, 3, 4))),
    "a matrix of half floats": lambda: native_calls.lies(np.zeros((2, 3), dtype=np.float16)),
    "a result that is read only": lambda: native_calls.Sink(fixed(np.zeros((2, 3)))),
    "a result without rows side by side": lambda: native_calls.Sink(np.zeros((4, 6))[::2, ::2]),
    "a result whose rows are one": lambda: native_calls.Sink(np.broadcast_to(np.zeros(3), (2, 3))),
    "a result of small numbers": lambda: native_calls.Sink(np.zeros((2, 3), dtype=np.int8)),
    "rows beyond a matrix": lambda: native_calls.copy(native_calls.lies(np.ones((5, 7))), 0, 8, np.ones((5, 8))),
    "rows before a matrix": lambda: native_calls.copy(native_calls.lies(np.ones((5, 7))), -1, 2, np.ones((5, 8))),
    "rows beyond a result": lambda: native_calls.copy(native_calls.lies(np.ones((5, 7))), 0, 7, np.ones((5, 6))),
    "a matrix of fewer entries": lambda: native_calls.copy(native_calls.lies(np.ones((4, 7))), 0, 7, np.ones((5, 7))),
    "floats for whole numbers": lambda: native_calls.copy(native_calls.lies(np.ones((5, 7))), 0, 7, whole(5, 7)),
    "a column of fewer numbers": lambda: native_calls.columns(
        [pa.array([1.0, 2.0])], [0], np.zeros(1), np.zeros(3, dtype=bool)
    ),
    "a column whose buffer is short": lambda: native_calls.columns(
        [pa.array(np.zeros(3, dtype=np.float32))], [0], np.zeros(1), np.zeros(3, dtype=bool)
    ),
    "as many numbers for NULL as columns": lambda: native_calls.columns(
        [pa.array([1.0, 2.0])], [0], np.zeros(2), np.zeros(2, dtype=bool)
    ),
    "groups of 32 bits": lambda: native_calls.add_groups(
        np.ones((2, 3)), np.zeros(3, dtype=np.int32), 0, 2, np.zeros((1, 2))
    ),
    "groups beyond the sums": lambda: native_calls.add_groups(np.ones((2, 3)), whole(3) + 1, 0, 2, np.zeros((1, 2))),
    "groups below 0": lambda: native_calls.add_groups(np.ones((2, 3)), whole(3) - 1, 0, 2, np.zeros((1, 2))),
    "entries beyond those of groups": lambda: native_calls.add_groups(
        np.ones((2, 3)), whole(3), 0, 3, np.zeros((1, 2))
    ),
    "sums of another type": lambda: native_calls.add_groups(np.ones((2, 3)), whole(3), 0, 2, whole(1, 2)),
    "starts of 32 bits": lambda: native_calls.add_cells(
        np.array([0, 1], dtype=np.int32), whole(1), np.ones(1), TWO, np.zeros((1, 3))
    ),
    "slots of 32 bits": lambda: native_calls.add_cells(
        np.array([0, 1]), np.zeros(1, dtype=np.int32), np.ones(1), TWO, np.zeros((1, 3))
    ),
    "starts that fall": lambda: native_calls.add_cells(
        np.array([0, 2, 1, 2]), whole(2), np.ones(2), TWO, np.zeros((3, 3))
    ),
    "starts beyond the cells": lambda: native_calls.add_cells(
        np.array([0, 3]), whole(2), np.ones(2), TWO, np.zeros((1, 3))
    ),
    "cells of half floats": lambda: native_calls.add_cells(
        np.array([0, 1]), whole(1), np.ones(1, dtype=np.float16), TWO, np.zeros((1, 3), dtype=np.float16)
    ),
    "sums with gaps": lambda: native_calls.add_cells(
        np.array([0, 1]), whole(1), np.ones(1), TWO, np.zeros((1, 6))[:, ::2]
    ),
    "weights of half floats": lambda: native_calls.SlotWeights(np.ones((2, 3), dtype=np.float16), 3),
    "weights for other sums": lambda: native_calls.SlotWeights(np.ones((2, 3)), 4),
    "weights for a sum too many": lambda: native_calls.SlotWeights(
        np.ones(1), 3, np.array([0, 1]), np.array([3], dtype=np.int32)
    ),
    "weights beyond the list": lambda: native_calls.SlotWeights(
        np.ones(1), 3, np.array([0, 2]), np.array([0], dtype=np.int32)
    ),
    "rows that are gone as numbers": lambda: native_calls.count_shown(np.ones((2, 3)), whole(2), 0, 2, whole(2)),
    "rows beyond those listed": lambda: native_calls.count_shown(
        np.ones((2, 3)), np.zeros(2, dtype=bool), 0, 3, whole(2)
    ),
    "ends beyond the list": lambda: native_calls.list_shown(
        np.ones((2, 3)), np.zeros(2, dtype=bool), 0, 2, np.array([3, 6]), whole(5), whole(5), np.ones(5)
    ),
    "coefficients of seven powers": lambda: draw._native_signs(whole(7, 2), whole(3), 1, 2, np.zeros((2, 3), np.int8)),
    "signs of another shape": lambda: draw._native_signs(whole(8, 2), whole(3), 1, 2, np.zeros((3, 2), np.int8)),
}


def test_arrays_that_do_not_fit_are_refused() -> None:
    taken = []
    for name, call in WRONG.items():
        try:
            call()
        except ValueError:
            continue
        taken.append(name)
    assert not taken


LAID: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "backwards": lambda x: np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "every second": lambda x: np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "read only": lambda x: fixed(x.copy()),
    "swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": lambda x: np.frombuffer(b"?" + x.tobytes(), dtype=np.uint8)[1:].view(x.dtype).reshape(x.shape),
    "a subclass": lambda x: x.view(type("Named", (np.ndarray,), {})),
}
TYPES = ["e", "f", "d", "g", "b", "B", "h", "H", "i", "I", "q", "Q", "?"]


def test_every_type_and_layout_of_a_matrix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Signed sums of small whole numbers are the same in every type, in the library, in numpy, and by Python's sums."""
    projection, draws = sqlrp.SparseProjection(k=5, s=1, seed=3), np.random.default_rng(0)
    signs = draw.draw_signs(np.arange(33), 5, 1, 3).astype(int)
    for rows in (0, 1, 63, 64, 65, 1030):  # less than a tile, a tile, and more than a piece of a thread
        for kind in TYPES:
            x = draws.integers(0, 2, (rows, 33)).astype(kind)
            want = (x.astype(int) @ signs).astype(float)
            mapped = np.memmap(tmp_path / f"{rows}{ord(kind)}", x.dtype, "w+", shape=(max(rows, 1), 33))
            mapped[:rows] = x
            laid = [lay(x) for lay in LAID.values()] + [mapped[:rows]]
            for module in (native_calls, None):
                monkeypatch.setattr(backend, "native", lambda work, module=module: module)
                for given in laid if rows < 1000 else laid[:4]:
                    assert np.array_equal(sqlrp.project(projection, given, scale=False), want), (rows, kind, module)


def test_columns_at_odd_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(40.0)
    buffer = pa.py_buffer(b"123" + x.tobytes()).slice(3)
    table = pa.table({"a": pa.Array.from_buffers(pa.float64(), 30, [None, buffer], offset=10), "b": x[:30]})
    for module in (native_calls, None):
        monkeypatch.setattr(backend, "native", lambda work, module=module: module)
        made = program([], np.arange(2), [np.float64])
        assert np.array_equal(run(made, TableColumns(table, ["a", "b"]), False), [x[10:], x[:30]])


def test_memory_lives_as_long_as_it_is_read() -> None:
    """A source and a result hold their arrays, also where the caller keeps none of them."""
    lies = native_calls.lies(np.arange(1e6).reshape(2, -1))
    weights = native_calls.SlotWeights(np.ones((1000, 300)), 300)
    _ = [np.full((2, 500000), -1.0) for _ in range(4)]
    out = np.empty((2, 500000))
    native_calls.copy(lies, 0, 500000, out)
    assert np.array_equal(out, np.arange(1e6).reshape(2, -1))
    sums = np.zeros((1, 300))
    native_calls.add_cells(np.array([0, 1000]), np.arange(1000), np.ones(1000), weights, sums)
    assert (sums == 1000).all()


def test_results_in_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result of one row or one entry has steps of any length, as numpy makes them."""
    for shape in ((1, 5), (5, 1), (1, 1), (0, 3), (3, 0)):
        x = np.arange(float(np.prod(shape))).reshape(shape)
        for out in (np.full(shape, 9.0), np.full(shape[::-1], 9.0).T, np.full((shape[0], 8), 9.0)[:, : shape[1]]):
            native_calls.copy(native_calls.lies(x), 0, shape[1], out)
            assert np.array_equal(out, x)
    entries = listed(np.zeros((3, 2)), np.array([False, True, False]), sparse=True)
    assert [list(map(int, part)) for part in entries[:2]] == [[0, 1, 1, 2], [0, 0, 1, 0]]
    row = np.zeros(5)
    assert memory.side_by_side(row[:2], row[2:4], 1)
