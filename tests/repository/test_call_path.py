"""What a call is given takes a straight way through the code."""

from __future__ import annotations

import pytest

import sqlrp
from sqlrp._run import inputs
from tests.support.call_path import INPUTS, CallPath, functions


def test_a_source_is_opened_once() -> None:
    """Only one step asks what kind of source it is, and it is short."""
    path = CallPath().follow("sqlrp._run.api", "project", "source")
    assert path.modules[:2] == [sqlrp.project.__module__, inputs.__name__]
    assert len(path.modules) <= 7, path
    assert path.climbs <= 2, path


MOST = {
    "an array": (6, 4),
    "a dataframe": (16, 12),
    "sparse rows of a dataframe": (7, 3),
    "a lazy frame": (2, 0),
    "a table": (10, 4),
    "a join": (12, 7),
}
"""The modules that each kind of source passes once it is opened, and its climbs."""


@pytest.mark.parametrize("kind", INPUTS)
def test_each_kind_of_source_projects_itself(kind: str) -> None:
    module, method = INPUTS[kind]
    assert method in functions(module)
    path = CallPath().follow(module, method, "self")
    assert not {"sqlrp._run.api", "sqlrp._run.inputs"} & set(path.modules), path
    modules, climbs = MOST[kind]
    assert len(path.modules) <= modules, path
    assert path.climbs <= climbs, path
