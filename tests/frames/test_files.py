"""Files whose columns say more than their values: the index of a pandas frame, and what the names of folders give."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from commands import run

import sqlrp
from sqlrp import SparseProjection, SqlrpWarning, Wide
from sqlrp._core.names import index_of

FEW = SparseProjection(k=2, s=1, seed=3)
X = np.random.default_rng(1).normal(size=(6, 3)).round(3)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
WANTED = sqlrp.project(FEW, FRAME, key=None)[["z0", "z1"]].to_numpy()
INDEXES = {
    "without a name": (pd.Index([7, 3, 5, 11, 2, 13]), "__index_level_0__"),
    "with a name": (pd.Index([7, 3, 5, 11, 2, 13], name="user"), "user"),
    "of floats": (pd.Index([0.5, 1.5, 2.5, 3.5, 4.5, 5.5], name="at"), "at"),
}
SAID = "the index of the pandas frame that was written"


def numbers(table: Any) -> np.ndarray[Any, Any]:
    return np.column_stack([np.asarray(table[name]) for name in ("z0", "z1")])


@pytest.mark.parametrize(
    ("way", "index"),
    [
        *((way, index) for way in ("duckdb", "arrow", "dataset") for index in INDEXES),
        ("relation", "without a name"),  # these do not pass on what pandas said, so that only the name tells
        ("polars", "without a name"),
    ],
)
def test_an_index_is_no_feature(way: str, index: str, tmp_path: Path, own: duckdb.DuckDBPyConnection) -> None:
    values, name = INDEXES[index]
    path = str(tmp_path / "frame.parquet")
    FRAME.set_index(values).to_parquet(path)
    opened: dict[str, Any] = {
        "duckdb": lambda: sqlrp.project(FEW, Wide(path, key=None), own),
        "arrow": lambda: sqlrp.project(FEW, pq.read_table(path), key=None),
        "dataset": lambda: sqlrp.project(FEW, ds.dataset(path), key=None),
        "relation": lambda: sqlrp.project(FEW, own.read_parquet(path), key=None).to_arrow_table(),
        "polars": lambda: sqlrp.project(FEW, pl.read_parquet(path), key=None),
    }
    with pytest.warns(SqlrpWarning, match=f"{name}.*{SAID}: name it as key, or in keep"):
        assert np.allclose(numbers(opened[way]()), WANTED)


@pytest.mark.parametrize("way", ["duckdb", "arrow"])
def test_no_column_of_an_index_of_several_is_a_feature(
    way: str, tmp_path: Path, own: duckdb.DuckDBPyConnection
) -> None:
    path = str(tmp_path / "frame.parquet")
    FRAME.set_index(pd.MultiIndex.from_arrays([[7, 3, 5, 11, 2, 13], [5] * 6])).to_parquet(path)
    call = {
        "duckdb": lambda: sqlrp.project(FEW, Wide(path, key=None), own),
        "arrow": lambda: sqlrp.project(FEW, pq.read_table(path), key=None),
    }[way]
    words = rf"'__index_level_0__', '__index_level_1__' of .+ are left out, as {SAID}: name one of them as key"
    with pytest.warns(SqlrpWarning, match=words):
        found = call()
    assert np.allclose(numbers(found), WANTED)


@pytest.mark.parametrize("way", ["duckdb", "arrow"])
def test_an_index_may_be_the_key_or_a_feature_by_name(way: str, tmp_path: Path, own: duckdb.DuckDBPyConnection) -> None:
    path = str(tmp_path / "frame.parquet")
    FRAME.set_index(INDEXES["with a name"][0]).to_parquet(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SqlrpWarning)
        if way == "duckdb":
            found = sqlrp.project(FEW, Wide(path, key="user"), own)
            more = sqlrp.project(FEW, Wide(path, key=None, features=["a", "b", "c", "user"]), own)
            assert not np.allclose(numbers(more), WANTED)
        else:
            found = sqlrp.project(FEW, pq.read_table(path), key="user")
    order = np.argsort(np.asarray(found["user"]))
    assert np.allclose(numbers(found)[order], WANTED[np.argsort(INDEXES["with a name"][0])])


def folders(folder: Path) -> str:
    for year, part in (("2023", FRAME[:3]), ("2024", FRAME[3:])):
        (folder / f"year={year}").mkdir(parents=True)
        part.assign(id=part.index).to_parquet(folder / f"year={year}" / "part.parquet", index=False)
    return str(folder / "*" / "*.parquet")


@pytest.mark.parametrize("way", ["duckdb", "dataset"])
def test_a_folder_s_name_is_said_to_be_a_feature(way: str, tmp_path: Path, own: duckdb.DuckDBPyConnection) -> None:
    path = folders(tmp_path / "rows")

    def projected(keep: list[str]) -> Any:
        if way == "duckdb":
            return sqlrp.project(FEW, Wide(path, keep=keep), own)
        return sqlrp.project(FEW, ds.dataset(tmp_path / "rows", partitioning="hive"), keep=keep)

    with pytest.warns(SqlrpWarning, match=r"'year'.*one value in each file: keep=\['year'\] leaves it out"):
        projected([])
    with warnings.catch_warnings():
        warnings.simplefilter("error", SqlrpWarning)
        kept = projected(["year"]).sort_by("id")
    assert np.allclose(numbers(kept), WANTED)
    assert kept["year"].to_pylist() == [2023] * 3 + [2024] * 3


def test_the_command_says_it(tmp_path: Path) -> None:
    path = tmp_path / "frame.parquet"
    FRAME.assign(id=range(6)).set_index(INDEXES["without a name"][0]).to_parquet(path)
    done = run("project", str(path), "-o", str(tmp_path / "out.parquet"), "-k", "2", "-s", "1", "--seed", "3")
    assert SAID in done.stderr
    assert np.allclose(numbers(pq.read_table(tmp_path / "out.parquet").sort_by("id")), WANTED)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"index_columns": 3}', "[" * 100_000, '{"index_columns": [null, 4]}']
)
def test_what_is_no_metadata_of_pandas_names_nothing(text: str) -> None:
    assert index_of(text) == set()


def test_metadata_that_names_no_column_changes_nothing(own: duckdb.DuckDBPyConnection, tmp_path: Path) -> None:
    table = pa.table({name: X[:, i] for i, name in enumerate("abc")})
    pq.write_table(
        table.replace_schema_metadata({"pandas": json.dumps({"index_columns": ["gone"]})}), tmp_path / "t.parquet"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", SqlrpWarning)
        found = sqlrp.project(FEW, Wide(str(tmp_path / "t.parquet"), key=None), own)
    assert np.allclose(numbers(found), WANTED)
