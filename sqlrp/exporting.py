"""SQL as files, for engines that other means run: one statement each, numbered in their order."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from sqlrp.api import scripted
from sqlrp.engines import engine_named
from sqlrp.errors import ParameterError, shorten
from sqlrp.layouts import Join, Output, Source, TableName
from sqlrp.lower.job import Nulls
from sqlrp.projections.base import Projection


def export(
    projection: Projection,
    source: Source | Join | str,
    engine: str,
    folder: str | Path,
    *,
    into: str = "projected",
    output: Output = "columns",
    scale: bool = True,
    nulls: Nulls = "propagate",
    lowering: str = "auto",
) -> list[Path]:
    """Write the statements that project a source: 01_step.sql …, NN_query.sql, NN_cleanup.sql …; returns their paths.

    The query makes the view `into`; a table where steps come before it, as what they make is dropped after it. Run
    them in one session, which temporary tables live in. Either all files are there or none: `folder` is made by one
    rename, and must not hold anything before.
    """
    chosen = engine_named(engine)
    script = scripted(projection, source, engine, output, scale, nulls, lowering)
    kind = "TABLE" if script.steps else "VIEW"
    query = f"CREATE {kind} {chosen.table(TableName.parse(into))} AS\n{script.query}"
    statements = [
        *(("step", step) for step in script.steps),
        ("query", query),
        *(("cleanup", drop) for drop in script.cleanup),
    ]
    digits = max(2, len(str(len(statements))))
    names = [f"{i:0{digits}}_{what}.sql" for i, (what, _) in enumerate(statements, 1)]
    target = Path(folder).absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ParameterError(f"folder = {shorten(str(folder))} holds something already: name a new or an empty one")
    target.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".sqlrp_", dir=target.parent))
    try:
        for name, (_, text) in zip(names, statements, strict=True):
            (beside / name).write_text(f"{text};\n", encoding="utf-8", newline="\n")
        beside.chmod(0o755)
        os.rename(beside, target)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise
    return [target / name for name in names]
