"""Which stages a lowering supports: a table with a form for each stage class."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from sqlrp._core.errors import UnsupportedError
from sqlrp._core.values import dataclass
from sqlrp._stages import Stage

Form = TypeVar("Form")


@dataclass(frozen=True)
class Forms(Generic[Form]):
    """The forms of one lowering.

    The entry of a concrete class does not apply to its subclasses, which may compute something else. The entry of an
    abstract class applies to every subclass without an entry, and uses only the methods of the abstract class.
    """

    where: str
    """where the forms are used, for the end of an error message"""
    table: Mapping[type, Form | None]
    """the form of each class; None if it is intentionally missing"""

    def of(self, stage: Stage) -> Form:
        """The form of a stage. Raises UnsupportedError if there is none."""
        form = self._found(stage)
        if form is None:
            raise UnsupportedError(self._words(stage))
        return form

    def has(self, stage: Stage) -> bool:
        """Whether a stage has a form."""
        return self._found(stage) is not None

    def refusal(self, stages: Sequence[Stage]) -> str:
        """The error message for the first stage without a form; empty if all have one."""
        return next((self._words(stage) for stage in stages if self._found(stage) is None), "")

    def _found(self, stage: Stage) -> Form | None:
        own, *above = type(stage).__mro__
        abstract = (cls for cls in above if cls in self.table and inspect.isabstract(cls))
        return self.table.get(next((cls for cls in (own, *abstract) if cls in self.table), Stage))

    def _words(self, stage: Stage) -> str:
        return f"{type(stage).__name__} has no form {self.where}"


__all__ = ["Forms"]
