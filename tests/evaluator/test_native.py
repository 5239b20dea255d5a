"""The native library: the numbers of numpy for random programs, its arrays and no memory beyond, and its absence."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from databases import need_native_library
from scipy.linalg import hadamard
from taking_part import missing

from sqlrp._core import draw, native_library
from sqlrp._core.memory import Memory, passed, working
from sqlrp._evaluator import Entries, MatrixRows, Program, Source, TableColumns, backend, code, native_calls, run
from sqlrp._evaluator.operations import ConstantEntry, Convolution, Operation, ProductSums, TileFunction
from sqlrp._evaluator.program import FORMS, NativeOperations
from sqlrp._evaluator.sum_operations import Butterflies, LinearSums, Reflection
from sqlrp._evaluator.tile_sources import _KINDS
from sqlrp.stages import Absolute, Cosine, Exponential, Normalise, Power, Rescale, SignedRoot, Stage

ROOT = Path(__file__).parents[2]
NUMBERS = (np.float64, np.float32, np.int64)
MEMORY = 1 << 24
WRONG = int(os.environ.get("SQLRP_WRONG_PROGRAMS", "600"))
"""How many wrong programs are tried."""
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DSQLRP_NO_CLONES", "-g", "-O0")


@pytest.fixture(autouse=True)
def library_is_here() -> None:
    need_native_library()


def test_the_header_and_the_modules_number_the_same() -> None:
    header = (ROOT / "native" / "sqlrp.h").read_text()
    types, operations = (
        re.findall(r"SQLRP_(\w+)", body) for body in re.findall(r"\benum \{(.*?)\}", header, re.DOTALL)
    )
    assert [np.dtype(name.lower()) for name in types[:-1]] == list(code.TYPES)
    assert [str(kind) for kind in _KINDS[2:-1]] == [name.lower() for name in types[2:-1]]
    assert [kind.bit_width for kind in _KINDS[:2]] == [64, 32]
    assert (types[-1], _KINDS[-1]) == ("BITS", pa.bool_())
    assert [getattr(code, name) for name in operations] == list(range(1, len(operations) + 1))
    assert f"#define SQLRP_FORMAT {native_library.FORMAT}\n" in header
    assert f"#define SQLRP_MOST_DEGREE {code.MOST_DEGREE}\n" in header
    assert set(re.findall(r"SQLRP_API \w+ sqlrp_(\w+)\(", header)) == set(native_library._FUNCTIONS)


# -- random programs ---------------------------------------------------------------------------------------


def of_stage(stage: Stage, n: int) -> Operation:
    return FORMS.of(stage)(stage, np.arange(n))


def operation(draws: np.random.Generator, n: int, dtype: Any, last: bool) -> Operation:
    """An operation on n entries. The last one may give other numbers than multiples of 1/8, and large ones."""
    m, whole = int(draws.integers(1, 9)), dtype == np.int64
    made = ["sums", "weighted", "products", "butterfly", "mixed", "append", "reflect", "rescale", "cast"]
    made += (["power"] if last else []) + (["root", "norm"] if last and not whole else [])
    match draws.choice([*made, "convolve"] if n >= 4 and n % 2 == 0 else made):
        case "sums":
            signs = draws.choice([-1, 0, 0, 1], (n, m)).astype(np.int8)
            return LinearSums(signs, draws.integers(-9, 9, m) if draws.random() < 0.5 else None)
        case "weighted":
            weights = draws.integers(-3, 4, (n, m)) * (draws.random((n, m)) < 0.4)
            return LinearSums(weights if whole else weights * 0.5)
        case "products":
            components = np.sort(draws.integers(0, m, int(draws.integers(0, 12))))
            factors = draws.integers(-1, n, (len(components), int(draws.integers(1, 4))))
            weights = None if draws.random() < 0.5 else draws.integers(1, 4, len(components)).astype(float)
            return ProductSums(m, components, factors, weights)
        case "butterfly" | "mixed" as kind:
            part, parts = 1 << int(draws.integers(0, 6)), 4 if kind == "mixed" else 1
            places, flips = draws.integers(0, part * parts, n), draws.choice([-1, 1], n).astype(np.int8)
            return Butterflies(
                places, flips, hadamard(parts, np.int8), part, draws.integers(0, part * parts, m)
            )  # fmt: skip
        case "append":
            return ConstantEntry(n, 3.0)
        case "reflect":
            return Reflection(n, draws.integers(0, n, m), n)
        case "convolve":
            return Convolution(2, n // 2)
        case "rescale":
            offset, scale = draws.integers(-3, 4, (2, n)).astype(float)
            return of_stage(Rescale(offset, scale), n)
        case "cast":
            to = np.dtype(draws.choice([np.float64, np.float32]))  # type: ignore[arg-type]
            to = np.dtype(dtype) if whole else to
            return TileFunction(n, lambda x: x.astype(to), to)
        case "root":
            return of_stage(SignedRoot(), n)
        case "norm":
            return of_stage(Normalise(), n)
    return of_stage(Power(2.0, int(draws.integers(1, 4))), n)


def random_program(draws: np.random.Generator) -> Program:
    dtypes, n = [np.dtype(draws.choice(NUMBERS))], int(draws.integers(1, 13))  # type: ignore[arg-type]
    operations: list[Operation] = []
    for left in reversed(range(draws.integers(0, 5))):
        before = operations[-1].n_outputs if operations else n
        operations.append(operation(draws, before, dtypes[-1], not left))
        dtypes.append(operations[-1].to if isinstance(operations[-1], TileFunction) else dtypes[-1])
    return Program(
        tuple(operations), tuple(dtypes), n, 1.5 if draws.random() < 0.3 and dtypes[-1].kind == "f" else None
    )


def random_source(draws: np.random.Generator, n: int, dtype: Any) -> Source:
    """Rows as columns with NULLs and offsets, or as a matrix of some type and order."""
    rows = int(draws.choice([0, 1, 7, 33, 150]))
    kind = draws.choice(["columns", "rows", "entries"])
    x = draws.integers(0, 5, (rows + 9, n))
    if kind == "columns":
        holes = draws.random(x.shape) < 0.1
        kinds = [t for t in _KINDS if dtype != np.int64 or not pa.types.is_floating(t)]
        types = [kinds[i] for i in draws.integers(0, len(kinds), n)]
        columns = [
            pa.array((x[:, j] % 2 == 1) if pa.types.is_boolean(t) else x[:, j], mask=holes[:, j]).cast(t)
            for j, t in enumerate(types)
        ]
        table = pa.table({f"f{j}": column for j, column in enumerate(columns)})
        table = pa.concat_tables([table.slice(2, rows - rows // 3), table.slice(5, rows // 3)])
        return TableColumns(table, table.column_names, draws.integers(0, 3, n))
    types = [t for t in code.TYPES if dtype != np.int64 or t.kind != "f"]
    values = x.astype(draws.choice(types))  # type: ignore[arg-type]
    if values.dtype.kind == "f" and draws.random() < 0.5:
        values[draws.random(values.shape) < 0.05] = draws.choice([np.nan, np.inf, -np.inf, -0.0])
    values = values[:rows] if draws.random() < 0.5 else np.asfortranarray(values)[9:]
    return MatrixRows(values) if kind == "rows" else Entries(values.T)


@pytest.mark.parametrize("seed", range(10))
def test_random_programs_give_the_numbers_of_numpy(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    draws, coded = np.random.default_rng(seed), 0
    for _ in range(30):
        program, by_rows = random_program(draws), bool(draws.random() < 0.5)
        source = random_source(draws, program.n_features, program.dtypes[0])
        whole = program.dtypes[-1] == np.int64
        dtype = draws.choice([np.int64, np.float64] if whole else [np.float64, np.float32])  # type: ignore[arg-type]
        tile = draws.choice([None, 1, 5, 64])  # type: ignore[arg-type]
        found = []
        for module in (None, native_calls):
            monkeypatch.setattr(backend, "native", lambda work, module=module: module)
            if isinstance(source, TableColumns):
                source.missing[:] = False
            with np.errstate(all="ignore"):
                z = run(program, source, by_rows, dtype, threads=2, tile=tile)
            found.append((z, source.missing.copy() if isinstance(source, TableColumns) else None))
        (want, gone), (got, also) = found
        assert got.dtype == want.dtype
        assert np.array_equal(gone, also)  # type: ignore[arg-type]
        if whole:
            assert np.array_equal(got, want)
        else:
            digits = 1e-3 if np.float32 in [dtype, *(t.type for t in program.dtypes)] else 1e-9
            finite = np.abs(np.where(np.isfinite(want), want, 0)).max(initial=1)
            assert np.allclose(got, want, rtol=digits, atol=digits * finite, equal_nan=True)
        coded += sum(isinstance(o, NativeOperations) for o in program.coded.operations)
    assert coded > 20


def test_formulas_become_operations_where_there_are_some() -> None:
    kind = np.dtype(np.float64)
    power = [code.code(code.POWER, code.number(2.0, kind), 3)]
    assert of_stage(Power(2.0, 3), 2).codes(kind) == power
    assert of_stage(SignedRoot(), 2).codes(kind) == [code.code(code.ROOT)]
    assert of_stage(SignedRoot(), 2).codes(np.dtype(np.int64)) is None
    for stage in (Power(2.0, code.MOST_DEGREE + 1), Exponential(), Cosine(), Absolute()):
        assert of_stage(stage, 2).codes(kind) is None


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("part", [1, 2, 4, 8, 16, 32, 64])
def test_butterflies_of_every_length(dtype: Any, part: int) -> None:
    draws, parts, n = np.random.default_rng(0), 3, 5
    size = parts * part
    places, flips = draws.permutation(size)[: size - size // 3], draws.choice([-1, 1], size).astype(np.int8)
    x = draws.integers(-9, 9, (len(places), n)).astype(dtype)
    laid = np.zeros((size, n), dtype=dtype)
    laid[places] = x * flips[: len(places), None].astype(dtype)
    wanted = np.einsum("ij,pjn->pin", hadamard(part, dtype), laid.reshape(parts, part, n)).reshape(size, n)
    out = np.full((size, n + 4), 99, dtype=dtype)
    transform = code.code(code.BUTTERFLY, size, part, places.astype(np.int32), flips[: len(places)])
    native_calls.evaluate([transform], x, out[:, 2:-2])
    assert (out[:, 2:-2] == wanted).all()
    assert (out[:, [0, 1, -2, -1]] == 99).all()


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", [1, 15, 16, 34, 48, 64, 100, 256])
def test_convolutions_of_every_length(dtype: Any, size: int) -> None:
    """Product by product, in longer numbers; also where some entry, or a product, is infinite."""
    draws, n = np.random.default_rng(size), 6
    for largest in (9.0, 1e200 if dtype == np.float64 else 9e18, np.inf):
        x = np.rint(draws.normal(size=(3 * size, n)) * 9).astype(dtype)
        if dtype != np.int64:
            x[-size - 1, 2] = x[0, 2] = largest
        a, b = x[:size].astype(np.longdouble), x[size : 2 * size].astype(np.longdouble)
        with np.errstate(all="ignore"):
            want = np.array([sum(a[i] * b[(c - i) % size] for i in range(size)) for c in range(size)]).astype(dtype)
        out = np.empty((2 * size, n), dtype=dtype)
        native_calls.evaluate([code.code(code.CONVOLVE, size, 3)], x.copy(), out)
        assert (out[size:] == x[2 * size :]).all()
        digits = {np.float64: 1e-13, np.float32: 1e-5, np.int64: 0}[dtype]
        for r in range(n):  # a bound for each row, as one of them is large
            scale = float(np.abs(a[:, r]).sum() * np.abs(b[:, r]).max())
            if np.isfinite(scale):
                assert np.allclose(out[:size, r], want[:, r], rtol=0, atol=digits * scale)
        assert np.array_equal(np.isfinite(out[:size]), np.isfinite(want))


def test_signs_are_those_of_the_definition() -> None:
    """h(c, f) = Σ b[i]·f^i mod P in Python's integers, at the bounds of the field and of both thresholds too."""
    low, high = draw.thresholds(3.0)
    edges = np.array([0, 1, low - 1, low, high - 1, high, draw.P - 2, draw.P - 1])
    random = np.random.default_rng(3)
    b = np.hstack([np.zeros((8, 8), dtype=np.int64), random.choice([0, 1, draw.P - 1], (8, 20))])
    b = np.hstack([b, random.integers(0, draw.P, (8, 20))])
    b[0, :8] = edges
    f = np.concatenate([edges, random.integers(0, draw.P, 40)])
    found = np.empty((b.shape[1], len(f)), dtype=np.int8)
    draw._native_signs(b, f, low, high, found)
    h = [[sum(a * x**i for i, a in enumerate(column)) % draw.P for x in f.tolist()] for column in b.T.tolist()]
    assert found.tolist() == [[1 if v < low else -1 if v < high else 0 for v in row] for row in h]


