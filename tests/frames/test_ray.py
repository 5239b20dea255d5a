"""Datasets of Ray, by the function of batches that the refusal of a dataset names."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from own_packages import installed

pytestmark = pytest.mark.slow

_PROGRAM = """
import numpy as np, pyarrow as pa, ray, sqlrp

ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20)
projection = sqlrp.SparseProjection(k=3, s=1, seed=1)
x = np.random.default_rng(0).normal(size=(40, 6))
columns = pa.table({"id": range(40), **{f"f{j}": x[:, j] for j in range(6)}})
dataset = ray.data.from_arrow(columns)
try:
    sqlrp.project(projection, dataset)
except sqlrp.UnsupportedError as error:
    print(error)

def batches(dataset):
    made = dataset.map_batches(lambda rows: sqlrp.project(projection, rows), batch_format="pyarrow", batch_size=16)
    return pa.concat_tables(ray.get(made.to_arrow_refs())).sort_by("id")

tensors = ray.data.from_items([{"id": i, "x": row} for i, row in enumerate(x)])
print(batches(dataset).equals(sqlrp.project(projection, columns)), "tensor" in str(tensors.schema()).lower())
z = [batches(tensors)[f"z{c}"].to_numpy() for c in range(3)]
print(np.allclose(np.column_stack(z), sqlrp.project(projection, x), rtol=1e-12))
"""


def test_batches_of_a_dataset_are_projected() -> None:
    """Of columns and of tensors, in Ray's own worker."""
    folder = installed("ray", ["ray==2.60.0", "filelock==4.3.1"])
    environment = {**os.environ, "PYTHONPATH": str(folder), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=False, capture_output=True, text=True, env=environment
    )
    told, *compared = done.stdout.splitlines() or [done.stderr[-2000:]]
    assert "a Ray dataset is not taken: write dataset.map_batches(" in told
    assert compared == ["True True", "True"]
