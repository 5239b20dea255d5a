"""`diagnose` in every engine: the same measures as numpy gives for a dataframe."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from cases import SERVED as NAMES
from databases import Database
from helpers import METHODS, assert_same

import sqlrp

X = np.random.default_rng(1).normal(size=(30, 9)).round(3)
X[np.abs(X) < 0.6] = 0  # so that the long layout is sparse
X[:, 0] += 0.01
FRAME = pd.DataFrame(X, columns=[f"f{j}" for j in range(9)]).assign(id=range(30))
LAYOUTS = ("wide", "long", "array")


@pytest.mark.parametrize(("name", "layout"), [(n, o) for n in NAMES for o in LAYOUTS])
def test_sql_and_numpy_agree(db: Database, name: str, layout: str) -> None:
    if layout == "array" and not db.engine.has_arrays:
        layout = "wide"
    source = db.load(layout, X.tolist())
    # Without md5 the same rows are drawn only where all of them are.
    sample = 20 if db.engine.has_md5 else 500
    for projection in (METHODS["linear"], METHODS["degree2"]):
        report = sqlrp.diagnose(projection, source, db.connection, sample=sample)
        assert_same(report, sqlrp.diagnose(projection, FRAME, sample=sample))
    assert sqlrp.diagnose(METHODS["linear"], source, db.connection).sampled.rows == 30  # and no table is in the way
