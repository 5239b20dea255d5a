"""The facts of an engine that its SQL depends on: types of columns, limits, costs and others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, field, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from sqlrp._core.draw import Ints
from sqlrp._core.names import Folding
from sqlrp._core.numbers import Number
from sqlrp._core.values import dataclass

Numbers = Ints | npt.NDArray[np.float64]
HASHED = 2**61 - 1
"""The modulus of sums of hashes, which tables keep: it is the same in every version."""
_NUMBER = r"([-+0-9.eE]+|null|NULL|[Nn]a[Nn]|[-+]?[Ii]nf(inity)?)"
_GAP = r"[ \n\r\t]*"
ARRAY = re.compile(rf"^{_GAP}\[{_GAP}{_NUMBER}({_GAP},{_GAP}{_NUMBER})*{_GAP}\]{_GAP}$")
"""A text that holds an array of numbers, as JSON writes it."""
OUT_OF_RANGE = (
    "32-bit floats end at 3.4e38, and doubles at 1.8e308: scale the features, or use dtype = 'auto' and no vectors"
)
"""The remedy if an engine refuses a float."""
AT_ONCE = "another connection writes there: try again when it is done"
"""The remedy if an engine refuses a statement because of another writer, or does not wait for it any longer."""
Lowering = Literal["inline", "indexed", "relational", "native"]


@dataclass(frozen=True)
class ColumnType:
    """The type of a column: numbers (`number`), an array of numbers (`is_array`, `size` if fixed), or text.

    `cast`: the expression that makes an array of a column of another type, such as pgvector's, with `{column}` in it,
    and `{size}` for the length of the arrays if it needs that. An array that is text, too, is written as one.
    """

    text: str
    number: Number | None = None
    is_array: bool = False
    size: int | None = None
    is_text: bool = False
    cast: str | None = None

    def sized(self, size: int) -> ColumnType:
        """The type with `{size}` filled in."""
        return replace(self, cast=self.cast.replace("{size}", str(size))) if self.cast else self


@dataclass(frozen=True)
class Column:
    """A column of a source."""

    name: str
    type: ColumnType
    nullable: bool = True
    index: bool = field(default=False, compare=False, repr=False)
    """whether it is the index of a pandas frame that was written to a file"""
    partition: bool = field(default=False, compare=False, repr=False)
    """whether it comes from the names of folders, so that it has one value in each file"""


@dataclass(frozen=True)
class Limits:
    """The limits of one statement of the engine; None if the engine states no limit."""

    columns: int | None
    """columns of a result or a table"""
    terms: int
    """additions and multiplications of the inline lowering in one statement"""
    stored: int | None = None
    """columns of numbers in a row of a temporary table, if fewer than `columns`"""
    row: int | None = None
    """bytes of the numbers in a row of a subquery or a temporary table"""
    source: str = ""
    """the source of the figures"""
    expressions: int | None = None
    """expressions that a query may compute for one row before they become a list"""
    levels: int | None = None
    """subqueries within each other, where a parser's stack is small; deeper ones are named before the query"""
    named: int | None = None
    """common table expressions of one statement"""
    within: int | None = None
    """columns of a subquery for shared sums, if the engine states no limit on columns"""
    characters: int | None = None
    """characters of one statement"""
    view: int | None = None
    """characters of the query of a view, if fewer than `characters`"""


