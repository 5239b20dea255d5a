"""SQL as files, to run by other means: one statement per file, numbered in their order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlrp.core.errors import ParameterError, UnsupportedError, shorten
from sqlrp.core.options import Nulls, Options
from sqlrp.core.sources import Join, Output, Source, Standardized, TableName
from sqlrp.core.writing import beside, cannot_write, resolved
from sqlrp.projections.base import Projection
from sqlrp.run.api import planned
from sqlrp.run.bind import engine_asked


def export(
    projection: Projection,
    source: Source | Standardized | Join | str,
    engine: Any,
    folder: str | Path,
    *,
    into: str = "projected",
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> list[Path]:
    """Write the statements that project a source to files 01_step.sql …, NN_query.sql, NN_cleanup.sql ….

    Returns the paths of the files. `engine`: an engine, its name, or a connection.
    The query makes the view `into`. If there are steps before it, it makes a table, because the cleanup drops the
    steps' tables. Run the files in one session, because temporary tables belong to it. All files are written or none:
    `folder` is made by one rename and must be new or empty. Raises SourceError if it cannot be written, and the errors
    of `sqlrp.sql`.
    """
    chosen, _ = engine_asked(engine)
    script = planned(projection, source, engine, Options(output, scale, nulls, lowering)).script()
    if script.calls:
        raise UnsupportedError(
            "lowering = 'kernel' calls a function of this process, which files cannot hold: use 'auto'"
        )
    kind = "TABLE" if script.setup else "VIEW"
    query = f"CREATE {kind} {chosen.table(TableName.parse(into))} AS\n{script.query}"
    statements = [
        *(("step", step) for step in script.setup),
        ("query", query),
        *(("cleanup", drop) for drop in script.cleanup),
    ]
    digits = max(2, len(str(len(statements))))
    names = [f"{i:0{digits}}_{what}.sql" for i, (what, _) in enumerate(statements, 1)]
    target = resolved(Path(folder))
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ParameterError(f"folder = {shorten(str(folder))} holds something already: name a new or an empty one")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with beside(target) as made:
            made.mkdir()
            for name, (_, text) in zip(names, statements, strict=True):
                (made / name).write_text(f"{text};\n", encoding="utf-8", newline="\n")
    except OSError as error:
        raise cannot_write(Path(folder), error) from error
    return [Path(folder).absolute() / name for name in names]
