"""A warning of another package is hidden, and the filters of the process are as before, with any overlap of threads."""

from __future__ import annotations

import itertools
import warnings
from pathlib import Path

import pytest

from sqlrp._core.quiet import hidden

PACKAGE = Path(__file__).parents[2] / "sqlrp"


def test_each_order_of_entering_and_leaving_leaves_the_filters_as_they_were() -> None:
    """Two of these, and a block of the caller's, as threads interleave them."""
    for order in set(itertools.permutations("AABBCC")):
        before = list(warnings.filters)
        made = {"A": hidden("a"), "B": hidden("a"), "C": warnings.catch_warnings()}
        inside: set[str] = set()
        for name in order:
            if name in inside:
                made[name].__exit__(None, None, None)
                inside.remove(name)
            else:
                made[name].__enter__()
                inside.add(name)
        assert list(warnings.filters) == before, order


def test_what_is_named_is_hidden_and_nothing_else() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with hidden("a COMES", UserWarning):
            warnings.warn("a comes first", UserWarning, stacklevel=1)
            warnings.warn("b comes second", UserWarning, stacklevel=1)
            warnings.warn("a comes, of another kind", RuntimeWarning, stacklevel=1)
        warnings.warn("a comes last", UserWarning, stacklevel=1)
    assert [str(one.message).split()[-1] for one in seen] == ["second", "kind", "last"]
    with pytest.raises(KeyError), hidden():
        raise KeyError


def test_the_package_has_no_other_way() -> None:
    """Only the command line, which is a process of its own, sets the filters."""
    using = {path.name for path in PACKAGE.rglob("*.py") if "\n    with warnings." in path.read_text(encoding="utf-8")}
    assert using == {"app.py"}
