"""An extension of griffe, which reads the docstrings: the examples in them become blocks of code."""

from __future__ import annotations

import re
import textwrap
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^[ ]*>>> .*\n?(?:^[ ]*\S.*\n?)*", re.MULTILINE)
"""Lines from a prompt to the next empty line."""


class Examples(Extension):
    """Fences around examples."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Fence the examples of one docstring."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_fenced, obj.docstring.value)


def _fenced(found: re.Match[str]) -> str:
    return f"```pycon\n{textwrap.dedent(found[0]).rstrip()}\n```\n"
