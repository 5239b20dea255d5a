"""Messages of sqlrp with options where they name arguments in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import click

CALLED = "sqlrp.command"
"""The key of the command that runs in click's `meta`. A warning may come from another thread, which has no context."""

_VALUE = r"(?P<value>'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\([^()]*\)|True|False|None|-?[\d.,]+(?:e[+-]?\d+)?|nan|inf)"
_WORDS: tuple[tuple[str, str], ...] = (
    (r"name the key column, or key None for", "name it by --key, or give --no-key for"),
    (
        r"Array\(table, (?P<name>'[^']*'|\"[^\"]*\")\)(?:, in SQL array_column := (?P=name))?",
        r"array_column = \g<name>",
    ),
    (r"key = None", "--no-key"),
    (r"scale = False", "--no-scale"),
    (r"\bsqlrp\.check with repair=True", "`sqlrp check --repair`"),
    (r"\bsqlrp\.materialize", "`sqlrp project --into`"),
    (r"\bsqlrp\.(check|dbt|explain|export|fit|install|refresh|report|sql)\b(?!\()", r"`sqlrp \1`"),
    (r"\bmaterialize (it )?(again )?with replace=True", r"project \1\2with --into and --replace"),
    (r"\b(refresh \w+ )with everything=True", r"\1with --everything"),
    (r"\bWide\(…\)", "--features"),
    (r"\bArray\(…\)", "--array-column"),
    (r"\bLong\(…\)", "--long"),
)
"""What is said in Python, as a regular expression, and what is said of options."""
_ELSEWHERE = {"replace": "--replace", "everything": "--everything", "remove": "--no-remove", "repair": "--repair"}
"""Options that a remedy may name although the command that failed has none of them."""


def as_options(words: str, command: click.Command) -> str:
    """A message with the options of the command: `k = 0` is `-k 0`, and `replace=True` is `--replace`.

    What an engine said, and the statement that it refused, stay as they are.
    """
    own, bracket, statement = words.partition(" [in: ")
    for said, meant in _WORDS:
        own = re.sub(said, meant, own)
    given = [option for option in command.params if isinstance(option, click.Option)]
    options = {option.opts[-1].lstrip("-").replace("-", "_"): option.opts[-1] for option in given}
    options = _ELSEWHERE | {str(option.name): option.opts[-1] for option in given} | options
    names = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    own = re.sub(rf"(?<![\w.])(?<!of )(?P<name>{names})\s?=\s?{_VALUE}", _spelt(options), own)
    return own + bracket + statement


def _spelt(options: Mapping[str, str]) -> Callable[[re.Match[str]], str]:
    def spelt(found: re.Match[str]) -> str:
        option, value = options[found["name"]], found["value"]
        if " " not in found[0] and re.search(r"\w\([^()]*$", found.string[: found.start()]):
            return found[0]  # within the text of a projection: SparseProjection(k=2, seed=0)
        if value == "True":
            return option
        if value == "False":
            return option if option.startswith("--no-") else f"--no-{option.lstrip('-')}"
        if value == "None":
            return f"no {option}"
        if value[0] in "[(":
            value = ",".join(part.strip().strip("'\"") for part in value[1:-1].split(","))
        elif value[0] in "'\"" and re.fullmatch(r"[\w.,:/+-]+", value[1:-1]):
            value = value[1:-1]
        return f"{option} {value}"

    return spelt
