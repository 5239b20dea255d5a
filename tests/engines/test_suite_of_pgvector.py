"""The distances that pgvector's own tests expect, found by `sqlrp.search` in columns of its types.

The pairs and the numbers are those of pgvector 0.8.1, test/expected/vector_type.out, halfvec.out and sparsevec.out, all
of l2_distance, inner_product and cosine_distance. Where its single numbers overflow to Infinity or NaN, sqlrp's double
numbers do not; where it says NaN for the cosine of zeros, sqlrp refuses the vector.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Literal

import pytest
import sqlalchemy as sa
from databases import pgvector_schema

import sqlrp

ONES, COUNTED = [1.0] * 9, [float(i) for i in range(1, 10)]
Pair = tuple[Literal["l2", "cosine", "inner"], list[float], list[float], float | None]
DENSE: list[Pair] = [
    ("l2", [0, 0], [3, 4], 5),
    ("l2", [0, 0], [0, 1], 1),
    ("l2", [1, 2], [3], None),
    ("l2", ONES, [*ONES[:7], 4, 5], 5),
    ("inner", [1, 2], [3, 4], 11),
    ("inner", [1, 2], [3], None),
    ("inner", ONES, COUNTED, 45),
    ("cosine", [1, 2], [2, 4], 0),
    ("cosine", [1, 2], [0, 0], math.nan),
    ("cosine", [1, 1], [1, 1], 0),
    ("cosine", [1, 0], [0, 2], 1),
    ("cosine", [1, 1], [-1, -1], 2),
    ("cosine", [1, 2], [3], None),
    ("cosine", [1, 1], [1.1, 1.1], 0),
    ("cosine", [1, 1], [-1.1, -1.1], 2),
    ("cosine", COUNTED, COUNTED, 0),
    ("cosine", COUNTED, [-value for value in COUNTED], 2),
]
"""A metric, a row, a vector, and the distance, or the inner product; None where the lengths differ."""
SPARSE: list[Pair] = [
    ("l2", [0, 0], [3, 4], 5),
    ("l2", [3, 0], [0, 4], 5),
    ("l2", [0, 4], [3, 0], 5),
    ("l2", [3, 4], [0, 0], 5),
    ("l2", [0, 0], [0, 1], 1),
    ("inner", [1, 2], [2, 4], 10),
    ("inner", [1, 2], [3], None),
    ("inner", [1, 0, 3, 0], [0, 2, 0, 4], 0),
    ("inner", [0, 2, 0, 4], [1, 0, 3, 0], 0),
    ("inner", [1, 0, 3, 0, 5], [0, 4, 6, 8, 0], 18),
    ("inner", [1, 0], [0, 0], 0),
    ("inner", [0, 0], [1, 0], 0),
    ("cosine", [1, 2], [2, 4], 0),
    ("cosine", [1, 2], [0, 0], math.nan),
    ("cosine", [1, 1], [1, 1], 0),
    ("cosine", [1, 0], [0, 2], 1),
    ("cosine", [1, 1], [-1, -1], 2),
    ("cosine", [2, 0], [0, 2], 1),
    ("cosine", [0, 2], [2, 0], 1),
    ("cosine", [1, 2], [3], None),
    ("cosine", [1, 1], [1.1, 1.1], 0),
    ("cosine", [1, 1], [-1.1, -1.1], 2),
    ("cosine", [0], [0], math.nan),
]
LARGEST: dict[str, list[Pair]] = {
    "vector": [("l2", [3e38], [-3e38], 6e38), ("inner", [3e38], [3e38], 9e76), ("cosine", [3e38], [3e38], 0)],
    "halfvec": [("inner", [65_504], [65_504], 4_290_774_016)],
    "sparsevec": [("inner", [3e38], [3e38], 9e76), ("cosine", [3e38], [3e38], 0)],
}
"""Of the largest numbers of each type. pgvector's expected output has Infinity, and NaN for the cosine, at 3e38."""
PAIRS = {kind: [*(SPARSE if kind == "sparsevec" else DENSE), *LARGEST[kind]] for kind in LARGEST}


@pytest.fixture(scope="module")
def server() -> Iterator[sa.Connection]:
    """A connection to an empty schema."""
    with ExitStack() as stack:
        yield pgvector_schema(stack)


def as_text(row: list[float], kind: str) -> str:
    """A value of a type of pgvector."""
    if kind != "sparsevec":
        return str(row)
    return f"{{{','.join(f'{i + 1}:{value}' for i, value in enumerate(row) if value)}}}/{len(row)}"


@pytest.mark.parametrize("kind", list(PAIRS))
def test_distances_are_those_that_pgvector_expects(server: sa.Connection, kind: str) -> None:
    """By the search of a table that was made of each row, whose distances are those of the rows."""
    run = server.exec_driver_sql
    for i, (metric, row, vector, expected) in enumerate(PAIRS[kind]):
        name = f"{kind}{i}"
        run(f"CREATE TABLE {name} (id bigint, e {kind}({len(row)}))")
        run(f"INSERT INTO {name} VALUES (1, '{as_text(row, kind)}')")
        made = sqlrp.SparseProjection(k=4, s=1, seed=1)
        sqlrp.materialize(made, sqlrp.Array(name, "e"), server, f"{name}_codes", output="bits")
        if expected is None or math.isnan(expected):
            said = "all zeros" if expected is not None else f"{len(vector)} .*{len(row)}|{len(row)} .*{len(vector)}"
            with pytest.raises(sqlrp.ParameterError, match=said):
                sqlrp.search(server, f"{name}_codes", vector, metric=metric)
            continue
        [found] = sqlrp.search(server, f"{name}_codes", vector, metric=metric)["distance"].to_pylist()
        assert found == pytest.approx(-expected if metric == "inner" else expected, rel=1e-6, abs=1e-6)
