"""Old names that go on working: each use gives a DeprecationWarning that names the new one.

`MODULES` is the one table of modules that moved. A module that lost a name to another one defines
`__getattr__ = moved_names(__name__, {"Old": "sqlrp.new.module.New"})`, and a function that renamed a keyword is
decorated with `@renamed(old="new")`; one whose argument is no longer taken by position, with `@keyword_only("name")`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from inspect import signature
from types import ModuleType
from typing import Any, ParamSpec, TypeVar
from warnings import warn

from sqlrp.core.errors import ParameterError

P = ParamSpec("P")
R = TypeVar("R")

MODULES: dict[str, tuple[str, ...]] = {
    "sqlrp.api": ("sqlrp.run.api", "sqlrp.run.explaining", "sqlrp.run.running", "sqlrp.run.vectors"),
    "sqlrp.back": ("sqlrp.run.back",),
    "sqlrp.brief": ("sqlrp.core.brief",),
    "sqlrp.catalogue": ("sqlrp.store.catalogue",),
    "sqlrp.checking": ("sqlrp.store.checking",),
    "sqlrp.engines.clickhouse": (
        "sqlrp.dialects.clickhouse",
        "sqlrp.connectors.chdb",
    ),
    "sqlrp.engines.costs": ("sqlrp.dialects.costs",),
    "sqlrp.engines.duckdb": (
        "sqlrp.dialects.duckdb",
        "sqlrp.connectors.duckdb",
    ),
    "sqlrp.engines.generic": ("sqlrp.dialects.generic",),
    "sqlrp.engines.mariadb": (
        "sqlrp.dialects.mariadb",
        "sqlrp.connectors.mariadb",
    ),
    "sqlrp.engines.postgresql": (
        "sqlrp.dialects.postgresql",
        "sqlrp.connectors.postgresql",
    ),
    "sqlrp.engines.spark": (
        "sqlrp.dialects.spark",
        "sqlrp.connectors.spark",
    ),
    "sqlrp.engines.sqlalchemy": ("sqlrp.connectors.sqlalchemy",),
    "sqlrp.engines.sqlite": (
        "sqlrp.dialects.sqlite",
        "sqlrp.connectors.sqlite",
    ),
    "sqlrp.engines.warehouses": (
        "sqlrp.dialects.snowflake",
        "sqlrp.dialects.bigquery",
        "sqlrp.dialects.redshift",
        "sqlrp.dialects.databricks",
        "sqlrp.dialects.trino",
    ),
    "sqlrp.projections.sketches": (
        "sqlrp.projections.maclaurin",
        "sqlrp.projections.tensor_sketch",
        "sqlrp.projections.explicit",
    ),
    "sqlrp.projections.words": ("sqlrp.cli.options",),
    "sqlrp.quality.bounds": ("sqlrp.projections.bounds",),
    "sqlrp.errors": ("sqlrp.core.errors",),
    "sqlrp.evaluate": ("sqlrp.stages.evaluate",),
    "sqlrp.exporting": ("sqlrp.run.exporting",),
    "sqlrp.extras": ("sqlrp.core.extras",),
    "sqlrp.fitting": ("sqlrp.run.fitting",),
    "sqlrp.forms": ("sqlrp.stages.forms",),
    "sqlrp.frame": ("sqlrp.lowering.frame", "sqlrp.run.bind"),
    "sqlrp.frames": ("sqlrp.run.memory",),
    "sqlrp.functions": ("sqlrp.store.functions",),
    "sqlrp.functions_postgresql": ("sqlrp.store.functions_postgresql",),
    "sqlrp.hashing": ("sqlrp.run.hashing",),
    "sqlrp.importing": ("sqlrp.projections.importing",),
    "sqlrp.keeping": ("sqlrp.store.keeping",),
    "sqlrp.layouts": ("sqlrp.core.sources",),
    "sqlrp.lazy": ("sqlrp.run.lazy",),
    "sqlrp.left_out": ("sqlrp.lowering.left_out",),
    "sqlrp.lower": (),
    "sqlrp.lower.chain": ("sqlrp.lowering.cells",),
    "sqlrp.lower.gradient": ("sqlrp.lowering.gradient",),
    "sqlrp.lower.indexed": ("sqlrp.lowering.indexed",),
    "sqlrp.lower.inline": ("sqlrp.lowering.inline",),
    "sqlrp.lower.job": ("sqlrp.lowering.job", "sqlrp.core.options"),
    "sqlrp.lower.join": ("sqlrp.lowering.join", "sqlrp.run.joining"),
    "sqlrp.lower.kernel": ("sqlrp.lowering.compiled",),
    "sqlrp.lower.planner": ("sqlrp.lowering.planner",),
    "sqlrp.lower.relational": ("sqlrp.lowering.relational",),
    "sqlrp.lower.script": ("sqlrp.core.script",),
    "sqlrp.lower.shape": ("sqlrp.lowering.endpoints",),
    "sqlrp.lower.sharing": ("sqlrp.lowering.partial_sums",),
    "sqlrp.lower.template": ("sqlrp.lowering.template",),
    "sqlrp.materialize": ("sqlrp.store.materialize",),
    "sqlrp.numbers": ("sqlrp.core.numbers",),
    "sqlrp.passwords": ("sqlrp.core.passwords",),
    "sqlrp.preparing": ("sqlrp.run.preparing",),
    "sqlrp.records": ("sqlrp.store.records",),
    "sqlrp.sampling": ("sqlrp.run.sampling",),
    "sqlrp.scoring": ("sqlrp.run.scoring",),
    "sqlrp.signs": ("sqlrp.core.draw",),
    "sqlrp.stored": ("sqlrp.store.stored",),
    "sqlrp.writing": ("sqlrp.core.writing",),
}
"""The old path of a module, and the modules that its names are looked for in now."""


class Moved(ModuleType):
    """An old module. It holds nothing: every name is looked up where it is now, with a warning."""

    @property
    def _targets(self) -> tuple[str, ...]:
        return MODULES[self.__name__]

    def __getattr__(self, name: str) -> Any:
        """The name in its new module. Names with two underscores belong to Python's own protocols."""
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        inner = f"{self.__name__}.{name}"
        if inner in MODULES:
            return import_module(inner)
        for target in self._targets:
            module = import_module(target)
            if hasattr(module, name):
                value = getattr(module, name)
                warn(f"{inner} has moved: use {_home(value, name, target)}.{name}", DeprecationWarning, stacklevel=2)
                return value
        now = f", now {' and '.join(self._targets)}," if self._targets else ""
        raise AttributeError(f"module {self.__name__!r}{now} has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        """The names of the new modules."""
        return sorted({name for target in self._targets for name in dir(import_module(target))})


def _home(value: object, name: str, found: str) -> str:
    """The module to import a name from: the package where the name is public, else the one that defines it."""
    package = sys.modules["sqlrp"]
    if name in package.__all__ and getattr(package, name) is value:
        return package.__name__
    own = str(getattr(value, "__module__", ""))
    return own if own.startswith("sqlrp.") else found


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of the table, after all other finders have found nothing."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in MODULES:
            return None
        return ModuleSpec(name, self, is_package=any(other.startswith(f"{name}.") for other in MODULES))

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Moved(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run: the names are looked up when they are used."""


class _Package(ModuleType):
    """A package whose functions stay reachable when an old module of the same name is imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, Moved) and name in self._HOMES):
            super().__setattr__(name, value)


def find_old_modules(package: str) -> None:
    """Let `import` find the modules of the table; `package` keeps its public names, such as the function `signs`."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
    sys.modules[package].__class__ = _Package


def moved_names(module: str, new: Mapping[str, str]) -> Callable[[str], Any]:
    """A `__getattr__` for a module that gives old names by the table of their new ones, dotted from the top."""

    def find(name: str) -> Any:
        if name not in new:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn(f"{module}.{name} has moved: use {new[name]}", DeprecationWarning, stacklevel=2)
        home, _, own = new[name].rpartition(".")
        return getattr(import_module(home), own)

    return find


def renamed(**new: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that takes the old keywords of a function: `@renamed(overwrite="replace")`.

    Raises ParameterError where both the old and the new keyword are given.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in new.keys() & kwargs.keys():
                if new[old] in kwargs:
                    raise ParameterError(f"{old} is the old name of {new[old]}: give {new[old]} alone")
                warn(
                    f"{function.__qualname__}({old}=…) has been renamed: use {new[old]}=",
                    DeprecationWarning,
                    stacklevel=2,
                )
                kwargs[new[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate


def keyword_only(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that still takes these arguments by position, after all others, as they were once."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        places = [p for p in signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            late: dict[str, Any] = dict(zip(names, args[len(places) :], strict=False))
            if not late:
                return function(*args, **kwargs)
            named = ", ".join(f"{name}=" for name in late)
            warn(f"{function.__qualname__}: pass {named} by name", DeprecationWarning, stacklevel=2)
            rest: Any = (*args[: len(places)], *args[len(places) + len(late) :])
            return function(*rest, **late, **kwargs)

        return call

    return decorate
