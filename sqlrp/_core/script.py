"""Statements as values: they are composed as values and become text once, where they are run or shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlrp._core.reprs import short_repr
from sqlrp._core.values import dataclass


@dataclass(frozen=True)
class Select:
    """A SELECT of columns from a relation."""

    __repr__ = short_repr

    columns: tuple[str, ...]
    relation: Relation
    end: str = ""
    """what follows the relation: joins, WHERE, GROUP BY, or what keeps an engine from merging the subquery"""
    flat: bool = False
    """whether FROM stands on the line of the columns"""

    @property
    def text(self) -> str:
        """The SQL."""
        line = " " if self.flat else "\n"
        columns = ", ".join(self.columns) or "1 AS one"  # rows without a column: most engines want one
        return f"SELECT {columns}{line}FROM {after_from(self.relation)}{self.end}"


Relation = Select | str
"""What stands after FROM: a SELECT as a subquery, or the text of a table or another relation."""


def named_ahead(relation: Relation, most: int, name: Callable[[int], str]) -> tuple[Relation, tuple[str, ...]]:
    """The relation of subqueries within each other, and those of them that are named before the query.

    More than `most` levels are named, so many together. `name`: the name of each, by its number.
    """
    levels: list[Select] = []
    while isinstance(relation, Select):
        levels.append(relation)
        relation = relation.relation
    named: list[str] = []
    deep = len(levels) > most
    for at, level in enumerate(reversed(levels), 1):
        relation = replace(level, relation=relation)
        if deep and (at % most == 0 or at == len(levels)):
            named.append(f"{name(len(named))} AS ({relation.text})")
            relation = name(len(named) - 1)
    return relation, tuple(named)


def after_from(relation: Relation) -> str:
    """A relation's text after FROM; a subquery is named s."""
    return f"({relation.text}) s" if isinstance(relation, Select) else relation


@dataclass(frozen=True)
class Statement:
    """A query, the common table expressions that it reads, and the settings that end it."""

    __repr__ = short_repr

    query: Select | str
    named: tuple[str, ...] = ()
    """the common table expressions, each as `name AS (query)`"""
    settings: str = ""
    """what ends the whole, so that the engine reads it as the others do"""

    @property
    def inner(self) -> str:
        """The SQL as it may stand within another query: without the settings."""
        query = self.query.text if isinstance(self.query, Select) else self.query
        named = ",\n".join(self.named)
        return f"WITH {named}\n{query}" if named else query

    @property
    def text(self) -> str:
        """The SQL."""
        return self.inner + self.settings


@dataclass(frozen=True)
class Setup:
    """A statement that runs before a query, and the statement that drops what it made."""

    __repr__ = short_repr

    text: str
    drop: str = ""
    """it does nothing if there is nothing to drop; empty if the engine drops it or nothing is made"""
    name: str = ""
    query: str = ""
    """the name of a temporary table, and the query of its rows: a connector may store them in another way"""


def drops_of(steps: Sequence[Setup]) -> list[str]:
    """The statements that drop what set-up statements made, the last first."""
    return [step.drop for step in reversed(steps) if step.drop]


def drops_as_one(drops: Sequence[str], begin: str) -> str:
    """Several statements that drop tables, and begin alike, as one; empty for fewer than two."""
    names = [drop.removeprefix(begin).strip() for drop in drops]
    several = len(drops) > 1 and all(drop.startswith(begin) for drop in drops)
    return f"{begin} {', '.join(names)}" if several else ""


@dataclass(frozen=True)
class Script:
    """Set-up statements to run in order, and the query that gives the result."""

    statement: Statement
    steps: tuple[Setup, ...] = ()

    def __repr__(self) -> str:
        """The length of the text, as the text itself may fill many pages."""
        return f"Script({len(self.steps) + 1} statement{'s' * bool(self.steps)}, {len(self.text):,} characters)"

    @property
    def setup(self) -> tuple[str, ...]:
        """The texts of the set-up statements."""
        return tuple(step.text for step in self.steps)

    @property
    def cleanup(self) -> tuple[str, ...]:
        """The statements that drop what the set-up made, the last first."""
        return tuple(drops_of(self.steps))

    @property
    def query(self) -> str:
        """The text of the query that gives the result."""
        return self.statement.text

    @property
    def text(self) -> str:
        """All statements as one text. If there are several, a comment says so, and each ends with a semicolon."""
        if not self.steps:
            return self.query
        every, query = (*self.setup, self.query, *self.cleanup), len(self.setup) + 1
        told = (
            f"-- {len(every)} statements: run them in this order in one session. Statement {query} returns the rows.\n"
        )
        return told + "".join(f"{statement};\n" for statement in every)

    def around(self, outer: Callable[[str], str]) -> Script:
        """The script of another query around this one: `outer` writes it from the text of the inner one."""
        return replace(self, statement=Statement(outer(self.statement.inner), settings=self.statement.settings))
