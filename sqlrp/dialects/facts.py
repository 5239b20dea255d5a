"""What is known of an engine before any SQL is written: types of columns, limits, costs and other facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from sqlrp.core.draw import Ints
from sqlrp.core.numbers import Number

Numbers = Ints | npt.NDArray[np.float64]
Lowering = Literal["inline", "indexed", "relational", "kernel"]


@dataclass(frozen=True)
class ColumnType:
    """What a column holds: numbers (`number`), an array of them (`is_array`, `size` where fixed), or text.

    `cast`: the array type that a column of another type, such as pgvector's, is read as.
    """

    text: str
    number: Number | None = None
    is_array: bool = False
    size: int | None = None
    is_text: bool = False
    cast: str | None = None


@dataclass(frozen=True)
class Column:
    """A column of a source."""

    name: str
    type: ColumnType
    nullable: bool = True


@dataclass(frozen=True)
class Limits:
    """What one statement of the engine may hold; None where the engine states no limit."""

    columns: int | None
    """columns of a result or a table"""
    terms: int
    """terms (additions and multiplications) of the inline lowering in one statement"""
    stored: int | None = None
    """columns of numbers that a row of a temporary table holds, where that is less than `columns`"""
    source: str = ""
    """where the figures come from"""
    expressions: int | None = None
    """numbers that a query may compute for one row before they become a list"""


@dataclass(frozen=True)
class Costs:
    """Measured constants of the planner, in seconds by lowering; `sqlrp.explain` shows what follows from them."""

    start: Mapping[Lowering, float]
    """to start, whatever the size"""
    plan_term: Mapping[Lowering, float]
    """to parse and plan one term or feature of the text"""
    run: Mapping[Lowering, float]
    """to run one term for one row"""
    dot: Mapping[Lowering, float] = field(default_factory=dict)
    """to run one term for one row where a function multiplies two lists and sums: `Facts.has_dot`"""
    draw: Mapping[Lowering, float] = field(default_factory=dict)
    """to draw one weight outside an expression, once for all rows"""
    state: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to plan one component of the result, by output: a column costs more than an element of a list"""
    read: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to read one feature of one row, by layout"""
    write: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to write one component of one row, by output"""
    source: str = ""
    """how they were measured"""

    def to_json(self) -> dict[str, Any]:
        """As `costs.json` has them."""
        return asdict(self)


def decimal(digits: int, behind: int) -> Number:
    """A decimal number of so many digits, some of them behind the point."""
    return Number("decimal", int(np.ceil(digits * np.log2(10))), behind)


class Facts:
    """The facts of an engine, each with the value that most engines have."""

    name: ClassVar[str]
    limits: ClassVar[Limits]
    costs: ClassVar[Costs]
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "relational")
    """those in plain SQL, which the planner chooses from"""
    has_kernel: ClassVar[bool] = False
    """whether a connection may run functions of this process"""
    folds_case: ClassVar[bool] = False
    """whether column names differing in case only are the same"""

    quotes: ClassVar[str] = '"'
    """what stands around an identifier, and twice for itself within"""
    escapes: ClassVar[Mapping[str, str]] = {"'": "''"}
    """how the characters that mean something in a string literal are written"""
    has_percent: ClassVar[bool] = True
    """whether % gives the remainder of a division; else MOD(…) does"""
    equals: ClassVar[str] = "IS NOT DISTINCT FROM"
    """the operator of equality by which NULL equals NULL"""
    casts_booleans: ClassVar[bool] = True
    """whether a boolean can be cast to every type of number; else to an integer of 32 bits only"""

    materialized: ClassVar[str] = ""
    """what makes a common table expression be computed once"""
    long_width: ClassVar[int] = 0
    """the most sums in one aggregate of `long_sums`, by which the indexed lowering reads long rows; 0: it does not"""
    has_dot: ClassVar[bool] = False
    """whether the indexed lowering reads lists of weights, by `weighted_sums` and `each`"""
    repeats: ClassVar[bool] = False
    """whether a common table expression is computed anew wherever it is named: rows numbered in one may then differ"""
    stores: ClassVar[bool] = False
    """whether the relational lowering keeps every relation in a temporary table, not in a common table expression"""
    fence: ClassVar[str] = ""
    """what ends a subquery that the engine would otherwise merge, and compute anew wherever a column of it is named"""
    settings: ClassVar[str] = ""
    """what ends a query, so that the engine reads it as the others do"""
    reads_files: ClassVar[bool] = False
    """whether a file stands in FROM as a table does"""
    has_md5: ClassVar[bool] = True
    """whether text can be hashed"""
    can_fail: ClassVar[bool] = True
    """whether an expression can fail with words; else what is wrong in a long row makes its outputs NULL"""
    numbers_by_columns: ClassVar[bool] = False
    """whether rows are numbered in the order of all their columns, as in no other way the numbers stay the same"""
    temporary: ClassVar[str] = ""
    """what stands before the name of a temporary table, so that it means no other"""
    making_temporary: ClassVar[str] = "CREATE TEMPORARY TABLE"
    """what begins the statement that makes a temporary table"""
    dropping_temporary: ClassVar[str] = "DROP TABLE IF EXISTS"
    """what begins the statement that drops a temporary table, and no other table of that name"""
    has_temporary: ClassVar[bool] = True
    """whether a session keeps temporary tables"""
    has_arrays: ClassVar[bool] = True
    """whether a column can hold an array"""
    keeps_text: ClassVar[bool] = False
    """whether a projection saved with a source keeps its text, for functions of the database to run"""
    keeps_nothing: ClassVar[str] = ""
    """what to do instead where the tables of the engine change no rows, so that there is no catalogue; else empty"""
    transactional: ClassVar[bool] = True
    """whether a table is made, dropped and renamed within a transaction"""
    nests: ClassVar[bool] = False
    """whether a transaction within another is a savepoint, which waits for the lock of others"""
    for_update: ClassVar[str] = ""
    """what makes a query wait for others that are changing its rows, and read what they left"""
    has_materialized_views: ClassVar[bool] = False
    """whether the engine keeps a view's rows itself"""

    begins: ClassVar[str] = "BEGIN"
    """the statement that begins a transaction that writes"""
    commits: ClassVar[str] = "COMMIT"
    """the statement that ends a transaction and keeps what it did"""
    rolls_back: ClassVar[str] = "ROLLBACK"
    """the statement that ends a transaction and undoes what it did"""
    renaming_setting: ClassVar[str] = ""
    """the setting that must be ON while a table is renamed"""
    uncounted: ClassVar[str] = ""
    """what the engine's error says where a table keeps no count of its rows"""

    listing: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    """the query of the names of the tables of the current schema"""
    functions: ClassVar[str] = ""
    """the query of the names of the functions that are there, where `install` makes some"""
