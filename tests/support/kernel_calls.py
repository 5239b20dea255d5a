"""Calls of the SQL functions with and without DuckDB's extension sqlrp, for any version of DuckDB.

`python kernel_calls.py EXTENSION` compares the roads and prints how many calls agreed; `… parts 0 2` takes two of the
four parts of the calls, 0 to 3. `… fuzz SEED COUNT` gives the kernel's functions random programs and chunks, and prints
how many ran and how many were refused.
"""

from __future__ import annotations

import math
import random
import re
import struct
import sys
from typing import Any

import duckdb

THOUSANDS = "FROM range(2100)"  # two vectors
SOURCES = {
    "floats": "SELECT range AS id, sin(range)::FLOAT AS a, cos(range)::FLOAT AS b, (range % 7 - 3)::FLOAT AS c, "
    f"1.5::FLOAT AS d {THOUSANDS}",
    "doubles": "SELECT range AS id, sin(range) AS a, CASE WHEN range % 5 <> 0 THEN cos(range) END AS b, "
    f"range % 3 AS c, 2e0 AS d {THOUSANDS}",
    "bytes": "SELECT range AS id, (range % 200)::UTINYINT AS a, (range % 7)::UTINYINT AS b, "
    f"(range % 11)::SMALLINT AS c, range % 2 = 0 AS d {THOUSANDS}",
    "integers": "SELECT range AS id, range * 1000003 AS a, -range AS b, "
    f"CASE WHEN range % 7 <> 0 THEN range END AS c, range % 13 AS d {THOUSANDS}",
    "special": "SELECT range AS id, CASE range % 4 WHEN 0 THEN 'NaN' WHEN 1 THEN 'inf' ELSE '1' END::DOUBLE AS a, "
    "1e0 AS b, 1e300 AS c, 0e0 AS d FROM range(9)",
    "none": "SELECT id, a, b, c, d FROM floats WHERE id < 0",
    "arrays": "SELECT id, CASE WHEN id % 9 <> 0 THEN [a, b, c, d] END::FLOAT[4] AS e FROM floats",
    "lists": "SELECT id, CASE WHEN id % 9 <> 0 THEN list_reverse([a, CASE WHEN id % 4 <> 0 THEN b END, c, d]) END AS e "
    "FROM floats",
    "slices": "SELECT id, [a, b, c, d, a][2:] AS e FROM doubles WHERE b IS NOT NULL",
    "cells": "SELECT nullif(range // 8, 5) AS id, nullif(range * 5 % 18 // 3 * 3, 9) AS feature, "
    "nullif(range % 7 - 3, -2) / 8 AS value FROM range(300)",
    "counts": "SELECT id, feature, CAST(value * 8 AS SMALLINT) AS value FROM cells WHERE value IS NOT NULL",
}
MORE = dict.fromkeys(("arrays", "lists", "slices"), ", array_column := 'e', n_features := 4") | dict.fromkeys(
    ("cells", "counts"), ", feature := 'feature', value := 'value', n_features := 18"
)
"""The arguments of sources that are not wide."""
REFUSED = "the extension leaves this call to SQL"
"""How a call begins to be refused that plain SQL does."""
CALLS = (
    "rp_project(@, k := 5, seed := 7)",
    "rp_project(@, k := 5, s := 1, scale := false)",
    "rp_project(@, k := 70, s := 1, output := 'bits')",
    "pk_project(@, k := 6, degree := 3, t := 2, c := 1)",
    *("fht_project(@, k := 5)", "cw_project(@, k := 8)", "ts_project(@, k := 8)", "rm_project(@, k := 5)"),
    *("d2pk_project(@, k := 4)", "rs_project(@, k := 2)", "ep_project(@, k := 14)", "rff_project(@, k := 5)"),
)


def value(x: Any, y: Any) -> bool:
    """Whether two results are the same, floats to the last digits of 32 bits."""
    if x is None or y is None or isinstance(x, bool | str):
        return x is y or x == y
    if isinstance(x, list | tuple):
        return len(x) == len(y) and all(map(value, x, y))
    if isinstance(x, int):
        return type(y) is int and x == y
    return (math.isnan(x) and math.isnan(y)) or x == y or math.isclose(x, y, rel_tol=2e-4, abs_tol=2e-4)


