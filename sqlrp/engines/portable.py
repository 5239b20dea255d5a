"""Moved: the dialect is now `sqlrp.dialects.portable.Portable`."""

from __future__ import annotations

import warnings

from sqlrp.dialects import portable
from sqlrp.engines.base import Engine

warnings.warn(
    "sqlrp.engines.portable has moved: import Portable from sqlrp.dialects.portable",
    DeprecationWarning,
    stacklevel=2,
)


class Portable(portable.Portable, Engine):
    """Standard SQL without arrays, as a dialect that is its own connector."""
