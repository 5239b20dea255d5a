"""The `dataclass` of `sqlrp._core.values` makes classes that behave as those of the standard library."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from sqlrp._core import values

Decorator = Callable[..., Any]


def classes(dataclass: Decorator) -> dict[str, Any]:
    """One class for each way in which the package writes them."""
    field = dataclasses.field

    @dataclass(frozen=True)
    class Empty:
        """No field."""

    @dataclass(frozen=True)
    class One:
        """One field, which may be no number, and a value of the class."""

        only: Any = None
        count: ClassVar[int] = 3

    @dataclass(frozen=True)
    class Named:
        """Fields with the names that a function might use itself."""

        values: int
        cls: int = 1
        names: list[int] = field(default_factory=list)
        MISSING: int = 3
        fields: int = 4

    @dataclass(frozen=True)
    class Several:
        """Each kind of field."""

        a: int
        b: list[int] = field(default_factory=list)
        c: str = field(default="c", compare=False)
        d: float = field(default=0.5, repr=False)
        e: tuple[int, ...] = field(default=(1,), kw_only=True)
        f: dict[str, int] = field(default_factory=dict, init=False, compare=False)
        g: int = field(default=7, init=False)

    @dataclass(frozen=True)
    class Checked(Several):
        """Fields of its own and of its base, checked and completed when it is made."""

        h: int = 2

        def __post_init__(self) -> None:
            if self.h < 0:
                raise ValueError(f"h = {self.h} is below 0")
            object.__setattr__(self, "h", self.h + 1)

    @dataclass(frozen=True, eq=False)
    class Single:
        """Each value is equal to itself alone."""

        a: int = 1

    @dataclass(frozen=True)
    class Own:
        """It compares, hashes and shows itself."""

        a: int = 1

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and self.a % 2 == other.a % 2

        def __hash__(self) -> int:
            return self.a % 2

        def __repr__(self) -> str:
            return "own"

    @dataclass(frozen=True)
    class Compared:  # noqa: PLW1641  # the decorator adds the hash
        """It compares itself, and is hashed by its fields."""

        a: int = 1

        def __eq__(self, other: object) -> bool:
            return True

    class Plain(Several):
        """A class of a user that is no dataclass itself."""

    @dataclasses.dataclass(frozen=True)
    class Mixed(Several):
        """A class of a user that is a dataclass of the standard library."""

        h: int = 3

    @dataclass
    class Open:
        """A value that changes."""

        a: int = 1

    return {
        cls.__name__: cls for cls in (Empty, One, Named, Several, Checked, Single, Own, Compared, Plain, Mixed, Open)
    }


OURS, STANDARD = classes(values.dataclass), classes(dataclasses.dataclass)
NAN = float("nan")
MADE: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *[("Empty", (), {}), ("One", (), {}), ("One", (NAN,), {}), ("One", ([1],), {}), ("One", (2,), {})],
    *[("Named", (5,), {}), ("Named", (5, 6, [7], 8, 9), {})],
    *[("Several", (1,), {}), ("Several", (1, [2]), {"e": ()}), ("Several", (1,), {"c": "other"}), ("Several", (), {})],
    *[("Several", (1, [], "c", 0.5, (1,)), {}), ("Several", (1,), {"f": {}}), ("Several", (2,), {"d": 0.25})],
    *[("Checked", (1,), {}), ("Checked", (1,), {"h": 4}), ("Checked", (1,), {"h": -1}), ("Plain", (1,), {})],
    *[("Mixed", (1,), {}), ("Mixed", (1,), {"h": 4})],
    *[("Single", (), {}), ("Single", (2,), {}), ("Own", (), {}), ("Own", (3,), {}), ("Own", (2,), {})],
    *[("Compared", (), {}), ("Compared", (5,), {}), ("Open", (), {}), ("Open", (4,), {})],
]
"""A class, and what it is made of."""
CHANGES: dict[str, Callable[[Any], Any]] = {
    "set a field": lambda value: setattr(value, "a", 5),
    "set another name": lambda value: setattr(value, "another", 5),
    "delete a field": lambda value: delattr(value, "a"),
    "delete another name": lambda value: delattr(value, "another"),
    "replace": lambda value: repr(dataclasses.replace(value, **{"a": 9} if hasattr(value, "a") else {})),
    "hash": lambda value: type(hash(value)),
    "state": lambda value: dict(vars(value)),
    "fields": dataclasses.asdict,
    "pattern": lambda value: value.__match_args__,
}


def outcome(call: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """What a call returns, or its error."""
    try:
        return call(*given, **named)
    except (AttributeError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}".replace("classes.<locals>.", "")


@pytest.mark.parametrize("name", list(OURS))
def test_a_class_takes_the_same_arguments(name: str) -> None:
    """The names, kinds and annotations of `__init__` are the same, and which of them may be left out."""
    ours, standard = (inspect.signature(made[name].__init__) for made in (OURS, STANDARD))
    for one, other in zip(ours.parameters.values(), standard.parameters.values(), strict=True):
        assert (one.name, one.kind, one.annotation) == (other.name, other.kind, other.annotation)
        assert (one.default is one.empty) == (other.default is other.empty)
    assert ours.return_annotation == standard.return_annotation


@pytest.mark.parametrize("i", range(len(MADE)))
def test_a_value_is_made_shown_and_changed_in_the_same_way(i: int) -> None:
    """Its text, its state after each change, and the errors are the same."""
    name, given, named = MADE[i]
    for change in CHANGES.values():
        ours, standard = (outcome(made[name], *given, **named) for made in (OURS, STANDARD))
        assert repr(ours) == repr(standard)
        if not isinstance(standard, str):
            assert repr(outcome(change, ours)) == repr(outcome(change, standard))
            assert repr(vars(ours)) == repr(vars(standard))


def compared(classes: dict[str, Any], one: int, other: int) -> tuple[bool, bool, bool | None]:
    """Whether two of `MADE` are equal, whether they differ, and whether equal ones have one hash."""
    (name, given, named), (others_name, others_given, others_named) = MADE[one], MADE[other]
    a, b = outcome(classes[name], *given, **named), outcome(classes[others_name], *others_given, **others_named)
    return a == b, a != b, outcome(hash, a) == outcome(hash, b) if a == b else None


@pytest.mark.parametrize("i", range(len(MADE)))
def test_values_are_equal_in_the_same_way(i: int) -> None:
    """Each beside each; equal values have equal hashes. A value equals nothing of another class."""
    for other in range(len(MADE)):
        assert compared(OURS, i, other) == compared(STANDARD, i, other)


def test_a_factory_makes_each_value_its_own() -> None:
    """No two values share a list."""
    several = OURS["Several"]
    assert several(1).b is not several(1).b
    assert several(1).f is not several(1).f


def test_a_value_that_holds_itself_is_shown() -> None:
    """With dots in the place of the second."""
    one = OURS["One"]([])
    one.only.append(one)
    assert repr(one).endswith("One(only=[...])")
