"""Stages: every projection is a short pipeline of these maps, each one formula on a vector of features."""

from sqlrp import _stages
from sqlrp._stages import *  # noqa: F403

__all__ = _stages.__all__
