"""The command probe: what an engine that sqlrp does not know answers, as a file that can be loaded and reviewed."""

from __future__ import annotations

from pathlib import Path

import click

from sqlrp._cli.databases import existing, opened
from sqlrp._cli.files import check_text, write_text
from sqlrp._cli.option_fields import Command, OutputPath, option
from sqlrp._core.errors import UnsupportedError
from sqlrp._engines.generic.connector import AnyConnector
from sqlrp._engines.registry import connector_of


@click.command(
    cls=Command,
    examples="""
sqlrp probe firebird+firebird://SYSDBA@localhost//data/shop.fdb
sqlrp probe firebird+firebird://SYSDBA@localhost//data/shop.fdb --writes -o engine.toml
""",
)
@click.argument("database", envvar="SQLRP_DB")
@option(
    "-o",
    "--out",
    type=OutputPath(path_type=Path),
    default="-",
    metavar="PATH",
    help="a .toml file, or - for the standard output  [-]",
)
@option("--writes", is_flag=True, help="also try what the engine keeps, in a table sqlrp_probe_… that is dropped again")
def probe(database: str, out: Path, writes: bool) -> None:
    """Ask an engine that sqlrp does not know some 50 small questions, and compare each answer with the exact one.

    DATABASE is a URL of SQLAlchemy. `sqlrp.engines.load` reads the file, and then the engine is not asked again.
    Without --writes nothing is written to the database.
    """
    check_text(out, {})
    with opened(existing(database)) as connection:
        connector = connector_of(connection)
        if not isinstance(connector, AnyConnector):
            raise UnsupportedError(
                f"the engine {connector.dialect.name} is known, so that nothing is asked of it: `sqlrp doctor` shows "
                "what is known"
            )
        text = connector.probed(connection, writes).text()
    write_text(out, text)
