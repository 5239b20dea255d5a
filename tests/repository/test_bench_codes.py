"""The measurements of codes and of pairs at tiny sizes: every line is there, and says what it should."""

from __future__ import annotations

import sys
from collections.abc import Callable

import codes
import numpy as np
import pairs
import pytest


def lines(
    main: Callable[[], None], given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[list[str]]:
    """The cells of the tables that a command prints, without their heads."""
    monkeypatch.setattr(sys, "argv", ["bench", *given.split()])
    main()
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in printed]
    return [line for line in cells if line[0] not in ("search", "rows", "---")]


def test_pairs_are_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    given = "--rows 3000 --features 24 --planted 400"
    [[rows, features, _, _, _, found, others, recall, theory]] = lines(pairs.main, given, monkeypatch, capsys)
    assert (rows, features) == ("3,000", "24")
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
