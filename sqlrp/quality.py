"""The quality of a projection: measures, bounds from theory, and the report of `sqlrp.diagnose`."""

from sqlrp._quality import *  # noqa: F403
