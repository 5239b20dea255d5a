"""Hostile names in the files of `sqlrp.dbt`: dbt's reader and Jinja return them unchanged."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from taking_part import missing

import sqlrp
from sqlrp import SparseProjection, Wide
from sqlrp._core.sources import TableName
from sqlrp._engines.registry import ENGINES
from sqlrp.dbt import write

pytestmark = pytest.mark.slow

RP = SparseProjection(k=2, s=1, seed=7)
PIECES = (
    "{", "}", "{{", "}}", "{%", "%}", "{#", "#}", "{{-", "-}}", "{%-", "-%}", "\r", "\n", "\r\n", "\t", "\\", "\\n",
    "'", '"', "''", '"""', "`", "#", "%", "##", "$", "&", "*", "!", ":", "- ", "? ", "|", ">", "~", ",", "[", "]", " ",
    "raw", "endraw", "{% raw %}", "{% endraw %}", "{% endmacro %}", "{{ this }}", "a", "b", "é", "\U0001f600", "\x0b",
    "\x85", "\u2028", "\ufeff", "\x7f", "\x1b", "1", "0", "-1", "1.5", "True", "true", "None", "null", "yes", "no",
    "0x1", "1e3", "[1]", "{'a': 1}", "()", "sqlrp relation", "{{ relation }}", "relation", "%s", ";", "--", "/*",
)  # fmt: skip
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(lambda n: bool(n.strip()))


@cache
def dbt() -> SimpleNamespace:
    """What dbt reads with, which takes seconds to import."""
    try:
        from dbt.clients.jinja import get_rendered
        from dbt.parser.schema_renderer import SchemaYamlRenderer
        from dbt_common.clients.jinja import extract_toplevel_blocks, get_template
        from dbt_common.clients.system import load_file_contents
    except ImportError as error:
        missing("dbt", error)
    return SimpleNamespace(
        get_rendered=get_rendered,
        SchemaYamlRenderer=SchemaYamlRenderer,
        extract_toplevel_blocks=extract_toplevel_blocks,
        get_template=get_template,
        load_file_contents=load_file_contents,
    )


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Project:
    """What dbt reads of the three files."""

    def __init__(self, source: Any, engine: str, relation: str, materialized: Any) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "dbt_project.yml").write_text("name: shop")
            paths = write(RP, source, engine, folder, "rp", relation=relation, materialized=materialized)
            self.macro_file, self.model, self.properties = (dbt().load_file_contents(str(p), strip=True) for p in paths)

    def macro(self) -> Callable[[str], str]:
        """The macro, from the one block that dbt finds in its file."""
        (block,) = dbt().extract_toplevel_blocks(self.macro_file, allowed_blocks={"macro"}, collect_raw_data=False)
        made: Callable[[str], str] = dbt().get_template(block.full_block, {}).module.dbt_macro__sqlrp_rp
        return made

    def render(self, incremental: bool) -> tuple[str, list[tuple[str, ...]], dict[str, Any]]:
        """The model's text, the relations that it asks for and its configuration."""
        relations: list[tuple[str, ...]] = []
        config: dict[str, Any] = {}

        def relation(*parts: str) -> str:
            relations.append(parts)
            return "REL"

        context = {
            "config": lambda **given: config.update(given) or "",
            "ref": relation,
            "source": relation,
            "this": "THIS",
            "is_incremental": lambda: incremental,
            "sqlrp_rp": self.macro(),
        }
        return str(dbt().get_rendered(self.model, context)), relations, config

    def described(self) -> dict[str, Any]:
        import yaml

        (model,) = yaml.safe_load(self.properties)["models"]
        model["description"] = dbt().get_rendered(model["description"], {})
        found: dict[str, Any] = dbt().SchemaYamlRenderer({}, "models").render_data(model)
        return found


@settings(max_examples=60)
@given(
    names=st.lists(NAMES, min_size=3, max_size=4, unique_by=str.lower),
    table=NAMES,
    schema=NAMES,
    engine=st.sampled_from(["duckdb", "postgresql", "snowflake", "mariadb"]),
    incremental=st.booleans(),
)
@example(["id", "label", "a{\rb"], "t", "s", "duckdb", False)
def test_dbt_reads_every_name_as_it_is(
    names: list[str], table: str, schema: str, engine: str, incremental: bool
) -> None:
    key, keep, *features = names
    quote, ends = ENGINES[engine].quote, ENGINES[engine].settings
    bare = all(quote(name)[1:-1] == name for name in (key, keep))
    relation = f"{quoted(schema)}.{quoted(table)}"
    project = Project(Wide("t", key, features, [keep]), engine, relation, "incremental" if bare else "table")

    own = ENGINES[engine].table(TableName(("the relation",)))
    wanted = sqlrp.sql(RP, Wide('"the relation"', key, features, [keep]), engine).removesuffix(ends)
    assert project.macro()(own) == f"\n{wanted}\n"

    text, relations, config = project.render(incremental)
    assert relations == [(schema, table)]
    assert config["materialized"] == ("incremental" if bare else "table")
    name, read = quote(key), "REL"
    if bare:
        assert config["unique_key"] == name
        new = f"WHERE {name} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM THIS made WHERE made.{name} = arrived.{name})"
        read = "\n(SELECT * FROM REL arrived" + (f"\n{new}" if incremental else "") + ") arrived"
    assert text.strip("\n") == wanted.replace(own, read) + "\n" * bool(ends) + ends.strip("\n")

    described = project.described()
    assert "the first line of the macro sqlrp_rp is the projection" in described["description"]
    assert sqlrp.from_json(project.macro_file.splitlines()[0].removeprefix("{#").removesuffix("#}")) == RP
    (column,) = described["columns"]
    assert column["name"] == (key if column.get("quote") else name)
