"""Hide a warning of another package for a while."""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

_LOCK = threading.Lock()


@contextmanager
def hidden(message: str = "", category: type[Warning] = Warning) -> Iterator[None]:
    """Ignore warnings of the category whose text begins with the pattern `message`.

    `warnings.catch_warnings` is not for threads: it puts back all filters, so that of two threads that overlap the last
    one brings back for good what the first had set. This takes away no more than it has added.
    """
    added: Any = ("ignore", re.compile(message, re.IGNORECASE), category, None, 0)
    with _LOCK:
        found = _filters()
        found.insert(0, added)
    try:
        yield
    finally:
        # A caller's `catch_warnings` may have put a copy in the place of the list meanwhile.
        with _LOCK:
            for filters in (found, _filters()):
                with suppress(StopIteration):
                    del filters[next(at for at, one in enumerate(filters) if one is added)]


def _filters() -> list[Any]:
    return cast(list[Any], warnings.filters)
