"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, and no deadline: a busy machine is no bug.
settings.register_profile(
    "sqlrp",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("sqlrp")


@pytest.fixture
def con() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty database in memory; one thread, as tests run side by side."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection
