"""Questions to an engine without a file in this package: each answer is compared with the exact one.

Key differences from the standard: none is assumed where it can be asked. No question writes, and none needs a table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import field
from time import monotonic
from typing import Any, TypeVar

from sqlrp._core.errors import shorten
from sqlrp._core.values import dataclass

Rows = Sequence[Sequence[Any]]
Found = TypeVar("Found")

FUNCTIONS: Mapping[str, tuple[tuple[str, ...], str, float]] = {
    "sqrt": (("sqrt({x})",), "2e0", math.sqrt(2)),
    "exp": (("exp({x})",), "1e0", math.e),
    "ln": (("ln({x})", "log({x})"), "10e0", math.log(10)),
    "cos": (("cos({x})",), "1e0", math.cos(1)),
    "floor": (("floor({x})",), "-1.5e0", -2.0),
    "abs": (("abs({x})",), "-1.5e0", 1.5),
}
"""The phrases of each function, a number, and the exact value at it."""
_NULL = "CASE WHEN 1 = 0 THEN 1 END"
CONSTANTS = ("", " FROM RDB$DATABASE", " FROM dual", " FROM SYSIBM.SYSDUMMY1", " FROM (VALUES (0)) AS one(d)")
REMAINDERS = ("MOD({a}, {b})", "({a} % {b})", "CAST(({a} % {b}) AS BIGINT)", "CAST(MOD({a}, {b}) AS BIGINT)")
"""The last ones are for engines whose remainder has the type of the divisor, so that its products run over."""
WRITTEN_OUT = "({a} = {b} OR ({a} IS NULL AND {b} IS NULL))"
"""The equality for which NULL equals NULL, where no operator is right."""
EQUALITIES = ("({a} IS NOT DISTINCT FROM {b})",)
GREATEST = ("greatest({x})", "maxvalue({x})", "max({x})")
LIMITS = ("{query} LIMIT {rows}", "{query} FETCH FIRST {rows} ROWS ONLY", "SELECT TOP {rows} * FROM ({query}) first")
CROSSED = "CROSS JOIN"
RELATIONS = ("WITH", "windows (OVER)", CROSSED, "JOIN", "exact remainder")
"""What the relational lowering needs, in the order in which it is asked."""
_LONG = "1.2345678901234567e0"
"""A number with all digits of a double."""
_DOUBLINGS = 8
"""The length of the chain: Firebird holds 256 tables in a statement, and an engine that computes them is done soon."""
_CHAINS, _NOTABLE, _PLAIN, _LATE = (2, 4, 5), 0.1, 10, 2.0
"""The lengths of short chains, the seconds below which nothing is said of a longer one, how many times the seconds of
the shortest leave no doubt, and the seconds of the chain that is asked last which leave none."""
SIZES: Mapping[str, int] = {"columns": 1000, "terms": 5000, "levels": 16, "characters": 250_000}
"""The largest sizes of a statement that are asked."""
_HALVES, _CHAIN, _LEVELS = 5, 25, range(4, SIZES["levels"] + 1, 2)
"""How many halves of a size are asked at most, the terms of one sum, and the levels that are asked in turn: in small
steps, so that an engine which takes twice as long for each is found to be slow before it takes minutes."""
RANDOM = ("rand()", "random()")
"""The names of the function that draws a number."""
_TWICE = "SELECT p.x - q.x AS d FROM a p CROSS JOIN a q"
MATERIALIZED = "MATERIALIZED "
MERGED = 9
"""The most common table expressions of a statement where they are merged: products take minutes there."""
_MIXES = "typeof('a') = 'text' AND typeof(1) = 'integer' AND typeof(0.5e0) = 'real'"
_DECIMALS = "0.1e0 + 0.2e0 = 0.3e0"
"""What is right of decimals, and wrong of 64-bit floats."""
NO_ANSWER = "answers no question, not even SELECT 1"
_REFUSES = "does not run"
_PRIME = 2**31 - 1
_NEAR = 1e-14
"""The relative error of a right answer: a driver may pass a number on as 15 digits."""


@dataclass(frozen=True)
class Answers:
    """What an engine answered, or what is known of it. A phrase is empty if it has none, or computes it wrongly.

    The phrases have `{x}`, or `{a}` and `{b}`, where the operands stand; that of `limit` has `{query}` and `{rows}`.
    """

    constants: str = ""
    """the text after a SELECT that reads no table"""
    double: str = ""
    """the cast to a 64-bit float"""
    single: str = ""
    """the cast to a 32-bit float"""
    whole: str = ""
    """the cast to a 64-bit integer"""
    remainder: str = ""
    """the remainder of a division, exact to 63 bits"""
    same: str = ""
    """the equality for which NULL equals NULL"""
    greatest: str = ""
    """the greatest of several numbers"""
    limit: str = ""
    """the first rows of a query"""
    functions: Mapping[str, str] = field(default_factory=dict)
    """the phrases of the functions of `FUNCTIONS`"""
    relations: str = ""
    """what the relational lowering needs and the engine lacks; empty if it has all"""
    using: bool = True
    """whether JOIN … USING is known, and names its column without a table"""
    exists: bool = True
    """whether NOT EXISTS may compare rows by `same`"""
    mixes: bool = False
    """whether types belong to values, as in SQLite and its relatives, so that a column of numbers may hold texts"""
    orders: bool = True
    """whether the first rows may be those of an order"""
    decimals: bool = field(default=False, compare=False)
    """whether 0.5e0 is a decimal, so that it is cast to a 64-bit float"""
    materialized: str = ""
    """the word with which a common table expression is computed once, where that needs one"""
    merges: bool = False
    """whether a common table expression is merged into each of its uses in any case, so that those of a chain double"""
    columns: int = field(default=0, compare=False)
    """how many columns of a result the engine takes, up to `SIZES`; 0 if that was not asked"""
    terms: int = field(default=0, compare=False)
    """how many numbers one statement may add, likewise"""
    levels: int = field(default=0, compare=False)
    """how many subqueries may stand within each other, likewise"""
    characters: int = field(default=0, compare=False)
    """how many characters a statement may have, likewise"""
    wrong: tuple[str, ...] = ()
    """what every text needs and the engine computes wrongly or refuses: sentences of which the engine is the subject"""
    statements: int = field(default=0, compare=False)
    """how many questions were asked"""
    origin: str = field(default="", compare=False)
    """the file in which the answers stood; empty if the engine was asked now"""


Asking = Generator[str, "Rows | None", Answers | None]


def asked_all(asking: Generator[str, Rows | None, Found], answer: Callable[[str], Rows | None]) -> Found:
    """What comes of all questions, each of which may depend on the answers before."""
    try:
        sql = next(asking)
        while True:
            sql = asking.send(answer(sql))
    except StopIteration as done:
        found: Found = done.value
        return found


@dataclass
class _Asker:
    """Asks, and counts. What is sent is the rows of a question; None if the engine refuses it."""

    count: int = 0
    wrong: list[str] = field(default_factory=list)

    def holds(self, sql: str, expected: Rows, needed: bool = False) -> Generator[str, Rows | None, bool]:
        """Whether the rows are the expected ones. `needed`: anything else is a reason to refuse the engine."""
        self.count += 1
        found = yield sql
        if found is not None and _equal(found, expected):
            return True
        if needed:
            self.wrong.append(_told(sql, found, expected))
        return False

    def first(
        self, phrases: Iterable[str], sql: Callable[[str], str], expected: Rows, needed: bool = False
    ) -> Generator[str, Rows | None, str]:
        """The first phrase with which the engine is right; empty if there is none."""
        before = len(self.wrong)
        for phrase in dict.fromkeys(filter(None, phrases)):
            if (yield from self.holds(sql(phrase), expected, needed)):
                del self.wrong[before:]
                return phrase
        return ""


def _told(sql: str, found: Rows | None, expected: Rows) -> str:
    """A wrong answer in words, of which the engine is the subject. `found`: the rows; None if the engine refuses it."""
    if found is None:
        return f"{_REFUSES} {shorten(sql)}, and every text of sqlrp has such parts"
    gives, right = (", ".join(str(tuple(row)) for row in rows) for rows in (found, expected))
    return f"computes wrongly: {shorten(sql)} gives {gives[:200]}, and right is {right}"


def questions(own: Answers, name: str) -> Asking:
    """Yield one question after the other, take its rows, and return the answers; None if no constant can be read.

    `own`: the phrases that are asked first. `name`: `a B` in quotes.
    """
    ask = _Asker()
    for constants in dict.fromkeys((own.constants, *CONSTANTS)):
        if (yield from ask.holds(f"SELECT 1 AS x{constants}", [(1,)])):
            break
    else:
        return None

    def casts(number: str, then: str) -> Callable[[str], str]:
        def sql(cast: str) -> str:
            one, three, none = (cast.replace("{x}", x) for x in (number, "3", _NULL))
            return f"SELECT {then.format(one=one, three=three)} AS x, {none} AS y{constants}"

        return sql

    doubles = (own.double, *(f"CAST({{x}} AS {name})" for name in ("DOUBLE PRECISION", "DOUBLE", "FLOAT")))
    double = yield from ask.first(doubles, casts(_LONG, "{one} * {three}"), [(float(_LONG) * 3, None)], needed=True)
    wholes = (own.whole, *(f"CAST({{x}} AS {name})" for name in ("BIGINT", "INTEGER")))
    whole = yield from ask.first(wholes, casts(str(2**62), "{one} + {three}"), [(2**62 + 3, None)], needed=True)
    if not double or not whole:
        return Answers(wrong=_worst(ask.wrong))
    real = double.replace("{x}", "{one}")
    singles = (own.single, "CAST({x} AS REAL)", "CAST({x} AS FLOAT)")
    single = yield from ask.first(singles, casts("0.1e0", real), [(0.10000000149011612, None)])
    phrases = yield from _phrases(ask, own, constants, double, whole)
    yield from _needed(ask, constants, double, name)
    relations = yield from _relations(ask, constants, double, phrases["remainder"])
    decimals = not (yield from ask.holds(f"SELECT CASE WHEN {_DECIMALS} THEN 1 ELSE 0 END AS x{constants}", [(0,)]))
    using = not relations and (yield from ask.holds(_joined(constants, "USING (x)"), [(2, 5)]))
    mixes = yield from ask.holds(f"SELECT CASE WHEN {_MIXES} THEN 1 END AS x{constants}", [(1,)])
    exists = yield from ask.holds(_anti_join(constants, phrases["same"] or WRITTEN_OUT), [(1,)])
    materialized, merges = ("", False) if relations else (yield from _computed_once(ask, own, constants))
    limited = f"SELECT x FROM ({_rows(constants, '1 AS x', '1 AS x', '1 AS x')}) s"
    limit = yield from ask.first(
        (own.limit, *LIMITS), lambda p: p.replace("{rows}", "2").replace("{query}", limited), [(1,), (1,)]
    )
    ordered = f"SELECT x FROM ({_rows(constants, '10 AS x', '9 AS x', '2 AS x')}) s ORDER BY x"
    least = limit.replace("{rows}", "2").replace("{query}", ordered)
    orders = bool(limit) and (yield from ask.holds(least, [(2,), (9,)]))
    functions = yield from _functions(ask, own, constants, double)
    sizes = yield from _sizes(ask, constants)
    return Answers(
        constants=constants,
        double=double,
        single=single,
        whole=whole,
        limit=limit,
        orders=orders,
        functions=functions,
        relations=relations,
        using=using,
        exists=exists,
        mixes=mixes,
        decimals=decimals,
        materialized=materialized,
        merges=merges,
        wrong=_worst(ask.wrong),
        statements=ask.count,
        columns=sizes["columns"],
        terms=sizes["terms"],
        levels=sizes["levels"],
        characters=sizes["characters"],
        **phrases,
    )


def _phrases(
    ask: _Asker, own: Answers, constants: str, double: str, whole: str
) -> Generator[str, Rows | None, dict[str, str]]:
    """The remainder, the equality and the greatest number."""
    large = 2**62 - 3  # whose remainder is _PRIME - 2
    a, b = whole.replace("{x}", str(large)), str(_PRIME)
    remainder = yield from ask.first(
        (own.remainder, *REMAINDERS),
        lambda p: f"SELECT {p.replace('{a}', a).replace('{b}', b)} * {_PRIME} AS x{constants}",
        [(large % _PRIME * _PRIME,)],
    )
    rows = " UNION ALL ".join(
        f"SELECT {double.replace('{x}', x)} AS x, {double.replace('{x}', y)} AS y{constants}"
        for x, y in (("1", "1"), ("1", "2"), ("1", _NULL), (_NULL, _NULL))
    )
    same = yield from ask.first(
        (own.same, *EQUALITIES),
        lambda p: f"SELECT COUNT(*) AS n FROM ({rows}) s WHERE {p.replace('{a}', 's.x').replace('{b}', 's.y')}",
        [(2,)],
    )
    three = ", ".join(_read(double, "1", "3", "2"))
    greatest = yield from ask.first(
        (own.greatest, *GREATEST), lambda p: f"SELECT {p.replace('{x}', three)} AS x{constants}", [(3,)]
    )
    return {"remainder": remainder, "same": same, "greatest": greatest}


def _read(cast: str, *numbers: str) -> list[str]:
    return [cast.replace("{x}", number) for number in numbers]


def _worst(wrong: Sequence[str]) -> tuple[str, ...]:
    """Wrong numbers first, and then what is refused."""
    return tuple(sorted(wrong, key=lambda told: told.startswith(_REFUSES)))


def _needed(ask: _Asker, constants: str, double: str, name: str) -> Generator[str, Rows | None, None]:
    """What every text needs: names in quotes, sums, products, cases, and NULL, which a sum keeps."""
    named = f"SELECT {name} + 1 AS x FROM (SELECT 1 AS {name}{constants}) t"
    yield from ask.holds(named, [(2,)], needed=True)  # some engines read a text in these quotes

    def table(*rows: Sequence[str]) -> str:
        return f"({_rows(constants, *('{} AS x, {} AS y'.format(*_read(double, *row)) for row in rows))}) t"

    one = table(("1.1e0", "3e0"))
    sums = "x + y AS a, x - y AS b, x * y AS c, (-(x + y)) AS d, x - 0.0e0 - 0.1e0 AS e"
    yield from ask.holds(f"SELECT {sums} FROM {one}", [(4.1, 1.1 - 3, 1.1 * 3, -4.1, 1.0)], needed=True)
    inner = (
        f"SELECT CASE WHEN (x IS NOT NULL AND y IS NOT NULL) THEN 0.5e0 END AS ok, (x-(y+x)) AS v, x*y AS w FROM {one}"
    )
    written = f"SELECT ok*(v-(w+v)) AS a, ok*-v AS b, -(v+w)+ok AS c, ok*(v*w-w) AS d FROM ({inner}) s"
    v, w = 1.1 - 4.1, 1.1 * 3  # without spaces, as sqlrp writes sums
    yield from ask.holds(written, [(-0.5 * w, -0.5 * v, 0.5 - v - w, 0.5 * (v * w - w))], needed=True)
    cases = (
        "CASE WHEN x < 2 THEN 1 WHEN x <= 2 THEN 2 ELSE 3 END AS a, CASE WHEN (-(x+y)) <= 0 THEN 0 ELSE 4 END AS b, "
        "CASE WHEN (x IS NOT NULL AND y IS NOT NULL) THEN 5 END AS c, CASE WHEN x > 8 THEN 6 END AS d, "
        "x + y AS e, coalesce(y, 0.0e0) AS f, CASE WHEN x <> 2 THEN 7 ELSE 0 END AS g, "
        "CASE WHEN x IN (2, 3) THEN 8 ELSE 0 END AS h"
    )
    three = table(("-1e0", "-2e0"), ("2e0", "1e0"), ("8e0", _NULL))
    right = [(1, 4, 5, None, -3, -2, 7, 0), (2, 0, 5, None, 3, 1, 0, 8), (3, 4, None, None, None, 0, 7, 0)]
    yield from ask.holds(f"SELECT {cases} FROM {three}", right, needed=True)
    sums = "SUM(x) AS s, COUNT(*) AS n, MIN(x) AS l, MAX(x) AS m, AVG(x) AS a"
    groups = [(0, 0.125, 1, 0.125, 0.125, 0.125), (1, 0.5, 3, 0.1, 0.3, 0.5 / 3), (None, 0.25, 1, 0.25, 0.25, 0.25)]
    yield from ask.holds(f"SELECT y AS g, {sums} FROM {table(*_PAIRS)} GROUP BY y", groups, needed=True)


_PAIRS = (("0.1e0", "1"), ("0.1e0", "1"), ("0.3e0", "1"), ("0.25e0", _NULL), ("0.125e0", "0"))


def _relations(ask: _Asker, constants: str, double: str, remainder: str) -> Generator[str, Rows | None, str]:
    """What the relational lowering needs and the engine lacks; empty if it has all."""
    pair = _rows(constants, "2 AS x", "1 AS x")  # in no order of x, which a window has to make
    questions: list[tuple[str, Rows]] = [
        (f"WITH a AS ({pair}), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM a JOIN b ON b.y = a.x", [(2,)]),
        (
            f"SELECT x, row_number() OVER (ORDER BY x) AS n, SUM(x*x) OVER (PARTITION BY x) AS s FROM ({pair}) s",
            [(1, 1, 1), (2, 2, 4)],
        ),
        (f"SELECT a.x AS a, b.x AS b FROM ({pair}) a CROSS JOIN ({pair}) b", [(1, 1), (1, 2), (2, 1), (2, 2)]),
        (_joined(constants, "ON b.x = a.x"), [(2, 5)]),
    ]
    for lacks, (sql, right) in zip(RELATIONS, questions, strict=False):
        if not (yield from ask.holds(sql, right)):
            return lacks
    return "" if remainder else RELATIONS[-1]


def _sizes(ask: _Asker, constants: str) -> Generator[str, Rows | None, dict[str, int]]:
    """How large a statement may be: of each of `SIZES` the first half of it that the engine takes.

    Levels are asked upwards: H2 takes twice as long, and as much memory, for each.
    """
    found = {}
    for name, most in SIZES.items():
        if name == "levels":
            found[name] = yield from _levels(ask, constants)
            continue
        found[name] = most >> _HALVES
        for size in (most >> i for i in range(_HALVES)):
            sql, right = _sized(name, size, constants)
            if (yield from ask.holds(sql, [right])):
                found[name] = size
                break
    return found


def _levels(ask: _Asker, constants: str) -> Generator[str, Rows | None, int]:
    """How many subqueries may stand within each other, without taking much longer than a few do."""
    most, first = 1, 0.0
    for size in _LEVELS:
        sql, right = _sized("levels", size, constants)
        holds, seconds = yield from _timed(ask, sql, right)
        if not holds:
            break
        most, first = size, first or seconds
        much = max(_NOTABLE / 10, 3 * first)  # most of `first` is the way to a server that is far
        # The less of two times counts, as a busy server may take long for any statement.
        if seconds > much and (yield from _timed(ask, sql, right))[1] > much:
            break
    return most


def _timed(ask: _Asker, sql: str, row: tuple[int, ...]) -> Generator[str, Rows | None, tuple[bool, float]]:
    """Whether the one row of a query is right, and the seconds that the engine takes for it."""
    began = monotonic()
    holds = yield from ask.holds(sql, [row])
    return holds, monotonic() - began


def _sized(name: str, size: int, constants: str) -> tuple[str, tuple[int, ...]]:
    """A query of that size, and its one row. Sums stand in brackets, as sqlrp writes them."""
    if name == "columns":
        return f"SELECT {', '.join(f'{i} AS c{i}' for i in range(size))}{constants}", tuple(range(size))
    one = f"(SELECT 1 AS x{constants}) t"
    if name == "terms":
        sums = ["(" + "+".join(["x"] * _CHAIN) + ")"] * (size // _CHAIN)
        return f"SELECT {', '.join(f'{each} AS c{i}' for i, each in enumerate(sums))} FROM {one}", (_CHAIN,) * len(sums)
    if name == "levels":
        for i in range(size):
            one = f"(SELECT x + 1 AS x FROM {one}) t{i}"
        return f"SELECT x FROM {one}", (size + 1,)
    query = f"SELECT x FROM {one} WHERE x"
    return f"{query}{' ' * (size - len(query) - 4)}= 1", (1,)


def _joined(constants: str, by: str) -> str:
    """A join of two tables that have a column x."""
    x = "x" if by.startswith("USING") else "a.x AS x"
    both = f"({_rows(constants, '1 AS x', '2 AS x')}) a JOIN (SELECT 2 AS x, 5 AS y{constants}) b {by}"
    return f"SELECT {x}, y FROM {both}"


def _rows(constants: str, *rows: str) -> str:
    """A query of rows, each of which has the names: Derby takes no others for those of a UNION."""
    return " UNION ALL ".join(f"SELECT {row}{constants}" for row in rows)


def _computed_once(ask: _Asker, own: Answers, constants: str) -> Generator[str, Rows | None, tuple[str, bool]]:
    """The word with which a common table expression is computed once, and whether none is in any case.

    H2 takes seconds for a chain that Firebird refuses, so it is asked last, where a short one does not take longer.
    """
    if not (yield from _drawn_once(ask, constants)) and (yield from _grows(ask, constants)):
        return "", True
    for word in dict.fromkeys((own.materialized, "", MATERIALIZED)):
        holds, seconds = yield from _timed(ask, _doubling(constants, _DOUBLINGS, word), (2**_DOUBLINGS,))
        if holds:
            return ("", True) if seconds > _LATE else (word, False)
    return "", True


def _drawn_once(ask: _Asker, constants: str) -> Generator[str, Rows | None, bool]:
    """Whether a random number is the same in both uses of a common table expression."""
    for drawn in RANDOM:
        ask.count += 1
        found = yield f"WITH a AS (SELECT {drawn} AS x{constants}) {_TWICE}"
        if found is not None:
            return _equal(found, [(0,)])
    return False


def _grows(ask: _Asker, constants: str) -> Generator[str, Rows | None, bool]:
    """Whether a chain takes so much longer than a shorter one that each use is planned or computed again.

    The less of two times counts: an engine that has just started takes longer for its first statement. H2 spends most
    of a probe on the longest chain, which is left out where a shorter one leaves no doubt.
    """

    def timed(doublings: int) -> Generator[str, Rows | None, float]:
        _, seconds = yield from _timed(ask, _doubling(constants, doublings), (2**doublings,))
        return seconds

    first, *longer = _CHAINS
    seconds = yield from timed(first)
    short = min(seconds, (yield from timed(first)))
    for doublings in longer:
        seconds = yield from timed(doublings)
        if seconds > max(_NOTABLE, _PLAIN * short):
            return True
    if seconds > _NOTABLE:
        seconds = min(seconds, (yield from timed(longer[-1])))
    return seconds > max(_NOTABLE, 3 * short)


def _anti_join(constants: str, same: str) -> str:
    """The rows that another table has not."""
    there = f"SELECT 1 AS d FROM (SELECT 2 AS y{constants}) k WHERE {same.replace('{a}', 'k.y').replace('{b}', 's.x')}"
    return f"SELECT x FROM ({_rows(constants, '1 AS x', '2 AS x')}) s WHERE NOT EXISTS ({there})"


def _doubling(constants: str, doublings: int, materialized: str = "") -> str:
    """A number that is doubled by each of a chain of common table expressions."""
    doubled = "SELECT p.x + q.x AS x FROM a{0} p CROSS JOIN a{0} q"
    queries = [f"SELECT 1 AS x{constants}", *map(doubled.format, range(doublings))]
    chain = [f"a{i} AS {materialized}({query})" for i, query in enumerate(queries)]
    return f"WITH {', '.join(chain)} SELECT x FROM a{doublings}"


def _functions(ask: _Asker, own: Answers, constants: str, double: str) -> Generator[str, Rows | None, dict[str, str]]:
    """The functions of numbers: all at once, and each alone if that fails."""
    first = {name: own.functions.get(name, phrases[0]) for name, (phrases, _, _) in FUNCTIONS.items()}

    def called(name: str, phrase: str) -> str:
        return f"{phrase.replace('{x}', double.replace('{x}', FUNCTIONS[name][1]))} AS x{name}"

    together = ", ".join(called(name, phrase) for name, phrase in first.items())
    if (yield from ask.holds(f"SELECT {together}{constants}", [[right for _, _, right in FUNCTIONS.values()]])):
        return first
    found: dict[str, str] = {}
    for name, (phrases, _, right) in FUNCTIONS.items():

        def alone(phrase: str, name: str = name) -> str:
            return f"SELECT {called(name, phrase)}{constants}"

        phrase = yield from ask.first((own.functions.get(name, ""), *phrases), alone, [(right,)])
        found |= {name: phrase} if phrase else {}
    return found


def _equal(found: Rows, expected: Rows) -> bool:
    """Whether rows are the same, in any order."""
    if len(found) != len(expected) or any(len(row) != len(expected[0]) for row in found):
        return False
    try:
        rows = sorted(found, key=lambda row: [(cell is None, float(cell or 0)) for cell in row])
        return all(_near(a, b) for x, y in zip(rows, expected, strict=True) for a, b in zip(x, y, strict=True))
    except (TypeError, ValueError, ArithmeticError):  # a text or another object where a number was asked
        return False


def _near(found: Any, right: float | None) -> bool:
    if found is None or right is None:
        return found is right
    if isinstance(right, int):
        return int(found) == right and found == int(found)
    return abs(float(found) - right) <= _NEAR * max(1.0, abs(right))