def answer(con: Any, query: str) -> Any:
    """The rows and types, or the first line of the error."""
    try:
        found = con.execute(query)
        long = "component" in [column[0] for column in found.description]
        rows = sorted(found.fetchall(), key=lambda row: tuple(map(str, row[: 1 + long])))
        return [str(column[1]) for column in found.description], rows
    except duckdb.Error as error:
        return str(error).partition("\n")[0]


def compared(con: Any, parts: tuple[int, ...]) -> int:
    """Compare the native road with SQL alone for every call of the parts, of four; the number of those that ran.

    A part has every call with two sources or three, and every source with three calls. The parts 0 and 2 together have
    every source with every treatment of NULL and every output.
    """
    ran = 0
    for at, source in enumerate(SOURCES):
        for i, call in enumerate(CALLS):
            if (at + i + i // 4) % 4 not in parts:
                continue
            nulls, output = ("propagate", "zero", "error")[i % 3], ("columns", "array", "long", "vector")[i % 4]
            query = f"FROM {call.replace('@', repr(source) + MORE.get(source, ''))[:-1]}, nulls := '{nulls}'"
            query += "" if "output" in call else f", output := '{output}'"
            native, alone = (answer(con, f"{query}, lowering := '{road}')") for road in ("native", "sql"))
            if isinstance(native, str) or isinstance(alone, str):
                same = isinstance(native, str) and isinstance(alone, str) and native.startswith(alone)
                assert same or REFUSED in native, (query, native, alone)
                continue
            assert native[0] == alone[0], (query, native[0], alone[0])
            assert len(native[1]) == len(alone[1]), query
            for x, y in zip(native[1], alone[1], strict=True):
                assert value(x, y), (query, x, y)
            ran += 1
    return ran


def _program(kind: str, operation: int, *parts: tuple[str, tuple[float, ...]], count: int = 1) -> bytes:
    """A program over four entries, as native/sqlrp.h says. A part: how its numbers are packed, and they."""
    found = struct.pack("<5q", FORMAT, 4, TYPES[kind], count, operation)
    for size, numbers in parts:
        packed = struct.pack(f"<{len(numbers)}{size}", *numbers)
        found += packed + bytes(-len(packed) % 8)
    return found


def _sums(operation: int, ends: tuple[int, ...], *parts: tuple[str, tuple[float, ...]], based: bool = True) -> bytes:
    """Sums of as many terms each as from one end to the next. Signs begin with where each takes some away."""
    m, base = len(ends) - 1, [("d", (0,) * (len(ends) - 1))] if based else []
    before, after = (parts[:1], parts[1:]) if operation == SUMS else ((), parts)
    head = () if based else (("q", (2, len(parts) - 1)),)
    return _program("DOUBLE", operation, *head, ("q", (m, ends[-1], *ends)), *before, *base, *after)


FORMAT, TYPES = 3, {"DOUBLE": 0, "BIGINT": 8}
SUMS, WEIGHTED, PRODUCTS, BUTTERFLY, PICK, CONVOLVE, APPEND, REFLECT, RESCALE, POWER, ROOT, NORM, CAST, UNITS = range(
    1, 15
)
FACTORS = ("i", (0, 1, 2, -1, 3, 0))
CODES = (
    _sums(SUMS, (0, 2, 4, 4), ("q", (1, 3, 4)), ("i", (0, 1, 2, 3))),
    _sums(WEIGHTED, (0, 2, 3), ("d", (0.5, 2, 3)), ("i", (0, 1, 3))),
    _sums(WEIGHTED, (0, 2, 4, 6, 8), ("d", (1, 2, 3, 4, 5, 6, 7, 8)), ("i", (0, 2) * 4)),
    _sums(WEIGHTED, (0, 4, 8), ("d", (1, 2, 3, 4, 0, 0.5, -1, 2)), ("i", (0, 1, 2, 3) * 2)),
    _sums(PRODUCTS, (0, 2, 2, 3), FACTORS, based=False),
    _sums(PRODUCTS, (0, 2, 2, 3), ("d", (1, 2, 3)), FACTORS, based=False),
    _program("DOUBLE", POWER, ("d", (0.5,)), ("q", (3,))),
    _program(
        "DOUBLE",
        BUTTERFLY,
        ("q", (4, 4)),
        ("i", (0, 1, 2, 3)),
        ("b", (1, -1, 1, 1)),
        ("q", (PICK, 3)),
        ("i", (0, 3, 3)),
        count=2,
    ),
    _program("DOUBLE", RESCALE, ("d", (1, 2, 3, 4, 1, 1, 0.5, 2))),
    _program("DOUBLE", REFLECT, ("d", (4,)), ("q", (2,)), ("i", (0, 3))),
    _program("DOUBLE", CONVOLVE, ("q", (2, 2))),
    _program("DOUBLE", ROOT),
    _program("DOUBLE", NORM),
    _program("BIGINT", SUMS, ("q", (2, 4, 0, 2, 4, 1, 3, 0, 0)), ("i", (0, 1, 2, 3))),
    _program("BIGINT", UNITS, ("q", (2,))),
)
"""Programs of each operation. Those of drawn signs and weights are written by sqlrp_program."""
DRAWN = ("DOUBLE 4 (signs 1 2.0 7 0)", "DOUBLE 3 (append 1.0)(normals 1 7 7)")
OPEN = ("DOUBLE 0 (open (signs 4 2.0 7 0))", "DOUBLE 0 (open (blocks 2 1 7 2))")
CHUNKS = (
    *("a, b, c, d", "[a, b, c, d]", "[a, b, c, d]::DOUBLE[4]", "CASE WHEN id % 3 = 0 THEN [a, b, NULL, d] END", "a"),
    *("NULL", "'x'", "[]::DOUBLE[]", "CASE WHEN id % 2 = 0 THEN [a] ELSE [a, b, c, d] END", "1e0, b, 3, NULL::DOUBLE"),
    *("list_slice([b, a, b, c, d], 2, 5)", "[a, b]::DOUBLE[2]", "[[a], [b]]", "id::HUGEINT, 1, 2, 3"),
    "list_filter([a, b, c, d], lambda x: x > 0)",
    *("[from_hex('00')], [id], [a]", "[1::HUGEINT], array_value(id), array_value(a)"),
    *("id::DECIMAL(9, 2), c::DECIMAL(4, 1), 9::DECIMAL(18, 3), 2::DECIMAL(2, 0)", "[a, b, c, d]::DECIMAL(9, 3)[4]"),
    *("id, 1::DECIMAL(20, 1), 2, 3", "'4 BIGINT of ', id, id, id, id", "'1 DECIMAL(4,1) of x', c::DECIMAL(4, 1)"),
)
CELLS = (
    *(("[0, 1, 2]", "[a, b, c]"), ("[0, NULL, 5, 0]", "[a, b, NULL, 2]"), ("[id % 3]", "[a]"), ("NULL", "[a]")),
    *(("[0, 1]", "[a]"), ("[]", "[]"), ("CASE WHEN id % 3 = 0 THEN [1, -1] END", "[a, b]"), ("[1, 2]", "[c, d]")),
    *((f"[1, {(1 << 63) - 1}]", "[a, b]"), ("[2, 1, 0][id % 3 :]", "[a, c, d][id % 3 :]")),
)
"""Lists of features and of values."""
ROWS = ("doubles", "doubles WHERE id % 2 = 0", "doubles ORDER BY id DESC", "doubles LIMIT 1", "doubles WHERE id < 0")
WORDS = (-1, 0, 1, 2, 3, 4, 8, 1 << 20, (1 << 31) - 1, 1 << 31, -(1 << 63))
PROGRAMS = (
    "DOUBLE 4 (signs 3 2.0 7 0)(products 2 1 1 (run (* @c 1) 2))",
    "FLOAT 4 (append 1.5)(signs 6 1 7 0)(dealt 6 5 2 2 7 1)",
    "BIGINT 4 (blocks 2 3 7 2)(cast DOUBLE)(convolve 6 0)",
    "DOUBLE 5 (split (signs 4 1.0 7 0) 2)(across (dealt 2 3 1 2 7 1) 2)",
    "DOUBLE 5 (split (blocks 2 3 7 1) 2)(picks 3 12 7 0 1)",
    "DOUBLE 3 (append 1.0)(fourier 4 0.5 7)(normals 2 7 7)",
    "DOUBLE 2 (products 4 1 1 (of (where (< @c 2) @c (- @c 2)) (where (< @c 2) -1 (- @c 2))))(squares 2 2 1.0 7 2)",
    "DOUBLE 4 (transform 6 4 7 'power_of_two' 1)(monomials 21 6 2)",
    "DOUBLE 4 (transform 6 4 7 'power_of_two' 0)(picks 2 6 7 1 0)",
    "FLOAT 12 (transform 4 12 7 'least' 0)(transform 6 4 7 'least' 1)",
    "DOUBLE 4 (given 4 0 1 3)(signs 2 1 7 0)",
    "DOUBLE 4 (given 4 0 2 4)",
    "DOUBLE 3 (given 4 1 1 4)",
    "BIGINT 4 (append 1500.0)(signs 6 1 7 0)(units 3)(dealt 6 5 2 2 7 1)",
    "DOUBLE 4 (turned 0 (signs 3 2.0 7 0))",
    "DOUBLE 5 (turned 1 (normals 2 7 7))",
    "DOUBLE 4 (turned 0 (transform 6 4 7 'power_of_two' 1))",
    "DOUBLE 4 (turned 0 (given 4 0 1 3))",
    "DOUBLE 0 (open (signs 4 2.0 7 0))",
    "DOUBLE 0 (open (blocks 2 1 7 2))",
)
"""What the extension draws programs from."""
EXTREMES = (0, -1, 1, 1 << 31, -(1 << 63))
"""Numbers at the ends of ranges, most of which are out of bounds."""
GIVEN = {
    "VARCHAR": (
        "doubles",
        "it's",
        'a"b',
        "a.b",
        ".",
        "",
        "sqrt",
        "columns",
        "auto",
        "sign",
        "array",
        "least",
        "(",
        "'",
    ),
    "INTEGER": ("0", "1", "2", "5", "64", "-1", "2147483647", "x", ""),
    "BIGINT": ("3", "9223372036854775807", "9007199254740992"),
    "BOOLEAN": ("true", "false", "TRUE", "1"),
    "DECIMAL(3,1)": ("1.5", "0.0", "-1.0", "1e999", "nan"),
    "DOUBLE": ("1.0", "inf", "2.5"),
    "VARCHAR[]": ("[]",),
    "": ("",),
}
"""The texts of arguments by their types."""
ARGUMENTS = (
    "'VARCHAR', 'doubles', 'INTEGER', '5', 'VARCHAR', 'sqrt', 'INTEGER', '7', 'VARCHAR', 'sign', 'VARCHAR', 'id', "
    "'\"NULL\"', NULL, '\"NULL\"', NULL, '\"NULL\"', NULL, '\"NULL\"', NULL, 'VARCHAR', 'columns', 'BOOLEAN', 'true', "
    "'VARCHAR', 'propagate', 'VARCHAR', 'auto', 'VARCHAR', 'auto'"
)
"""The arguments of rp_project."""
ESCAPES = ('"', "\\", "{", "}", "[", "]", "\\u00e9", "\\ud83d\\ude00", "\\ud800", ",", "values")
PARTS = ("(", ")", " ", "@c", "-1", "0", "1", "99999999999", "1e300", "'x'", "'", "none", "choose", "run", "nan", "~")


SAVED = (
    "'', '2a 3 4 1 0 (given sums 2 1 1 1 1)(map ''abs(@)'')', '4', 'DOUBLE', '0.5', 'INTEGER', '2'",
    "'', '2a 3 0 3 1 (given append 1.5)(given weights 0 0 7 1 1)(given products 2 1 1 2 9)', '4', "
    "'DOUBLE', '2', 'BIGINT', '2', 'a', 'b'",
    "'rp_project', '2a 3 0 0 0 ', '8', 'INTEGER', '5', 'VARCHAR', 'sqrt', 'INTEGER', '7', 'VARCHAR', 'sign'",
)
"""What is told of saved projections."""
OTHERS = ARGUMENTS.replace("'INTEGER', '5', 'VARCHAR', 'sqrt', 'INTEGER', '7', 'VARCHAR', 'sign', ", "")
"""The arguments that they are called with, without their name."""


def worn(draws: random.Random, text: str, parts: tuple[str, ...]) -> str:
    """The text with some places changed."""
    for _ in range(draws.choice((0, 1, 1, 2, 4))):
        place, length = draws.randrange(len(text) + 1), draws.choice((0, 0, 1, 2, 9))
        text = text[:place] + draws.choice((*parts, "")) + text[place + length :]
    return text


def quoted(text: str | None) -> str:
    """A text as SQL."""
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def stated(con: Any, draws: random.Random, program: str) -> None:
    """A program of a text and of saved operations, and a statement of arguments and a plan, which are wrong."""
    text = quoted(worn(draws, draws.choice(PROGRAMS), PARTS))
    kept = draws.choice(("NULL", "''::BLOB", "'x'::BLOB", f"from_hex(hex({program})[65:])"))  # without the head
    said = answer(con, f"SELECT octet_length(sqlrp_program({text}, {kept}))")
    assert not isinstance(said, str) or "INTERNAL" not in said, said
    made = f"(SELECT sqlrp_program('DOUBLE 4 (given 4 0 1 {draws.choice((2, 3, 99))})', {kept}))"
    said = answer(con, f"SELECT sqlrp_kernel_double({made}, 1, 'zero', id, id, id, id) FROM doubles")
    assert not isinstance(said, str) or "INTERNAL" not in said, said
    source = draws.choice(("doubles", "bytes", "arrays", "hostile", "money", "cells"))
    (plan,) = con.execute(f"SELECT json_serialize_plan('DESCRIBE SELECT * FROM {source}')").fetchone()
    saved = draws.choice(("NULL", "NULL", *SAVED))
    given = (ARGUMENTS if saved == "NULL" else "'VARCHAR', 'mine', " + OTHERS).split(", ")
    if saved != "NULL":
        texts = saved.split(", ")
        at = draws.randrange(len(texts))
        texts[at] = draws.choice(
            (texts[at], "NULL", "'-1'", quoted(worn(draws, texts[at][1:-1].replace("''", "'"), PARTS)))
        )
        saved = f"CAST([{', '.join(texts[: draws.choice((at, len(texts), len(texts)))])}] AS VARCHAR[])"
    if source == "cells" and draws.random() < 0.8:
        at = given.index("'id'") + 3
        given[at : at + 6] = "'VARCHAR'", "'feature'", "'VARCHAR'", "'value'", "'INTEGER'", "'18'"
    if draws.random() < 0.3:
        given[given.index("'true'")] = "'false'"
    for _ in range(draws.choice((0, 0, 1, 3))):
        at = draws.randrange(len(given) // 2) * 2
        kind = draws.choice(list(GIVEN))
        given[at : at + 2] = quoted(kind), draws.choice(("NULL", quoted(draws.choice(GIVEN[kind]))))
    if draws.random() < 0.1:
        del given[draws.randrange(len(given)) :]
    function = draws.choice(("rp_project", "rp_project", "pk_project", "fht_project", "x"))
    keep, features = (draws.choice(("", "'a'", "'A', 'it''s'", "NULL", "'b', 'a'")) for _ in range(2))
    passed = worn(draws, str(plan), ESCAPES)
    lists = ", ".join(f"CAST([{names}] AS VARCHAR[])" for names in (", ".join(given), keep, features))
    given_plan = quoted(draws.choice((passed, str(plan), None)))
    said = answer(con, f"SELECT sqlrp_statement('{function}', 'opening', {lists}, {given_plan}, {saved})")
    assert not isinstance(said, str) or "INTERNAL" not in said, said


FIELDS = ("source", "k", "s", "seed", "keep", "features", "key", "output", "array_column", "x", "K")
FIELD_VALUES = (
    *("NULL", "'doubles'", "'a.\"b'", "''", "2", "-7", "1.5", "-0.05", "1e300", "true", "[]", "['a', NULL]", "[1]"),
    *("{a: 1}", "DATE '2020-01-01'", "123456789012345678901234567890.5", "9007199254740993", "'x'::BLOB"),
)
"""The names and values of arguments by name."""


def named(con: Any, draws: random.Random) -> None:
    """A call by its name alone, with wrong arguments."""
    chosen = draws.sample(FIELDS[:-1], draws.randrange(1, 6))
    given = ", ".join(f"{name}: {draws.choice(FIELD_VALUES)}" for name in chosen)
    function = draws.choice(("'rp_project'", "'pk_project'", "'x'", "NULL", "''"))
    said = answer(con, f"SELECT sqlrp({function}, {draws.choice((f'{{{given}}}', 'NULL', '1'))})")
    assert not isinstance(said, str) or "INTERNAL" not in said, said


def changed(draws: random.Random, program: bytes) -> str:
    """The program with some words changed, as SQL."""
    given = bytearray(program)
    for _ in range(draws.choice((0, 0, 1, 2, 3))):
        if draws.random() < 0.1:
            given = given[: draws.randrange(len(given))] + bytes(8)
        place = draws.randrange(len(given)) // 8 * 8
        given[place : place + 8] = draws.choice(WORDS).to_bytes(8, "little", signed=True)
    return "NULL" if draws.random() < 0.02 else f"from_hex('{given.hex()}')"


def numbered(con: Any) -> None:
    """The text of each program with each of its numbers replaced by one of `EXTREMES`."""
    for text in PROGRAMS:
        for found in re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", text):
            for number in EXTREMES:
                other = f"{text[: found.start()]}{number}{text[found.end() :]}"
                said = answer(con, f"SELECT octet_length(sqlrp_program({quoted(other)}, NULL))")
                assert not isinstance(said, str) or "INTERNAL" not in said, said


def fuzzed(con: Any, seed: int, count: int) -> tuple[int, int]:
    """Programs with wrong bytes, and right ones over chunks of any kind; how many ran, and how many were refused."""
    draws, ran = random.Random(seed), 0
    con.execute("SET threads = 1")
    numbered(con)
    drawn = [con.execute("SELECT sqlrp_program(?, NULL)", [text]).fetchone()[0] for text in (*DRAWN, *OPEN)]
    programs, drawn = [*CODES, *drawn[: len(DRAWN)]], drawn[len(DRAWN) :]
    for _ in range(count):
        program = changed(draws, draws.choice(programs))
        if draws.random() < 0.1:
            program = f"CASE WHEN id % 3 = 0 THEN {program} ELSE from_hex('{programs[0].hex()}') END"
        name, factor = (
            draws.choice(("float", "double", "integer", "bigint")),
            draws.choice(("1", "0.5", "NULL", "1e999")),
        )
        nulls = draws.choice(("propagate", "zero", "error", "other"))
        name += draws.choice(("", "", "_16", "_1024"))
        given = draws.choice(CHUNKS)
        if draws.random() < 0.3:
            features, values = draws.choice(CELLS)
            table = changed(draws, draws.choice(programs + drawn))
            if draws.random() < 0.1:
                table = f"CASE WHEN id % 4 = 0 THEN {table} ELSE from_hex('{programs[-1].hex()}') END"
            kinds = (
                draws.choice(("BIGINT[]", "BIGINT[]", "INTEGER[]")),
                draws.choice(("DOUBLE[]", "DOUBLE[]", "FLOAT[]")),
            )
            given = f"CAST({table} AS BLOB), CAST({features} AS {kinds[0]}), CAST({values} AS {kinds[1]})"
        call = f"sqlrp_kernel_{name}({program}, {factor}, '{nulls}', {given})"
        rows = f"(SELECT {call} AS z FROM {draws.choice(ROWS)})"
        said = answer(con, f"SELECT count(*), max(hash(z)) FROM {rows}")  # which reads every value
        assert not isinstance(said, str) or "INTERNAL" not in said, said
        ran += not isinstance(said, str)
        stated(con, draws, changed(draws, draws.choice(programs)))
        named(con, draws)
    return ran, count - ran


def main() -> None:
    """Run what the arguments ask for."""
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{sys.argv[1]}'")
    for name, query in SOURCES.items():
        con.execute(f"CREATE TABLE {name} AS {query}")
    con.execute(
        """CREATE TABLE hostile AS SELECT 1 AS "it's", 2e0 AS "a ""b", 3 AS "é\\😀", 'x' AS z0, [1e0, 2] AS "]" """
    )
    con.execute("CREATE TABLE money AS SELECT 1 AS id, 2::DECIMAL(9, 3) AS a, 3::DECIMAL(4, 0) AS b, true AS c")
    if sys.argv[2:3] == ["fuzz"]:
        print(*fuzzed(con, int(sys.argv[3]), int(sys.argv[4])))
    else:
        print(compared(con, tuple(map(int, sys.argv[3:])) or (0, 1, 2, 3)))


if __name__ == "__main__":
    main()
