"""The planner's costs of an engine, as data in its folder: `tests/bench/fit_costs.py` measures and writes them."""

from __future__ import annotations

import json
from pathlib import Path

from sqlrp._dialects.facts import Costs


def costs_beside(module: str) -> Costs:
    """The costs in `costs.json` of a module's folder. Engines without costs of their own take those of another one."""
    return Costs(**json.loads(Path(module).with_name("costs.json").read_text(encoding="utf-8")))
