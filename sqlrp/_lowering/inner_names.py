"""Names within a statement that no column of the source has, for engines where an alias hides such a column."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlrp._core.names import spelled
from sqlrp._core.script import Script
from sqlrp._lowering.job import Job

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]|\d[\w.]*|[A-Za-z_]\w*")
"""A string, a name in quotes, a number, or a word. Names of users are always in quotes, and those of sqlrp never."""
_ALIAS = re.compile(r"\bAS ([a-z]\w*)")


def apart_from_columns(job: Job, script: Script) -> Script:
    """The script with its aliases renamed that a column of the source has, too: `CAST("x" AS REAL) AS x` hides x."""
    text, frame = script.statement.inner, job.frame
    columns = {spelled(name) for name in (*frame.kept, *frame.names)}
    taken = (columns & set(_ALIAS.findall(text))) - {spelled(name) for name in job.output_names}
    if not taken:
        return script
    words = {word for word in _TOKEN.findall(text) if word[0].isalpha()} | columns
    new: dict[str, str] = {}
    for word in sorted(taken):
        new[word] = next(name for name in (f"{'sqlrp_' * i}{word}" for i in range(1, 9)) if name not in words)
    renamed = _TOKEN.sub(lambda token: new.get(token[0], token[0]), text)
    return replace(script, statement=replace(script.statement, query=renamed, named=()))


__all__ = ["apart_from_columns"]
