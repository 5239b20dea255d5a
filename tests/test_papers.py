"""Every script of examples/papers runs without its data and prints its tables."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PAPERS = Path(__file__).resolve().parents[1] / "examples" / "papers"

ROWS = {
    "degree2": ["Table 1: mean distortion", "m = 1, k = 40 ", "m = 2, k = 160 ", "ISOLET is missing"],
    "polynomial": ["Table 4.2", "Table 4.3", "s = 3, p = 122, k = 200 ", "Table 4.4", "the features ", "t = 1, p = 50"],
    "subspace": [
        "Table 1: regularity",
        "Figure 2",
        "RS, k = 20 ",
        "SRP, k = 20 ",
        "Figure 4",
        "RS, reflected, k = 400 ",
    ],
    "data_tuned": ["DT-RP ", "best of 50 RPs ", "raised in ", "slowest run "],
    "linear_svm": ["Table I, D1", "Table II, D1", "full data ", "CW, r = 64 ", "RS, r = 64 ", "FHT, r = 64 "],
}


def test_every_script_is_run() -> None:
    assert {path.stem for path in PAPERS.glob("*.py")} == {*ROWS, "common"}


@pytest.mark.parametrize("name", ROWS)
def test_script_prints_its_tables(name: str) -> None:
    script = PAPERS / f"{name}.py"
    done = subprocess.run(
        [sys.executable, str(script), "--quick", "--data", "/nonexistent"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    for row in ROWS[name]:
        assert row in done.stdout
