"""Some steps of the model of who owns what: `make owners` runs many."""

from __future__ import annotations

import pytest
from owned import ENGINES
from owners import run
from taking_part import takes_part

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", [name for name in ENGINES if takes_part(name)])
def test_nothing_of_the_user_s_is_ever_changed(name: str) -> None:
    run(name, examples=3, steps=25)
