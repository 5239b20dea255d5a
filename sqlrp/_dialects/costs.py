"""The planner's costs by engine, stored as data: `tests/bench/fit_costs.py` measures and writes them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from sqlrp._dialects.facts import Costs

FILE = Path(__file__).with_name("costs.json")


@cache
def costs_of(name: str) -> Costs:
    """The costs of an engine, or of several engines that share one name in the data."""
    return Costs(**json.loads(FILE.read_text(encoding="utf-8"))[name])
