"""What the scores of a model in a database are compared with."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd


def assert_scores(got: pd.DataFrame, pipeline: Any, x: Any) -> None:
    """Decisions and probabilities to 1e-9, classes alike for every row."""

    def columns(start: str) -> Any:
        return got[[c for c in got if re.fullmatch(rf"{start}\d*", c)]].to_numpy(dtype=float)

    if not hasattr(pipeline, "classes_"):
        want = pipeline.predict(x).reshape(len(x), -1)
        assert np.abs(columns("prediction") - want).max() <= 1e-9 * np.abs(want).max()
        return
    want = pipeline.decision_function(x).reshape(len(x), -1)
    assert np.abs(columns("decision") - want).max() <= 1e-9 * np.abs(want).max()
    assert got["class"].tolist() == pipeline.predict(x).tolist()
    assert hasattr(pipeline, "predict_proba") == ("probability0" in got)
    if hasattr(pipeline, "predict_proba"):
        assert np.abs(columns("probability") - pipeline.predict_proba(x)).max() <= 1e-9