@dataclass(frozen=True)
class Costs:
    """Measured constants of the planner, in seconds by lowering; `sqlrp.explain` shows the resulting estimates."""

    start: Mapping[Lowering, float]
    """to start a job of any size"""
    plan_term: Mapping[Lowering, float]
    """to parse and plan one term of the text"""
    run: Mapping[Lowering, float]
    """to run one term for one row"""
    dot: Mapping[Lowering, float] = field(default_factory=dict)
    """to run one term for one row if a function computes the dot product of two lists (`Facts.has_dot`)"""
    draw: Mapping[Lowering, float] = field(default_factory=dict)
    """to draw one weight outside an expression, once for all rows"""
    plan_feature: Mapping[Lowering, float] = field(default_factory=dict)
    """to parse and plan one feature that the text names"""
    state: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to plan one component of the result, by output (a column costs more than an element of a list)"""
    read: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to read one feature of one row, by layout"""
    skip: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to pass over one feature of one row that is read with another part of the rows, by layout"""
    write: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to write one component of one row, by output"""
    fetch: Mapping[Lowering, Mapping[str, float]] = field(default_factory=dict)
    """to pass one component of one row to this process, by output, where native may pass the features in its place"""
    source: str = ""
    """how the constants were measured"""

    def to_json(self) -> dict[str, Any]:
        """The costs in the format of `costs.json`."""
        return asdict(self)


def decimal(digits: int, behind: int) -> Number:
    """A decimal number with `digits` digits, `behind` of them after the point."""
    return Number("decimal", int(np.ceil(digits * np.log2(10))), behind)


NO_DEFAULT = ("repeats", "has_types", "aliases_may_hide", "numbers_by_columns", "escapes")
"""The facts without a default: where one is wrong, an engine gives other numbers and no error, or a text ends early."""


