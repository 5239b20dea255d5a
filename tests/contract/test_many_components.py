"""100,000 components of two features: numbers, or a LimitError before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from databases import Database, opened
from helpers import assert_close, assert_one_line, oracle

from sqlrp import LimitError, SparseProjection

K = 100_000
X = np.array([[1.0, -2.5], [0.0, 3.0], [4.0, 0.5]])
PROJECTION = SparseProjection(k=K, s=1, seed=3)


@pytest.fixture(scope="module")
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    yield from opened(request.param, tmp_path_factory.mktemp("many"))


NAMES = ("duckdb", "postgresql", "sqlite", "mariadb", "mysql")
CASES = [
    *((name, "columns") for name in NAMES),
    *((name, output) for name in ("duckdb", "postgresql") for output in ("array", "long")),
]


@pytest.mark.filterwarnings("ignore:k = :sqlrp.SqlrpWarning")
@pytest.mark.parametrize(("db", "output"), CASES, indirect=["db"], scope="module")
def test_numbers_or_a_limit(db: Database, output: str) -> None:
    source = db.load("wide", X.tolist())
    if output != "columns":
        assert_close(db.projected(PROJECTION, source, output), oracle(PROJECTION, X), np.abs(X).sum(axis=1))
        return
    with pytest.raises(LimitError) as caught:
        db.projected(PROJECTION, source, output)
    assert_one_line(caught, f"k = {K}", f"{db.engine.limits.columns}", "output = 'long'")
