"""The named blocks of SQL take what their placeholders say, and nothing of another type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sqlrp._lowering.template import block

TEXT = (Path(__file__).parents[2] / "sql" / "blocks.sql").read_text(encoding="utf-8")
BLOCKS = {
    name: list(dict.fromkeys(re.findall(r"\{(\w+):(\w+)\}", body)))
    for name, body in re.findall(r"^-- block: (\w+)\n(.*?)(?=^-- block|\Z)", TEXT, re.MULTILINE | re.DOTALL)
}
RIGHT: dict[str, list[str | int]] = {"int": [7, 0, -3], "name": ["cells_1"], "sql": ["(a + 'b')", "x"]}
WRONG: dict[str, list[str | int]] = {"int": ["7", "x"], "name": [7, "1x", "a b", 'a"', ""], "sql": [7]}


@pytest.mark.parametrize("name", BLOCKS)
def test_every_placeholder_takes_its_type_only(name: str) -> None:
    # A header's comment may have placeholders too: they are not in the text.
    kinds = dict(BLOCKS[name])
    first = {place: RIGHT[kind][0] for place, kind in kinds.items()}
    for place, kind in kinds.items():
        for value in RIGHT[kind]:
            filled = block(name, **first | {place: value})
            assert str(value) in filled
            assert not re.search(r"\{\w+:\w+\}", filled)
        for value in WRONG[kind]:
            with pytest.raises(TypeError, match=rf"\{{{place}:{kind}\}} of block {name} cannot take"):
                block(name, **first | {place: value})
        with pytest.raises(KeyError, match=place):
            block(name, **{key: value for key, value in first.items() if key != place})
