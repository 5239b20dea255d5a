"""The rows that come with the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from sqlrp import samples


def test_near_vectors_are_of_near_texts() -> None:
    """Every vector has length 1 and another name, and a function's nearest is the one that does nearly the same."""
    docs = samples.docstrings()
    e = np.stack(docs["e"].to_numpy())
    names = docs["name"].to_pylist()
    assert e.shape == (4_000, 384)
    assert docs["id"].to_pylist() == list(range(4_000))
    assert len(set(names)) == 4_000
    np.testing.assert_allclose(np.linalg.norm(e.astype(np.float64), axis=1), 1, atol=1e-6)
    for name, near in (
        ("json.loads", "json.load"),
        ("gzip.open", "bz2.open"),
        ("itertools.permutations", "itertools.combinations"),
        ("statistics.median", "statistics.median_high"),
    ):
        assert names[int(np.argsort(-e @ e[names.index(name)])[1])] == near


def test_the_module_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "docs.parquet"
    done = subprocess.run([sys.executable, "-m", "sqlrp.samples", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert pq.read_table(path).equals(samples.docstrings())
