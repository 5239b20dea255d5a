"""What a search of a kept table finds, against scikit-learn and numpy over all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import DATABASES
from databases import DOUBLES
from helpers import assert_one_line, load
from sklearn.datasets import load_wine
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

import sqlrp
from sqlrp import samples
from sqlrp._engines.registry import ENGINES
from sqlrp.quality import Recall

X = scale(load_wine().data)


def shares(x: Any, z: Any, at: int, counts: list[int]) -> Any:
    """The share of the nearest of each row that are among its nearest after a projection, by scikit-learn."""
    pairs = (
        NearestNeighbors(n_neighbors=n + 1).fit(rows).kneighbors(rows)[1] for rows, n in ((x, at), (z, max(counts)))
    )
    others = [
        ([j for j in a if j != i][:at], [j for j in b if j != i]) for i, (a, b) in enumerate(zip(*pairs, strict=True))
    ]
    return np.array([[len({*a} & {*b[:count]}) / at for count in counts] for a, b in others])


@pytest.mark.parametrize("name", DATABASES)
def test_the_recall_of_a_kept_table_is_that_of_all_its_rows(db: Any, name: str) -> None:
    projection = sqlrp.SparseProjection(k=3, s=1, seed=2)
    rows = [[f"it's {i}", *row] for i, row in enumerate(X.tolist())]
    rows.append(["null", None, *X[0, 1:].tolist()])
    words = "String" if name == "clickhouse" else "VARCHAR(40)"
    names = [f"f{j}" for j in range(X.shape[1])]
    db.make("wines", [('k"ey', words), *((f, DOUBLES[name]) for f in names)], rows)
    source, con = sqlrp.Wide("wines", key='k"ey', features=names), db.connection
    sqlrp.materialize(projection, source, con, "codes", output="columns", replace=True)
    found = sqlrp.diagnose("codes", con, sample=500, at=5)
    counts = [5, 20, 50, 100, 177]
    want = shares(X, sqlrp.project(projection, X), 5, counts).mean(axis=0)
    assert (found.rows, found.queries, found.metric) == (178, 178, "l2")
    assert [each.candidates for each in found.recalls] == counts
    assert np.allclose([each.recall for each in found.recalls], want)
    assert found.recall == pytest.approx(want[3])
    assert found.enough(0.95) == counts[int(np.argmax(want >= 0.95))]
    assert found.enough(1.1) is None
    few = sqlrp.diagnose("codes", con, sample=60, at=5)
    assert few.queries == 60
    assert all(one.low <= one.recall <= one.high for one in few.recalls)
    assert few.recalls[0].low < want[0] < few.recalls[0].high
    if ENGINES[name].has_searches and name != "clickhouse":
        trusting: dict[str, Any] = {"trust_schema": name == "postgresql", "replace": True}
        sqlrp.create_search(con, "codes", "near", metric="cosine", candidates=20, **trusting)
        near = sqlrp.diagnose("near", con, at=5)
        assert (near.metric, near.candidates, near.recall) == ("cosine", 20, near.recalls[1].recall)
        sqlrp.drop_search(con, "near")


@pytest.mark.slow
def test_the_interval_holds_for_some_95_of_100_samples() -> None:
    """The shares are those of bits of real embeddings, of 8 seeds and several numbers of candidates."""
    x = np.stack(samples.docstrings()["e"].to_numpy())[:1500]
    rng, held, drawn = np.random.default_rng(1), 0, 0
    for seed in range(8):
        z = sqlrp.project(sqlrp.HadamardProjection(k=128, seed=seed, padding="least"), x)
        found = shares(x, np.where(z > 0, 1.0, -1.0), 10, [10, 50, 200, 500])
        for count in range(4):
            true = found[:, count].mean()
            for _ in range(10):
                one = Recall.of(count, found[rng.permutation(len(x))[:100], count], 10)
                held, drawn = held + (one.low <= true <= one.high), drawn + 1
    assert 0.93 <= held / drawn <= 0.97
    sure = Recall.of(100, np.ones(100), 10)
    assert sure.high == sure.recall == 1
    assert 0.95 < sure.low < 0.99


def test_what_cannot_be_searched_is_refused(con: Any) -> None:
    source = load(con, "wide", X[:5].tolist())
    sqlrp.materialize(sqlrp.SparseProjection(k=3, s=1), source, con, "codes")
    for call, words in (
        (lambda: sqlrp.diagnose("codes", con, at=5), ["5 rows", "lower at"]),
        (lambda: sqlrp.diagnose("codes", con, at=0), ["at = 0"]),
        (lambda: sqlrp.diagnose("codes", con, sample=2), ["sample = 2"]),
        (lambda: sqlrp.diagnose("coded", con), ["was not made by sqlrp.materialize"]),
        (lambda: sqlrp.diagnose("codes", "t", con), ["a kept table needs its name and a connection"]),  # type: ignore[call-overload]
    ):
        with pytest.raises(sqlrp.SqlrpError) as caught:
            call()  # type: ignore[no-untyped-call]
        assert_one_line(caught, *words)
    same = sqlrp.diagnose("codes", con, at=2, sample=3)
    assert str(same).startswith("A search of codes with 100 candidates finds 100.0% of the 2 nearest rows")
    assert same.measures()["recall_4"] == same.recall == 1
