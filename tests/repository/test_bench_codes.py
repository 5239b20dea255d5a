"""The measurements of codes and of pairs at tiny sizes: every line is there, and says what it should."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import codes
import codes_indexes
import codes_patches
import codes_pgvector
import codes_text
import numpy as np
import pairs
import pytest
import scipy.sparse as sp
from databases import with_pgvector

pytestmark = pytest.mark.slow

MANY = "drawn signs, k = 3,072"


def lines(
    main: Callable[[], None], given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[list[str]]:
    """The cells of the tables that a command prints, without their heads."""
    monkeypatch.setattr(sys, "argv", ["bench", *given.split()])
    main()
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed]
    return [line for line in cells if line[0] not in ("search", "rows", "index", "engine", "bytes", "---")]


@pytest.mark.parametrize(
    ("features", "method"), [("128", "hadamard --bands 6"), ("24", "sparse --bands 8"), ("128", "hadamard --bands 2")]
)
def test_pairs_are_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], features: str, method: str
) -> None:
    given = f"--rows 3000 --features {features} --planted 400 --method {method}"
    [line] = lines(pairs.main, given, monkeypatch, capsys)
    rows, numbers, hashed, bands, _, _, found, others, recall, theory = line
    assert (rows, numbers, hashed, bands[-1]) == ("3,000", features, method.split(maxsplit=1)[0], method[-1])
    assert int(found.replace(",", "")) - int(others.replace(",", "")) == round(float(recall) * 400)
    assert float(recall) == pytest.approx(float(theory), abs=0.04)


@pytest.mark.parametrize("noise", codes.SETS)
def test_the_rows_of_a_set(noise: str) -> None:
    """The queries come first, and every row has length 1, near the patch that it was made from."""
    asked, *batches = codes.patches(150, 5, noise)
    plain = np.concatenate(list(codes.patches(150, 5, noise)))
    assert asked.shape == (5, codes.D)
    assert sum(map(len, batches)) == 150
    x = np.concatenate([asked, *batches])
    assert (x == plain).all()  # one seed
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1, rtol=1e-5)
    with pytest.raises(ValueError, match="ask for at most"):
        next(codes.patches(2_000_000, 5, noise))


def test_codes_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(codes, "CANDIDATES", (10, 120))
    found = lines(codes.main, "--rows 120 --queries 2 --timed 1 --sets spread", monkeypatch, capsys)
    assert [line[0].split(",")[0] for line in found] == ["all 1", *4 * ["bits"], *4 * ["48 floats"], *2 * ["120 bytes"]]
    for name, size, recall, spent, ratio in found:
        assert float(size.replace(",", "")) > 0
        assert spent.endswith(" ms")
        assert float(ratio) >= 0
        if "120 candidates" in name or name.startswith("all"):  # every row is ranked again
            assert float(recall) == 1.0


def test_indexes_of_bits_are_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(codes_pgvector, "CANDIDATES", (10, 100))
    with ExitStack() as stack:
        url = with_pgvector(stack).engine.url.render_as_string(hide_password=False)
        given = f"--rows 100 --queries 2 --builds 2 --sets spread --postgresql {url}"
        found = lines(codes_pgvector.main, given, monkeypatch, capsys)
    names = ["vector(1,536)", "bit(1,536), Hadamard", "bit(1,536), binary_quantize"]
    assert [line[0] for line in found] == [name for name in names for _ in range(2)]
    for _, size, of_whole, _, _, searched, recall in found:
        assert float(size.removesuffix(" MB")) > 0
        assert float(of_whole) == 1 if size == found[0][1] else 0 < float(of_whole) < 0.5
        share = float(recall.split(" ± ")[0])
        assert share == 1 if searched == "100" else 0 <= share <= 1  # every row is a candidate


def test_indexes_of_clickhouse_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(codes_indexes, "CANDIDATES", (10, 200))
    monkeypatch.setattr(codes_indexes, "extension", lambda: None)
    *found, without = lines(codes_indexes.main, "--rows 200 --queries 3", monkeypatch, capsys)
    assert [line[:2] for line in found] == [
        ["ClickHouse", f"{kind}, {codes_indexes.NAMES[column]}"] for kind, column in codes_indexes.KINDS
    ]
    sizes = [float(line[2].removesuffix(" MB")) for line in found]
    assert sizes == sorted(sizes, reverse=True)
    assert all(0 < float(line[4]) <= float(line[5]) == 1 for line in found)  # then every row is ranked again
    assert without[0].startswith("vss: left out")


def test_codes_of_texts_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    counts = sp.csr_matrix(rng.poisson(rng.gamma(0.3, 1, (400, 8)) @ rng.gamma(0.3, 1, (8, 60))))
    np.savez(
        tmp_path / "reuters.npz", data=counts.data, indices=counts.indices, indptr=counts.indptr, shape=counts.shape
    )
    for name, value in (("D", 16), ("SIZES", (4, 8)), ("CANDIDATES", (10, 1000))):
        monkeypatch.setattr(codes_text, name, value)
    found = lines(codes_text.main, f"--data {tmp_path} --queries 20", monkeypatch, capsys)
    assert {line[0] for line in found} == {"4", "8"}
    assert {line[1].split(",")[0] for line in found} == {"bits", "2 bits each", "4 bits each", "8 bits each", "floats"}
    for _, name, first, last in found:
        assert 0 < float(first) <= 1, name
        assert float(last) == 1  # all rows are candidates


def test_codes_of_patches_are_compared(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["bench", "--rows", "160", "--queries", "4", "--many", "30"])
    codes_patches.main()
    printed = capsys.readouterr().out
    assert "recall@10 among 160 rows" in printed
    for name in ("bits, Hadamard, k = 1,536", "bits, no rotation", "bytes, principal components"):
        assert name in printed
    cells = [[each.strip() for each in line.split("|")[1:-1]] for line in printed.splitlines() if line[:1] == "|"][2:]
    found = {name: [float(share.split(" ")[0]) for share in shares] for name, _, *shares in cells}
    plain, rotated, many = (found[f"bits, {name}"] for name in ("no rotation", "Hadamard, k = 1,536, seed 7", MANY))
    assert all(a < b < 1 for a, b in zip(plain[::2], rotated[::2], strict=True))  # of the first 10
    assert all(few < more <= 1 for few, more in zip(rotated[::2], many[::2], strict=True))
    assert all(first <= last <= 1 for shares in found.values() for first, last in (shares[:2], shares[2:]))
    assert {size for _, size, *_ in cells} == {"192", "256", "384"}