@pytest.mark.parametrize("s", [1, 3, 28.0])
def test_tables_of_signs_are_those_of_numpy(monkeypatch: pytest.MonkeyPatch, s: float) -> None:
    features = np.append(np.arange(300), draw.CONSTANT_FEATURE)
    tables = [draw.draw_signs(features, 256, s, seed=12345678901)]
    monkeypatch.setattr(native_library, "library", lambda: None)
    tables.append(draw.draw_signs(features, 256, s, seed=12345678901))
    np.testing.assert_array_equal(*tables)


# -- programs that are wrong -------------------------------------------------------------------------------


def test_wrong_programs_are_refused_or_harmless() -> None:
    """Valid programs with some words changed: each is refused, or runs within its memory, as sanitizers see below."""
    draws, accepted = np.random.default_rng(1), 0
    for _ in range(WRONG):
        whole = random_program(draws).coded
        words = next((o.program.bytes for o in whole.operations if isinstance(o, NativeOperations)), None)
        if words is None:
            continue
        words = words[: draws.integers(len(words)) if draws.random() < 0.1 else None].copy()
        for _ in range(draws.integers(0, 3)):
            if len(words):
                change = draws.choice([-1, 0, 1, 2, 3, 8, 1 << 20, (1 << 31) - 1, 1 << 31, -(1 << 63)])
                words[draws.integers(len(words))] = change
        accepted += runs(words)
    assert WRONG // 12 < accepted < WRONG - WRONG // 60


