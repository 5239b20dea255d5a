"""Every public name has a docstring with an example, and the examples run.

What is public is what the pages under docs/site/reference list; the first of them has the names that the examples use.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

import pytest
from pages import ROOT

from sqlrp._engines.registry import CONNECTORS, ENGINES
from sqlrp._projections import REGISTRY
from sqlrp.sklearn import TRANSFORMERS

pytestmark = pytest.mark.slow

PAGES = sorted((ROOT / "docs/site/reference").glob("*.md"))
LISTED = [name for page in PAGES for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]
LISTED += [name for cls in REGISTRY if (name := f"sqlrp.{cls.__name__}") not in LISTED]
TRANSFORMED = [f"sqlrp.sklearn.{cls.__name__}" for cls in TRANSFORMERS]
SETUP = re.search(r"^```python\n(.*?)^```$", (ROOT / "docs/site/reference/index.md").read_text(), re.M | re.S)


@pytest.fixture
def names() -> Iterator[dict[str, Any]]:
    """The names of the examples. An engine that an example adds is taken away again."""
    assert SETUP is not None
    found: dict[str, Any] = {}
    engines, connectors = dict(ENGINES), dict(CONNECTORS)
    exec(SETUP[1], found)
    yield found
    found["con"].close()
    for table, before in ((ENGINES, engines), (CONNECTORS, connectors)):
        table.clear()
        table.update(before)  # type: ignore[arg-type]  # each with its own


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", [*LISTED, *TRANSFORMED])
def test_the_example_of_a_public_name_runs(name: str, names: dict[str, Any]) -> None:
    module, _, attribute = name.rpartition(".")
    documented = getattr(importlib.import_module(module), attribute)
    found = doctest.DocTestParser().get_doctest(documented.__doc__ or "", names, name, None, 0)
    assert found.examples, f"{name} has no example"
    assert attribute in "".join(one.source + one.want for one in found.examples), f"the example of {name} is without it"
    said: list[str] = []
    ran = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(found, out=said.append, clear_globs=False)
    assert ran.failed == 0, "".join(said)


def members(cls: type) -> Iterator[str]:
    """The public methods and properties of a class that this package defines."""
    for above in cls.__mro__:
        if above.__module__.split(".")[0] == "sqlrp":
            kinds = (FunctionType, property, cached_property, classmethod, staticmethod)
            yield from (name for name, value in vars(above).items() if name[0] != "_" and isinstance(value, kinds))


@pytest.mark.parametrize("name", [*LISTED, *TRANSFORMED])
def test_the_members_of_a_public_class_are_documented(name: str) -> None:
    """Each has a docstring, or the class above it does."""
    module, _, attribute = name.rpartition(".")
    documented = getattr(importlib.import_module(module), attribute)
    if isinstance(documented, type):
        assert [member for member in members(documented) if not inspect.getdoc(getattr(documented, member))] == []


def test_the_reference_is_found() -> None:
    assert len(LISTED) > 90
    assert len(TRANSFORMED) > 10
