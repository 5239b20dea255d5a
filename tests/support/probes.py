"""How many questions an engine without a file is asked, and how long that takes: `python tests/support/probes.py`.

The bars are 70 questions and 1 s for a local engine. A known engine is asked nothing.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
import sqlalchemy as sa
from strangers import STRANGERS, stranger

from sqlrp._engines.registry import connector_of


def line(name: str, engine: sa.Engine) -> str:
    """The line of an engine that was never asked."""
    engine.connect().close()  # what it takes to start it is no matter of the probe
    begun = perf_counter()
    dialect: Any = connector_of(engine).dialect
    seconds = perf_counter() - begun
    return f"{name:14}{dialect.answers.statements:3} questions {seconds:6.3f} s"


def main(names: list[str]) -> None:
    """Print a line for each engine, and for SQLite, which is known, the statements of the first look."""
    for name in names or STRANGERS:
        with tempfile.TemporaryDirectory() as folder:
            try:
                with stranger(name, Path(folder)) as engine:
                    print(line(name, engine))
            except pytest.skip.Exception as skipped:
                print(f"{name:14}not here: {skipped}")
    known, ran = sa.create_engine("sqlite://"), list[str]()
    sa.event.listen(known, "before_cursor_execute", lambda _, __, sql, *___: ran.append(sql))
    connector_of(known)
    print(f"{'SQLite, known':14}{len(ran):3} questions")


if __name__ == "__main__":
    main(sys.argv[1:])