def runs(words: Any) -> bool:
    """Run a program, if it is accepted and needs little memory, over a matrix of as many entries as it says."""
    library, tile = native_library.library(), 4
    given = passed("words", words, np.int64, words.shape)
    size = library.sqlrp_check(given, words.nbytes, tile)
    if not size or size > MEMORY:
        return False
    x, outputs = np.ones((int(words[1]), 6)), size // (tile * 8)  # no program has more results than its widest tile
    memory, out = working(size), np.zeros((outputs, 6))
    source, sink = native_calls.lies(x), native_calls.Sink(out)
    library.sqlrp_run(given, words.nbytes, source.matrix, None, 0, 6, sink.matrix, 0, 1.0, tile, memory)
    return True


@pytest.mark.parametrize("wrong", ["short", "format", "type", "index", "more", "unaligned"])
def test_each_kind_of_wrong_program_is_refused(wrong: str) -> None:
    words = code.program(2, np.float64, [code.code(code.PICK, 2, np.array([0, 1], dtype=np.int32))])
    check = native_library.library().sqlrp_check
    at, size = passed("words", words, np.int64, words.shape), words.nbytes
    assert check(at, size, 8)
    if wrong == "short":
        size -= 8
    elif wrong == "more":
        words = np.append(words, 0)
        at, size = passed("words", words, np.int64, words.shape), words.nbytes
    elif wrong == "unaligned":
        at, size = Memory(at.address + 4, words), size - 4
    else:
        words[{"format": 0, "type": 2, "index": -1}[wrong]] = 5
    assert check(at, size, 8) == 0
    assert [check(at, size, tile) for tile in (0, -1, 1 << 21)] == [0, 0, 0]


