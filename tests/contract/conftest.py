"""What the tests of the contract share."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest


@pytest.fixture(scope="module")
def shared() -> Iterator[duckdb.DuckDBPyConnection]:
    """One database for many examples of a file."""
    with duckdb.connect(config={"threads": "1"}) as connection:
        yield connection
