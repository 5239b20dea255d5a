"""A repr of bounded length, for objects that may contain hundreds of names."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from sqlrp.core.errors import shorten

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def brief(value: DataclassInstance) -> str:
    """The repr of a dataclass with every field cut to some 80 characters. Use it as `__repr__ = brief`."""
    shown = (f"{field.name}={shorten(getattr(value, field.name))}" for field in fields(value) if field.repr)
    return f"{type(value).__name__}({', '.join(shown)})"