@pytest.mark.slow
def test_it_reads_and_writes_its_arrays_only(tmp_path: Path) -> None:
    """The tests above and those of the evaluator, with a library that stops at an access beyond its arrays."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        missing("a C compiler", FileNotFoundError("cc"))
    built = tmp_path / "_native.so"
    command = [compiler, "-std=c11", "-ffp-contract=off", "-fPIC", "-shared", *SANITIZED, "-o", str(built)]
    subprocess.run([*command, str(ROOT / "native" / "kernel.c"), "-lm"], check=True)
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    head = (
        "import sys, numpy as np\n"
        "from sqlrp._core import native_library\n"
        "from pathlib import Path\n"
        f"native_library.PATH = Path({str(built)!r})\n"
        "assert native_library.library() is not None\n"
    )
    programs = [f"test_random_programs_give_the_numbers_of_numpy[{seed}]" for seed in range(2)]
    programs += ["test_wrong_programs_are_refused_or_harmless", "test_signs_are_those_of_the_definition"]
    cells = ["test_positions_in_order_or_not[native]", "test_entries_are_listed[float64-True-native]"]
    cells += ["test_open_vocabularies_batch_by_batch[SparseProjection-array-native]", "test_groups[pooling-native]"]
    given = ["-p", "no:cacheprovider", "-p", "no:xdist"]
    given += [f"tests/evaluator/test_native.py::{name}" for name in programs] + [
        f"tests/evaluator/test_evaluator.py::{n}" for n in cells
    ]
    options = {"LD_PRELOAD": ":".join(libraries), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc"}
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")} | options

    def ran(text: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", head + text]
        return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)

    done = ran(f"import pytest\nsys.exit(pytest.main({given!r}))\n")
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) == len(programs) + len(cells)
    # It stops where a row more is read than the matrix has.
    beyond = "from sqlrp._evaluator import native_calls\n"
    beyond += "source = native_calls.lies(np.ones((50, 70)))\nsource.rows = 71\n"
    beyond += "native_calls.copy(source, 0, 71, np.ones((50, 71)))\n"
    assert "heap-buffer-overflow" in ran(beyond).stderr


# -- where it is missing, or another one -------------------------------------------------------------------


def test_a_library_that_does_not_fit_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / native_library.NAME
    path.write_bytes(b"not a library")
    monkeypatch.setattr(native_library, "PATH", path)
    with caplog.at_level(logging.WARNING, logger="sqlrp"):
        assert native_library.library() is None
        assert native_library.library() is None
    assert caplog.text.count("sqlrp computes by numpy, which is slower: its library") == 1
    monkeypatch.setattr(native_library, "FORMAT", native_library.FORMAT + 1)
    other = tmp_path / f"other{Path(native_library.NAME).suffix}"
    shutil.copy(Path(native_library.__file__).with_name(native_library.NAME), other)
    monkeypatch.setattr(native_library, "PATH", other)
    assert native_library.library() is None
    assert "install sqlrp again" in caplog.text
    monkeypatch.setattr(native_library, "PATH", tmp_path / "nothing")
    assert native_library.library() is None
    assert backend.native(1e12) is None


def test_a_copy_travels_to_the_same_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = native_library.copy()
    assert whole is not None
    assert len(whole.packed) < 1 << 18
    monkeypatch.setattr(native_library, "PATH", tmp_path / "nothing")
    monkeypatch.setattr(native_library, "_RECEIVED", [])
    native_library.receive(native_library.Copy("another platform", whole.packed))
    assert native_library.library() is None
    native_library.receive(whole)
    assert native_library.library() is not None
    out = np.zeros((2, 3))
    native_calls.copy(native_calls.lies(np.arange(6.0).reshape(2, 3)), 0, 3, out)
    assert out.tolist() == [[0, 1, 2], [3, 4, 5]]
