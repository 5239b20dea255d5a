"""A repr of bounded length, for objects that may contain hundreds of names, and its table for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

from sqlrp._core.errors import shorten

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def short_repr(value: DataclassInstance) -> str:
    """The repr of a dataclass with every field cut to some 80 characters. Use it as `__repr__ = short_repr`."""
    shown = (f"{field.name}={shorten(getattr(value, field.name))}" for field in fields(value) if field.repr)
    return f"{type(value).__name__}({', '.join(shown)})"


class HasParameters(Protocol):
    """Something with named parameters."""

    def parameters(self) -> Mapping[str, Any]:
        """The parameters by name."""


def parameter_table(value: HasParameters) -> str:
    """The parameters as an HTML table, each cut to some 80 characters. Use it as `_repr_html_ = parameter_table`."""
    cells = (
        f"<tr><th>{escape(name)}</th><td>{escape(shorten(given))}</td></tr>"
        for name, given in value.parameters().items()
    )
    return f"<table><caption>{escape(type(value).__name__)}</caption>{''.join(cells)}</table>"