class Facts:
    """The facts of an engine. Each default is the value of most engines; `NO_DEFAULT` have none."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse an engine that leaves out a fact or a phrase without a default, where it is imported."""
        super().__init_subclass__(**kwargs)
        if "name" not in vars(cls):
            return
        missing = [fact for fact in (*NO_DEFAULT, "limits", "costs") if not hasattr(cls, fact)]
        missing += [name for name in dir(cls) if getattr(getattr(cls, name, None), "__isabstractmethod__", False)]
        if missing:
            raise TypeError(
                f"{cls.__name__} leaves out {', '.join(missing)}, which no default is right for: write each"
            )

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Refuse a class without a name, of which nothing was asked where it was made."""
        if not hasattr(cls, "name"):
            raise TypeError(f"{cls.__name__} leaves out name, by which its engine is asked for: write it")
        return super().__new__(cls)

    name: ClassVar[str]
    limits: ClassVar[Limits]
    costs: ClassVar[Costs]
    lowerings: ClassVar[tuple[Lowering, ...]] = ("inline", "relational")
    """the lowerings in plain SQL that the planner chooses from"""
    streams: ClassVar[bool] = False
    """whether the native lowering can evaluate rows in batches, without SQL (`Connector.stream`)"""
    has_workers: ClassVar[bool] = False
    """whether processes of the engine evaluate these batches, and not this process (`Connector.mapped`)"""
    row_group: ClassVar[int] = 0
    """the number of rows that one thread reads at least, so that fewer rows keep one thread busy; 0: not known"""
    folding: ClassVar[Folding] = "exact"
    """which names of columns are the same (`sqlrp._core.names`)"""

    quotes: ClassVar[str] = '"'
    """the quote around an identifier; within the identifier it is doubled"""
    escapes: ClassVar[Mapping[str, str]]
    """how special characters are written in a string literal; a backslash, too, where it begins an escape"""
    has_percent: ClassVar[bool] = True
    """whether % is the remainder of a division; otherwise MOD(…) is used"""
    uncompiled: ClassVar[str] = ""
    """an expression equal to {value}, for which the engine splits the code that it compiles; empty: not needed"""
    compiled_terms: ClassVar[int] = 0
    """the number of terms of one SELECT above which this is faster"""
    equals: ClassVar[str] = "IS NOT DISTINCT FROM"
    """the equality operator for which NULL equals NULL; empty: it is written out"""
    row_order: ClassVar[str] = ""
    """the order of a window that numbers rows, on engines that ask for one"""
    has_types: ClassVar[bool]
    """whether the values of a column have its type; otherwise a sum that should be exact is checked when it is made"""
    casts_booleans: ClassVar[bool] = True
    """whether a boolean can be cast to every type of number; otherwise only to a 32-bit integer"""

    constants_from: ClassVar[str] = ""
    """the text after a SELECT that reads no table"""
    has_dotted_names: ClassVar[bool] = True
    """whether the name of a column may contain a dot"""
    joins_by_name: ClassVar[bool] = True
    """whether JOIN … USING is known; otherwise ON names the column of both sides"""
    lists_from: ClassVar[str] = ""
    """the text after a SELECT of constant lists"""
    why_named: ClassVar[str] = ""
    """why a statement has no more common table expressions than `Limits.named`, and the remedy; empty for a bound"""
    materialized: ClassVar[str] = ""
    """the keyword that makes the engine compute a common table expression once"""
    long_width: ClassVar[int] = 0
    """the most sums in one aggregate of `long_sums`; 0: the indexed lowering does not read long rows"""
    has_dot: ClassVar[bool] = False
    """whether the indexed lowering supports lists of weights, by `weighted_sums` or `dots`, and by `each`"""
    scalar_lists: ClassVar[bool] = False
    """whether constant lists are scalar subqueries, and a dot product with a constant list is faster than index lists:
    the indexed lowering then writes all sums by `dots`, zeros included, and products as text"""
    adds_lists: ClassVar[bool] = False
    """whether + and - add and subtract lists of one length: Hadamard transforms are then written over parts of them"""
    repeats: ClassVar[bool]
    """whether a common table expression is computed again at each use, so that row numbers in it may differ"""
    replans: ClassVar[bool] = False
    """whether a common table expression is planned again at each use, so that the relational lowering names the cells
    of a stage once, as lists"""
    folds_names: ClassVar[bool] = False
    """whether the engine may change the case of names without quotes, so that those of a result are quoted"""
    crossed: ClassVar[str] = " CROSS JOIN "
    """what stands between two relations, each row of which is joined with each of the other"""
    long_as_wide: ClassVar[bool] = False
    """whether the inline lowering reads long rows, by a sum for each feature: an engine may lack WITH, or merge it"""
    stores: ClassVar[bool] = False
    """whether the relational lowering uses a temporary table, not a common table expression, for each relation"""
    reads_once: ClassVar[bool] = False
    """whether a common table expression that reads a temporary table can be used once in a statement, so that such
    relations are temporary tables, too"""
    fence: ClassVar[str] = ""
    """the end of a subquery that the engine would otherwise merge and compute again at each use of its columns"""
    rereads_arrays: ClassVar[bool] = False
    """whether each mention of a stored array reads all of it, so that a check of its length names it first"""
    settings: ClassVar[str] = ""
    """the end of a query that makes the engine read it as other engines do"""
    reads_files: ClassVar[bool] = False
    """whether FROM accepts a file in place of a table"""
    has_md5: ClassVar[bool] = True
    """whether the engine has md5, to hash text"""
    key_function: ClassVar[str] = ""
    """the function of this process that gives the number of a key, on an engine without md5; empty: none"""
    aliases_may_hide: ClassVar[bool]
    """whether an alias may be read in place of a column of the same name within its own SELECT"""
    tries_aliases: ClassVar[bool] = False
    """whether the planner puts aliases for columns into the expressions before them, in all combinations"""
    can_fail: ClassVar[bool] = True
    """whether an expression can raise an error with a message; otherwise an invalid long row has NULL outputs"""
    fails_as_number: ClassVar[bool] = False
    """whether the failing expression is a number, which cannot share a CASE with an array"""
    numbers_by_columns: ClassVar[bool]
    """whether rows are numbered in the order of all their columns, because the numbers would otherwise change"""
    temporary: ClassVar[str] = ""
    """the prefix of a temporary table's name that keeps it from meaning another table"""
    begins_temporary: ClassVar[str] = ""
    """what the name of a temporary table must begin with"""
    making_temporary: ClassVar[str] = "CREATE TEMPORARY TABLE {name} AS"
    """what precedes the query where a temporary table is made; {key} becomes a key if the rows are numbered"""
    dropping_temporary: ClassVar[str] = "DROP TABLE IF EXISTS"
    """the start of the statement that drops a temporary table, and no other table of the same name"""
    has_temporary: ClassVar[bool] = True
    """whether a session can have temporary tables"""
    has_arrays: ClassVar[bool] = True
    """whether the engine has array columns"""
    array: ClassVar[str] = ""
    """the type of an array of the type {number}"""
    joins_arrays: ClassVar[str] = ""
    """the function of two arrays that returns one array with the elements of both; empty without one"""
    vectors_take_null: ClassVar[bool] = True
    """whether a vector can be NULL"""
    joins_numbers: ClassVar[bool] = True
    """whether it joins arrays of different types of floats and wide integers without a cast"""
    array_of_text: ClassVar[str] = ""
    """the array of doubles that a text such as [0.1, null] holds, with `{column}` in it; it fails for any other text"""
    json_types: ClassVar[tuple[str, ...]] = ()
    """the types of JSON whose columns `array_of_text` reads, too"""
    cells_of_text: ClassVar[str] = ""
    """the query of the elements of such a text, where there are no arrays: `{key}`, feature and value"""
    matches: ClassVar[str] = ""
    """the condition that a `{text}` has a regular expression, `{pattern}`"""
    has_array: ClassVar[str] = "{column} IS NOT NULL"
    """the condition that an array column holds an array in a row; empty if it always does"""
    single: ClassVar[str] = ""
    """the name of the type of 32-bit floats; empty without one"""
    vector: ClassVar[str] = ""
    """the type of vectors of {k} numbers, for the engine's vector search; empty without one"""
    half_vector: ClassVar[str] = ""
    """the type of vectors of 16-bit floats; empty without one"""
    has_bytes: ClassVar[bool] = False
    """whether vectors of integers of 8 bits are compared like those of floats"""
    vectors_are_single: ClassVar[bool] = True
    """whether the numbers of a vector are 32-bit floats; otherwise they are doubles"""
    types_when_made: ClassVar[bool] = False
    """whether the array that `fixed` returns holds the numbers that are written, and is also a vector"""
    code: ClassVar[str] = ""
    """the type of {k} bits that the engine's vector search takes; empty: bits are columns of words"""
    vectors_query: ClassVar[str] = ""
    """the query of the schema of the extension that is the engine's vector search; no row if it is not installed"""
    longest_vector: ClassVar[int | None] = None
    """the most numbers of a vector, if the engine states a limit"""
    has_lists: ClassVar[bool] = True
    """whether a query may turn the values of a row into a list, and a list into rows"""
    stored_as: ClassVar[str] = ""
    """the end of the head of a kept table, where a setting of the session could make one without transactions"""
    name_parts: ClassVar[int | None] = None
    """how many parts the name of a table or a function may have, where a longer one would be cut or misread"""
    keeps_text: ClassVar[bool] = False
    """whether a projection saved with a source also saves its SQL, for functions of the database to run"""
    asks_at_once: ClassVar[bool] = False
    """Whether `at_once` joins queries about the database in one, as it saves round trips to a server."""
    asks_in_turn: ClassVar[bool] = False
    """whether `in_turn` asks the next questions in the same statement if these are answered as before"""
    answers_in_one: ClassVar[bool] = False
    """whether one statement can search a kept table and tell, by `in_one`, that it is the one that was read"""
    proves_apart: ClassVar[bool] = False
    """whether statements of their own tell that in less time, as the engine is in this process"""
    records_in_tables: ClassVar[bool] = False
    """whether there is no catalogue, as the engine's tables change no rows: a record is in the properties of its table,
    or of a view of its own"""
    mark_property: ClassVar[str] = "sqlrp.mark"
    """the property of a table that has its mark, if its record is in its properties"""
    transactional: ClassVar[bool] = True
    """whether a transaction can make, drop and rename tables"""
    fills: ClassVar[bool] = False
    """whether a table is made empty, and then a transaction adds its rows and its record: nothing is renamed"""
    copies_rows: ClassVar[bool] = False
    """whether a refresh copies rows to a table that it drops, as no transaction can make a temporary one"""
    carries_marks: ClassVar[bool] = True
    """whether a table can carry a mark that stays with it when it is renamed (`Catalogue.marking`)"""
    reaches_hidden: ClassVar[bool] = True
    """whether the full name of a table means it, even if a temporary table of the session has its name"""
    creating_once: ClassVar[str] = "CREATE TABLE IF NOT EXISTS"
    """the start of the statement that makes a table unless there is one; it may fail if there is one"""
    constraints: ClassVar[bool] = True
    """whether a table can have a primary key and columns that are never NULL"""
    difference: ClassVar[str] = "EXCEPT"
    """the operator between two queries that removes the rows of the second one"""
    locks_all: ClassVar[bool] = False
    """whether the lock of a transaction keeps out those of all other processes"""
    nests: ClassVar[bool] = False
    """whether a transaction within another is a savepoint, which waits for the locks of others"""
    rows_hidden: ClassVar[str] = ""
    """what the engine says where row security would hide rows of a statement that is to see all"""
    parted: ClassVar[tuple[str, ...]] = ()
    """what the engine says where another transaction is to blame, and the same statement may work in a moment"""
    latest: ClassVar[str] = ""
    """what follows a query that must see what others committed after this transaction began"""
    for_update: ClassVar[str] = ""
    """the clause that makes a query wait for others that are changing its rows, and then read the changed rows"""
    collates: ClassVar[bool] = False
    """whether = may take texts for equal that have other bytes, as most collations do"""
    argument: ClassVar[str] = ""
    """how the body of a scalar function names its argument; empty without such functions"""
    casts_returned: ClassVar[bool] = False
    """whether a scalar function casts its result to the type that it returns, so that its body names no type"""
    functions_hold_queries: ClassVar[bool] = True
    """whether the body of a scalar function may hold a query; otherwise it is an expression"""
    no_functions: ClassVar[str] = ""
    """why a scalar function of the engine cannot be a projection, as the end of a sentence; empty without functions"""
    copying_database: ClassVar[str] = ""
    """the statement that copies all of a database into another, where the engine has functions to copy so"""
    keeping_view: ClassVar[str] = ""
    """the statement that makes a view {name} of a {query}, refreshed within {lag} by {warehouse}; empty: none"""
    views_see_inserts: ClassVar[bool] = False
    """whether a materialized view computes the rows of each INSERT alone, and sees no change or removal of rows"""
    view_noun: ClassVar[str] = "MATERIALIZED VIEW"
    """what a view of `keeping_view` is called where it is dropped or renamed"""
    stores_views: ClassVar[bool] = True
    """whether such a view stores its rows; otherwise it computes them when it is read"""
    renames_views: ClassVar[bool] = False
    """whether such a view can be renamed"""

    begins: ClassVar[str] = "BEGIN"
    """the statement that begins a writing transaction"""
    committing_query: ClassVar[str] = ""
    """the query of whether a statement outside a transaction is committed, where the server tells"""
    commits: ClassVar[str] = "COMMIT"
    """the statement that commits a transaction"""
    rolls_back: ClassVar[str] = "ROLLBACK"
    """the statement that rolls back a transaction"""
    renaming_setting: ClassVar[str] = ""
    """the setting that must be ON while tables are renamed"""
    replaces_rows: ClassVar[str] = "delete+insert"
    """the strategy of dbt that puts all rows with a key in the place of old ones"""
    remedies: ClassVar[Mapping[str, str]] = {}
    """what to do about an error of the engine, by words of its message"""
    uncounted: ClassVar[str] = ""
    """the text of the engine's error for a table that keeps no count of its rows"""

    restricted_query: ClassVar[str] = ""
    """the query of why a session may make no temporary table, or no setting of its queries, with the remedy; NULL or no
    row if it may"""

    listing: ClassVar[str] = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
    """the query of the names of the tables of the current schema"""
    functions: ClassVar[str] = ""
    """the query of the names of the existing functions, where no catalogue lists those that search"""
