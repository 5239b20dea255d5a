"""Text as sqlglot writes it again, in any version of it: SQLMesh, SQLFrame and linters of dbt run what it writes.

`python rewriting.py` writes the version of sqlglot. Of each line it reads a list of [grammar, text] as JSON, and writes
a list of texts; a refusal begins with "!".
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from typing import Any

GRAMMARS = {"postgresql": "postgres", "mariadb": "mysql", "sqlserver": "tsql", "generic": ""}
"""sqlglot's names, where they are not the engine's."""
UNKNOWN = "! no such grammar"
"""What is said of an engine that sqlglot does not know."""
OLDEST = "30.0.0"
"""The oldest version that SQLMesh or SQLFrame takes."""


class Parser:
    """A process with sqlglot. To import it takes as long as to read ten texts. `folder`: of another version of it."""

    def __init__(self, folder: Path | None) -> None:
        paths = {} if folder is None else {"PYTHONPATH": str(folder)}
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=PIPE, stdout=PIPE, text=True, env={**os.environ, **paths}
        )
        assert self._process.stdout is not None
        version = json.loads(self._process.stdout.readline())
        assert folder is None or version == OLDEST

    def rewritten(self, texts: Sequence[tuple[str, str]]) -> list[str]:
        """The texts of engines as sqlglot reads them and writes them again."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        given = json.dumps([(GRAMMARS.get(name, name), text) for name, text in texts])
        print(given, file=self._process.stdin, flush=True)
        found = self._process.stdout.readline()
        assert found, "the process ended"
        return [str(text) for text in json.loads(found)]

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=60)


def _written(grammar: str, text: str) -> str:
    """A text again; what is wrong with it after a "!"."""
    import sqlglot

    if sqlglot.Dialect.get(grammar) is None:
        return UNKNOWN
    try:
        trees = sqlglot.parse(text, read=grammar)
        if len(trees) != 1 or trees[0] is None:
            return "! several statements"
        written = trees[0].sql(dialect=grammar)
        again = sqlglot.parse_one(written, read=grammar)
    except sqlglot.errors.SqlglotError as error:
        return f"! {error}"
    if isinstance(trees[0], sqlglot.exp.Command):
        return "! not read"
    if grammar and _operations(again) != _operations(trees[0]):  # without one the oldest misreads %
        return f"! other operations: {written}"
    return written


def _operations(tree: Any) -> list[str]:
    """The operations of a tree, each with those that are its operands: a bracket that is lost changes them."""
    from sqlglot import exp

    kinds = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.And, exp.Or, exp.Predicate)

    def shape(node: Any) -> str:
        node = node.unnest() if isinstance(node, exp.Paren) else node
        if not isinstance(node, kinds) or isinstance(node, exp.SubqueryPredicate):
            return "."
        return f"{type(node).__name__}({', '.join(map(shape, node.iter_expressions()))})"

    return sorted(shape(node) for node in tree.find_all(*kinds))


def _main() -> None:
    logging.disable(logging.CRITICAL)
    import sqlglot

    print(json.dumps(sqlglot.__version__), flush=True)
    for line in sys.stdin:
        print(json.dumps([_written(grammar, text) for grammar, text in json.loads(line)]), flush=True)


if __name__ == "__main__":
    _main()
