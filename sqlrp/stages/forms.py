"""Which stages a lowering knows: a table of the form of each class of stage."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sqlrp.core.errors import UnsupportedError
from sqlrp.stages import Stage

Form = TypeVar("Form")


@dataclass(frozen=True)
class Forms(Generic[Form]):
    """The forms of one lowering.

    An entry is for its class alone, as a subclass may compute something else. The entry of an abstract class is for
    every subclass without an entry: it reads what the abstract class promises.
    """

    where: str
    """where the forms stand, as the end of a refusal says"""
    table: Mapping[type, Form | None]
    """the form of each class; None where there is none on purpose"""

    def of(self, stage: Stage) -> Form:
        """The form of a stage; raises UnsupportedError where there is none."""
        form = self._found(stage)
        if form is None:
            raise UnsupportedError(self._words(stage))
        return form

    def has(self, stage: Stage) -> bool:
        """Whether a stage has a form."""
        return self._found(stage) is not None

    def refusal(self, stages: Sequence[Stage]) -> str:
        """Why the first of the stages that has no form is refused; empty where all have one."""
        return next((self._words(stage) for stage in stages if self._found(stage) is None), "")

    def _found(self, stage: Stage) -> Form | None:
        own, *above = type(stage).__mro__
        abstract = (cls for cls in above if cls in self.table and inspect.isabstract(cls))
        return self.table.get(next((cls for cls in (own, *abstract) if cls in self.table), Stage))

    def _words(self, stage: Stage) -> str:
        return f"{type(stage).__name__} has no form {self.where}"


__all__ = ["Forms"]
