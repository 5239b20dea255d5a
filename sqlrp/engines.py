"""Add an engine of your own: `register` gives it to every call that takes a connection or the name of an engine."""

from sqlrp._engines import register

__all__ = ["register"]
