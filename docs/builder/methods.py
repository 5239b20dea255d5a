"""A page for each method: its picture, its entry, its parameters as a table, its calls, and the SQL that it writes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from html import escape
from typing import Any

from gallery import PICTURES

import sqlrp
from sqlrp._projections import BY_NAME
from sqlrp._projections.supervised import SupervisedProjection

FOLDER = "reference/methods"
_SOURCE = sqlrp.Wide("t", key="id", features=["a", "b", "c", "d"])
_LONGEST = 12_000
"""The characters of SQL that a page shows at most."""


def pages() -> Iterator[tuple[str, str]]:
    """The path and the Markdown of every method's page, in the order of the registry."""
    for name in PICTURES:
        yield f"{FOLDER}/{name}.md", "\n\n".join(_parts(BY_NAME[name]))


def sentence(name: str) -> str:
    """The first sentence of a method, without its source."""
    about = " ".join((inspect.getdoc(BY_NAME[name]) or "").split("\n\n")[0].split())
    return about.partition(" (")[0] if about.endswith(").") else about


def picture(name: str, start: str) -> str:
    """The picture of a method in the colours of the page. `start`: the way to the folder of the pictures."""
    about = caption(name)
    shown = 'width="672" height="480" loading="lazy"'
    return (
        f'<img src="{start}gallery/{name}.png#only-light" alt="{about}" {shown}>'
        f'<img src="{start}gallery/{name}-dark.png#only-dark" alt="{about}" {shown}>'
    )


def caption(name: str) -> str:
    """What the picture of a method shows."""
    return escape(" ".join((inspect.getdoc(PICTURES[name]) or "").split()))


def _parts(cls: type[sqlrp.Projection]) -> Iterator[str]:
    name = cls.__name__
    yield f"---\ntitle: {name}\n---\n\n::: sqlrp.{name}\n    options: {{heading_level: 1}}"
    yield f'<figure class="method">{picture(name, "../../")}<figcaption>{caption(name)}</figcaption></figure>'
    yield "## Parameters"
    words = {"bound_to": "the features that rows must have: their names, or their number"} | cls.help_by_parameter()
    rows = [f"| `{f.name}` | `{_type(f)}` | {_default(f)} | {_cell(words.get(f.name, ''))} |" for f in _shown(cls)]
    yield "\n".join(["| parameter | type | default | meaning |", "|---|---|---|---|", *rows])
    yield "## In SQL and on the command line"
    if cls.learns:
        yield "It learns from rows first, and is stored. SQL then takes it by its name."
        yield f"```bash\nsqlrp fit shop.duckdb images -o fitted.json --method {cls.command()}\n```"
    elif issubclass(cls, SupervisedProjection):
        yield "It learns from rows and their targets by `sqlrp.fit`, and is saved. SQL then takes it by its name."
    elif cls.needs_state:
        yield "It contains given weights. `sqlrp.save` stores it, and SQL then takes it by its name."
    elif cls.own_function:
        key = "group_by := 'image'" if cls.key_argument else "key := 'id'"
        yield f"```sql\nSELECT * FROM {cls.function}('images', k := 16, seed := 7, {key});\n```"
        yield f"```bash\nsqlrp project images.parquet -o small.parquet --method {cls.command()} -k 16 --seed 7\n```"
    text = _text(cls)
    if text:
        yield f"The text for four features a, b, c and d in DuckDB, from `{text[0]}`:"
        yield f"```sql\n{text[1]}\n```"
    if cls.transforms:
        yield f"`sqlrp.sklearn.{name}` is the [transformer](../sklearn.md) for scikit-learn."


def _shown(cls: type[sqlrp.Projection]) -> Iterator[Field[Any]]:
    """The parameters that a user gives."""
    found = [f for f in fields(cls) if f.init and f.name != "state"]
    return iter(sorted(found, key=lambda f: f.kw_only))  # as the signature has them


def _type(field: Field[Any]) -> str:
    return str(field.type).replace("|", "or")


def _default(field: Field[Any]) -> str:
    return "must be given" if field.default is MISSING else f"`{field.default!r}`"


def _cell(words: str) -> str:
    return escape(words).replace("|", "&#124;")


def _text(cls: type[sqlrp.Projection]) -> tuple[str, str] | None:
    """A small call and the SQL that it writes, if the method needs no rows and the text is short."""
    if cls.needs_state or cls.learns:
        return None
    given = {"s": 1} if "s" in {f.name for f in fields(cls)} else {}
    for k in (2, 3, 4, 8, 10, 16):
        try:
            made = cls(k=k, **given)
            text = sqlrp.sql(made, _SOURCE, "duckdb", lowering="inline")
        except (sqlrp.ParameterError, sqlrp.UnsupportedError, sqlrp.LimitError):
            continue
        call = ", ".join([f"k={k}", *(f"{name}={value}" for name, value in given.items())])
        return (f"{cls.__name__}({call})", text) if len(text) <= _LONGEST else None
    return None
