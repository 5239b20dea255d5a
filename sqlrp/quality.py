"""The quality of a projection: measures, bounds from theory, and the report of `sqlrp.diagnose`."""

from sqlrp import _quality
from sqlrp._quality import *  # noqa: F403

__all__ = _quality.__all__
