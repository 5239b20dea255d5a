"""Stages: every projection is a short pipeline of these maps, each one formula on a vector of features."""

from sqlrp._stages import *  # noqa: F403
