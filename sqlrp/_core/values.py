"""`dataclass`, as that of the standard library, which makes a frozen class at import in less time.

The standard one writes and compiles the text of six functions for each class, which took 40% of what importing
sqlrp takes. Here only `__init__` is compiled; what compares, hashes, shows and guards a value is shared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    from dataclasses import dataclass as standard

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True):
        """As `dataclasses.dataclass` with these options, without its `InitVar` and the `hash` of a field."""
        if not frozen:
            return standard(cls, eq=eq, repr=repr)

        def with_fields(cls):
            own = vars(cls)
            inherits = any(base.__dataclass_params__.frozen for base in cls.__mro__ if is_dataclass(base))
            standard(cls, init=False, eq=False, repr=False, frozen=inherits)  # it wants one word from all bases
            cls.__init__ = initializer(cls)
            if not inherits:
                cls.__setattr__, cls.__delattr__ = guards(cls)
                cls.__dataclass_params__.frozen = True  # so that a frozen class of a user may inherit from it
            if repr and "__repr__" not in own:
                cls.__repr__ = shown
            if eq and "__eq__" not in own:
                cls.__eq__ = equality([each.name for each in fields(cls) if each.compare])
            if eq and own.get("__hash__") is None:  # None is Python's own where a class has only an `__eq__`
                cls.__hash__ = hash_of([each.name for each in fields(cls) if each.compare])
            return cls

        return with_fields if cls is None else with_fields(cls)


def initializer(cls: Any) -> Callable[..., None]:
    """`__init__` of a frozen class, compiled: it writes the fields where `__setattr__` would refuse them."""
    names: dict[str, Any] = {"_missing": MISSING}
    positional, keyword, body = ["self"], list[str](), list[str]()
    for i, each in enumerate(fields(cls)):
        value, parameter = each.name, each.name
        if each.default_factory is not MISSING:
            names[f"_factory{i}"] = each.default_factory
            value, parameter = f"_factory{i}() if {each.name} is _missing else {each.name}", f"{each.name}=_missing"
        elif each.default is not MISSING:
            names[f"_default{i}"] = each.default
            parameter = f"{each.name}=_default{i}"
        if each.init:
            (keyword if each.kw_only else positional).append(parameter)
            body.append(f"_written[{each.name!r}] = {value}")
        elif each.default_factory is not MISSING:
            body.append(f"_written[{each.name!r}] = _factory{i}()")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *keyword] if keyword else [])])
    text = "\n    ".join([f"def __init__({parameters}):", "_written = self.__dict__", *body])
    exec(text, names)  # the names of fields are identifiers of the class's own source
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__annotations__ = {**{each.name: each.type for each in fields(cls) if each.init}, "return": None}
    return made


def guards(cls: Any) -> tuple[Callable[[Any, str, Any], None], Callable[[Any, str], None]]:
    """`__setattr__` and `__delattr__` that refuse the fields, and every name of the class's own values."""
    names = frozenset(each.name for each in fields(cls))

    def set_attribute(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return set_attribute, delete_attribute


@recursive_repr()
def shown(value: Any) -> str:
    """`Name(field=value, …)`, without the fields that are not to be shown."""
    parts = ", ".join(f"{each.name}={getattr(value, each.name)!r}" for each in fields(value) if each.repr)
    return f"{type(value).__qualname__}({parts})"


def values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What reads these attributes as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple([getattr(value, name) for name in names])


def equality(names: list[str]) -> Callable[[Any, Any], Any]:
    """`__eq__` by these attributes, among values of one class."""
    values = values_of(names)

    def equals(one: Any, other: Any) -> Any:
        return values(one) == values(other) if other.__class__ is one.__class__ else NotImplemented

    return equals


def hash_of(names: list[str]) -> Callable[[Any], int]:
    """`__hash__` by these attributes."""
    values = values_of(names)
    return lambda value: hash(values(value))
