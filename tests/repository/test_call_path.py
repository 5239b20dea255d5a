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
    assert len(path.modules) <= 12, path
    assert path.climbs <= 4, path


@pytest.mark.parametrize("kind", INPUTS)
def test_each_kind_of_source_projects_itself(kind: str) -> None:
    module, method = INPUTS[kind]
    assert method in functions(module)
    path = CallPath().follow(module, method, "self")
    assert not {"sqlrp._run.api", "sqlrp._run.inputs"} & set(path.modules), path
