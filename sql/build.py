"""Write sql/postgresql.sql and sql/duckdb.sql: `python sql/build.py`.

`python sql/build.py FOLDER` writes the repository of DuckDB's community extension instead.

Each file is put together from the parts in the folder of its name. A part holds {{name}} for what the package already
knows: the constants of the draw, the version, and the parameters, defaults and help of every method. A test fails if a
file is not what this module writes.

`sqlrp._store.method_data` writes what composes the stages of a method from the Python of its class.
"""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

import sqlrp
from sqlrp._core.draw import CONSTANT_FEATURE, CONSTANTS, SEED_BOUND, P, Purpose
from sqlrp._core.numbers import DOUBLE, WORD_BITS
from sqlrp._core.paley import PRIMES, paley
from sqlrp._core.sources import QUERY
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._engines.postgresql import trust as postgresql_trust
from sqlrp._engines.registry import dialect_named
from sqlrp._lowering import formula_sql, template
from sqlrp._lowering.convolutions import worth
from sqlrp._projections import BY_NAME, FUNCTIONS, Projection
from sqlrp._projections.checks import MOST_DEGREE, MOST_STATED, VECTORS
from sqlrp._projections.explicit import MOST_MONOMIALS
from sqlrp._projections.projection import SIZES
from sqlrp._stages.elementwise import Elementwise
from sqlrp._stages.formulas import Formula
from sqlrp._store.functions import COMMON
from sqlrp._store.functions import parameters as named
from sqlrp._store.installed import OWN_IN_POSTGRESQL
from sqlrp._store.method_data import WRITERS, DuckDBWriter, data, statement
from sqlrp._store.plans import ordered
from sqlrp._store.stored import FORMAT
from sqlrp.stages import SignedSums

HERE = Path(__file__).parent
PARTS = {
    "postgresql": (
        *("header", "schema", "draw", "text", "arguments", "source", "stages", "methods", "types"),
        *("shape", "inline", "relational", "statement", "kept", "vector", "quality", "functions", "search_path"),
    ),
    "duckdb": (
        *("header", "draw", "text", "source", "arguments", "frame", "stages", "methods", "types", "statement"),
        *("write", "late", "drawn", "inline", "calls", "functions", "vector", "quality"),
    ),
}
"""The parts of each file, in their order; "methods" stands for what the methods' classes say."""

VECTOR = {"n_features": "NULL", "scale": "true"}
"""The arguments of every function of one vector besides the parameters of its method, with their defaults as SQL."""

_CALL = "told relation key keep features array_column feature value n_features output single scale nulls lowering"
_FRAME = (
    "told single scale keyed words n kept names types nullable late asked relation output nulls layout size base "
    "quoted nulled lowering"
)
_STAGE = "table_text outputs n held after factors constant_value dense constant"
ARGUMENTS = {
    "call_arguments": _CALL.replace(" ", ", "),
    "frame_arguments": _FRAME.replace(" ", ", "),
    "stage_arguments": _STAGE.replace(" ", ", "),
    "stage_inline_arguments": "lists, n, value, text, held, after",
    "shape_inline_arguments": "told, guarded, opening, closing, cast_opening, cast_closing, written, own",
    "inline_arguments": "named, level, narrow, x, rows, carried, rest",
}
"""What the steps in DuckDB hand on as arguments, in this order.

The rows are those of a call, of a call and its source, of a stage, and of its expressions.
"""

VECTOR_STEPS = {"rp_project": "sqlrp_rp_vector_step(k, s, seed, vectors, n_features, scale)"}
"""What writes the text of a function of one vector, for the functions whose text is written in one step."""

KEEPS = "(pg_catalog.pg_has_role({role}, owner, 'MEMBER') OR pg_catalog.pg_has_role({role}, me, 'MEMBER'))"
"""Whom project_with trusts: the roles that may act as the owner of the functions, or as the caller."""

SAVED = f"sqlrp {sqlrp.__version__}. projection: the name of a projection that sqlrp.save stored here"
"""What the functions of saved projections take, in words."""

FORMULAS = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", stage.__name__).lower(): found[0]
    for stage in Elementwise.__subclasses__()
    if isinstance(found := vars(stage)["formulas"], tuple) and len(found) == 1
}
"""The formulas that methods read, by the name of their stage: those without a parameter."""

REPR = r"""regexp_replace(CASE WHEN abs(number) >= 1e15 AND abs(number) < 1e16
      THEN CAST(CAST(CAST(number AS text) AS numeric) AS text) ELSE CAST(number AS text) END, '^(-?\d+)$', '\1.0')"""
"""A `number` as Python writes a float, as SQL of PostgreSQL."""

LITERAL = f"""CASE kind WHEN 'double' THEN format('CAST(''%s'' AS double precision)', {REPR})
    WHEN 'decimal' THEN format('CAST(%s AS numeric)', CAST(number AS numeric))
    ELSE CAST(CAST(number AS numeric) AS text) END"""
"""A `number` of a `kind` as PostgreSQL's dialect writes it, as SQL."""

TYPES = {int: "bigint", float: "double precision", bool: "boolean", str: "text"}
NOTE = "-- Written by `python sql/build.py` from the parts in sql/{}/: change those.\n\n"

FEW_ROWS = 2_000
"""Up to so many rows lists take less than it takes to plan expressions (sql/duckdb/write.sql)."""
LEAST_COMPARED, MOST_COMPARED = 11, 2_000
"""How many rows sqlrp_quality compares with each other: each has ten others, and pairs are few enough for memory."""

DRAW = {
    "prime": P,
    "constant_feature": CONSTANT_FEATURE,
    "last_feature": P - 2,
    "last_feature_and_one": P - 1,
    "last_seed": SEED_BOUND - 1,
    "most_monomials": MOST_MONOMIALS,
    "most_monomials_shown": f"{MOST_MONOMIALS:,}",
    "most_degree": MOST_DEGREE,
    "most_stated": MOST_STATED,
    "most_stated_shown": f"{MOST_STATED:,}",
    "most_columns": DuckDB.limits.columns,
    "few_rows": FEW_ROWS,
    "least_compared": LEAST_COMPARED,
    "most_compared": MOST_COMPARED,
    "most_compared_shown": f"{MOST_COMPARED:,}",
    "word_bits": WORD_BITS,
    "word_last": WORD_BITS - 1,
    "word_lowest": f"(-{(1 << (WORD_BITS - 1)) - 1}-1)",
    "query_words": "'" + QUERY.replace("'", "''") + "'",
    "convolved_by_pairs": ", ".join(str(k) for k in range(1, 200) if not worth(k)),
    **{f"constants{i}": ", ".join(map(str, CONSTANTS[8 * i : 8 * i + 8])) for i in range(4)},
    **{f"falling{i}": ", ".join(map(str, reversed(CONSTANTS[8 * i : 8 * i + 8]))) for i in range(4)},
    **{purpose.name.lower(): int(purpose) for purpose in Purpose},
    "purposes": ", ".join(f"{int(purpose)} {purpose.name.lower()}" for purpose in Purpose),
}


def main() -> None:
    """Write both files; with --check, exit with 1 if one is not as it would be written. A folder: the extension."""
    if sys.argv[1:] and "--check" not in sys.argv[1:]:
        extension(Path(sys.argv[1]))
        return
    for name in PARTS:
        path, text = HERE / f"{name}.sql", built(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(1)


def extension(folder: Path) -> None:
    """Write the repository of the community extension of DuckDB, with the macros of sql/duckdb.sql."""
    source = HERE / "extension"
    tools = {"version": sqlrp.__version__, **_answers()}
    for path in source.rglob("*"):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            target = folder / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(read(path, tools) if "{{" in path.read_text() else path.read_text(), encoding="utf-8")
    compiled = runpy.run_path(str(source / "build.py"))
    for files, name in (
        ((HERE.parent / "native").iterdir(), "src"),
        (compiled["headers"]().glob("*.h"), "duckdb_capi"),
    ):
        (folder / name).mkdir(exist_ok=True)
        for path in files:
            shutil.copy(path, folder / name)
    for name, text in compiled["written"]().items():
        (folder / "src" / name).write_text(text, encoding="utf-8")


def _answers() -> dict[str, str]:
    """What the extension's own test expects: Python's numbers."""
    stage = sqlrp.SparseProjection(k=2, s=1, seed=7).stages(3)[0]
    assert isinstance(stage, SignedSums)
    signs = stage.matrix(np.arange(3))
    rows = (f"{i}\t" + "\t".join(map(str, np.array([i % 7, i % 11, i % 3]) @ signs)) for i in range(1, 6))
    return {"rows": "\n".join(rows), "vector": f"[{', '.join(str(float(z)) for z in signs.sum(axis=0))}]"}


def built(name: str) -> str:
    """The whole text of a file."""
    most = dialect_named(name).longest_vector
    draw = DRAW | {"longest_vector": most, "longest_vector_shown": f"{most:,}"}
    draw["help"] = ",\n".join(f"    ({', '.join(map(literal, helped(f, c)))})" for f, c in FUNCTIONS.items())
    draw |= {f"formula_{stage}": literal(formula(name, of)) for stage, of in FORMULAS.items()}
    methods = FUNCTIONS
    if name == "duckdb":
        functions = [*(table_function(f, c) for f, c in methods.items()), project_with()]
        steps = [read(HERE / "duckdb" / "checked.sql", _call(f, c)).strip() for f, c in methods.items()]
        told = [*(text_function(f, c) for f, c in methods.items()), project_with_sql()]
        vectors = [*(vector_function(f, c) for f, c in methods.items() if not c.key_argument), vector_with()]
        parts: dict[str, Any] = {
            "steps": "\n\n".join(steps),
            "functions": "\n\n".join(functions),
            "told": "\n\n".join(told),
            "transforms": "|".join(stages(f) for f, c in methods.items() if _transforms(f, c)),
            "vectors": "\n\n".join(vectors),
            "vectors_list": list(VECTORS),
            **ARGUMENTS,
        }
        return NOTE.format(name) + composed(name, draw | _hadamard() | parts, methods)
    values = draw | {
        "literal": LITERAL,
        "repr": REPR,
        "named_blocks": "\n".join(f"    WHEN '{name}' THEN {literal(text)}" for name, text in blocks().items()),
        "version": sqlrp.__version__,
        "format": FORMAT,
        "functions": "|".join(
            [*methods, *map(save_name, methods), *(vector_name(f) for f, c in methods.items() if not c.key_argument)]
        ),
        "definitions": ",\n".join(line for f, c in methods.items() for line in definitions(f, c)),
        "unsafe": postgresql_trust.unsafe_query("sqlrp_schema() || '.sqlrp_catalogue'"),
        "linear": ", ".join(f"'{function}'" for function, cls in methods.items() if cls().kernel().linear),
        "listed": "\n".join(f"--   {f} ({', '.join(given(c))}): {c.__name__}" for f, c in methods.items()),
        "calls": "\n".join(f"    WHEN '{f}' THEN {stages(f)}({checked(c)}, n)" for f, c in methods.items()),
        "classes": "\n".join(f"        WHEN method = '{f}' THEN '{c.__name__}'" for f, c in methods.items()),
        "methods": ",\n".join(row(f, c) for f, c in methods.items()),
        "sizes": ",".join(SIZES),
        "saved": literal(SAVED),
        "creators": postgresql_trust.creators("me"),
        "own_function": OWN_IN_POSTGRESQL,
        "writers": postgresql_trust.writers(KEEPS),
        **_hadamard(),
    }
    text = composed(name, values | {"helpers": "{{helpers}}"}, methods)
    helpers = re.findall(r"^CREATE OR REPLACE FUNCTION sqlrp_(\w+)", text, re.MULTILINE)
    listed = textwrap.wrap("|".join([*helpers, "schema"]).replace("|", "| "), 110)
    return NOTE.format(name) + text.replace("{{helpers}}", "'\n    '".join(line.replace(" ", "") for line in listed))


def _transforms(function: str, cls: type[Projection]) -> bool:
    """Whether a method has a Hadamard transform, which lists take long for."""
    return "sqlrp_sampled_transform(" in DuckDBWriter().composing(cls, stages(function), taken("duckdb", cls))


def blocks() -> dict[str, str]:
    """The blocks of sql/blocks.sql that the functions of PostgreSQL read, with {part} for each part."""
    read_there = (HERE / "postgresql" / "relational.sql").read_text() + (HERE / "postgresql" / "stages.sql").read_text()
    return {name: template.untyped(name) for name in template.names() if f"'{name}'" in read_there}


def _hadamard() -> dict[str, str]:
    """Paley's matrices as SQL."""
    return {
        "paley_orders": ",".join(map(str, PRIMES)),
        "paley": "\n".join(f"    WHEN {m} THEN '{_bits(m)}'" for m in PRIMES),
    }


def composed(name: str, values: Mapping[str, Any], methods: Mapping[str, type[Projection]]) -> str:
    """The parts, with their placeholders filled. What composes a method's stages knows its class besides."""
    texts = []
    for part in PARTS[name]:
        if part == "methods":
            for function, cls in methods.items():
                texts.append(WRITERS[name].composing(cls, stages(function), taken(name, cls)))
                if name == "duckdb" and (fixed := of_plain(cls)):
                    texts.append(DuckDBWriter().composing(cls, plain_stages(function, cls), taken(name, cls), fixed))
        else:
            texts.append(read(HERE / name / f"{part}.sql", values))
    return "\n".join(texts)


def read(path: Path, values: Mapping[str, Any]) -> str:
    """A part with its placeholders filled."""
    return filled(path.read_text(encoding="utf-8"), values)


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Text with its placeholders filled; raises KeyError for one that is unknown."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: str(values[found[1]]), text)


# -- the methods' parameters -----------------------------------------------------------------------------


def given(cls: type[Projection]) -> dict[str, str]:
    """What a function takes of its own, with the defaults as SQL.

    In PostgreSQL the order is part of what is installed: `seed` follows s, and without s only parameters that Python
    takes by keyword follow it.
    """
    return ordered(cls, named(cls))


def table_function(function: str, cls: type[Projection]) -> str:
    """The statement that creates a method's table function for DuckDB."""
    return read(HERE / "duckdb" / "function.sql", _call(function, cls)) + comment(function, described(cls), " TABLE")


def text_function(function: str, cls: type[Projection]) -> str:
    """The statement that creates the function that returns the text of a method's statement in DuckDB."""
    text = read(HERE / "duckdb" / "told.sql", _call(function, cls))
    return text + comment(f"{function}_sql", described(cls))


def _given_texts(names: Iterable[str]) -> str:
    """The type and the text of each argument in turn, as SQL."""
    return ", ".join(f"typeof({name}), CAST({name} AS VARCHAR)" for name in names)


def _call(function: str, cls: type[Projection]) -> dict[str, str]:
    key = f"coalesce({cls.key_argument}, key)" if cls.key_argument else "key"
    own = given(cls)
    passed = ["source", *own, *(name for name in COMMON if name not in NAMES)]
    types_and_texts = ", ".join(f"[{_given_texts([name])}]" for name in passed)
    texts = _given_texts([*passed, *NAMES])
    none = r"[^;]*\[\]\[\]"  # an empty list
    pattern = "; ".join([*(_plain(cls, name) for name in passed), none, none])
    step = f"{stages(function).removesuffix('_stages')}_step"
    names = "source, key, array_column, keep, features, output, scale, nulls, lowering, dtype".replace("key", key, 1)
    open_step = f"{step.removesuffix('_step')}_open"
    opened = f"sqlrp_open([{types_and_texts}], {literal(pattern)}, {small(cls)}, {plain_method(function, cls)}"
    return {
        "function": function,
        "parameters": signature(["source"], own | COMMON),
        "given": ", ".join(passed),
        "key": key,
        "method": method_text(function, cls),
        "step": step,
        "open_step": open_step,
        "open": f"{opened}, '{step}', {names}, ",
        "begin": f"sqlrp_begin('{function}', '{open_step}', [{texts}], source, NULL, keep, features",
    }


NAMES = ("keep", "features")
"""The arguments that are lists of names."""
READ = {
    "key": "words?",
    "array_column": "words?",
    "feature": "words?",
    "value": "words?",
    "n_features": "whole? 1",
    "output": "choice columns array vector long bits auto",
    "scale": "flag",
    "nulls": "choice propagate zero error",
    "lowering": "choice auto sql native inline indexed relational",
    "dtype": "choice auto float32",
}
"""How the extension reads an argument of every function, in order (native/call.c): the macros look at others."""
SQL_TYPES = {"true": "BOOLEAN", "false": "BOOLEAN", "NULL": "none"}
"""The types of defaults that are words."""


def default_read(default: str) -> str:
    """A default, given as SQL, as the extension reads it: its type and its text."""
    kind = SQL_TYPES.get(default) or ("VARCHAR" if default[0] == "'" else "DOUBLE" if "." in default else "INTEGER")
    return "none none" if kind == "none" else f"{kind} '{default.strip(chr(39))}'"


def parameters_read(cls: type[Projection]) -> str:
    """The arguments of a method's function in their order, with their checks, as the extension reads them."""
    checks, hints, own = statement(cls).checks, get_type_hints(cls), given(cls)
    found = ["(source none none words)"]
    for name in own:
        check, others = checks.get(name, ("", ()))
        optional = "" if hints.get(name) in (int, float) else "?"
        if check in ("whole", "degree"):
            read = f"whole{optional} {others[1] if others else 1}"
        elif check == "choice":
            read = f"choice {' '.join(others[1])}"
        elif check:
            read = check
        else:
            read = "real" if hints.get(name) is float else "words?"
        found.append(f"({name} {default_read(own[name])} {read})")
    return "".join(found) + common_parameters_read()


def common_parameters_read() -> str:
    """Those that every function has."""
    return "".join(f"({name} {default_read(COMMON[name])} {read})" for name, read in READ.items())


def refused(cls: type[Projection]) -> str:
    """When a call is refused, as the extension reads it: for too large tables, or by the method's Python."""
    entries = "1"
    for name in sizes(cls):
        entries = f"(* {entries} {name})"
    degree = f"(> degree {MOST_DEGREE})" if "degree" in sizes(cls) else ""
    return f"{degree}(> {entries} {MOST_STATED}){data.refused(cls)}"


PLAIN = {
    "source": r"VARCHAR [A-Za-z_]\w*",
    "array_column": r'("NULL" NULL|VARCHAR [A-Za-z_]\w*)',
    "feature": '"NULL" NULL',
    "value": '"NULL" NULL',
    "n_features": '"NULL" NULL',
    "output": "VARCHAR (columns|array|vector|long|auto)",
    "scale": "BOOLEAN (true|false)",
    "nulls": "VARCHAR (propagate|zero|error)",
    "lowering": "VARCHAR (auto|sql|native|inline|indexed|relational)",
    "dtype": "VARCHAR (auto|float32)",
}
"""The type and the text of an argument of a plain call, as a regular expression: those that need no further check."""


def _plain(cls: type[Projection], name: str) -> str:
    """The same for any argument of a method."""
    if name in PLAIN:
        return PLAIN[name]
    check, others = statement(cls).checks.get(name, ("", ()))
    hint = get_type_hints(cls).get(name)
    number = r"(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\))"
    least = others[1] if check in ("whole", "degree") and others else 1
    first = "[1-9]" if least <= 1 else f"(?:[{least}-9]|[1-9][0-9])"
    whole = rf"(INTEGER|BIGINT) {first}\d{{0,{2 if check == 'degree' else 5}}}"
    patterns = {
        "s": rf"(VARCHAR sqrt|{number} [1-9]\d{{0,14}}(\.\d+)?)",
        "seed": r"(INTEGER|BIGINT) \d{1,15}",
        "flag": "BOOLEAN (true|false)",
        "choice": f"VARCHAR ({of_plain(cls).get(name) or '|'.join(others[1])})" if check == "choice" else "",
        "whole": whole if hint is int else f'("NULL" NULL|{whole})',
    }
    free = rf"{number} [-+.e\d]+" if hint is float else "[^;]*"
    return patterns.get("whole" if check == "degree" else check, free)


def of_plain(cls: type[Projection]) -> dict[str, str]:
    """The parameters that a plain call leaves as they are, with their values: its stages are then few to bind."""
    return {"vectors": "sign"} if "vectors" in given(cls) else {}


def plain_stages(function: str, cls: type[Projection]) -> str:
    """The function that composes the stages of a plain call."""
    return "_".join([stages(function).removesuffix("_stages"), *of_plain(cls).values(), "stages"])


def small(cls: type[Projection]) -> str:
    """SQL of whether a method's tables are of a size that needs no check; one number is limited by its digits."""
    names = sizes(cls)
    if len(names) == 1:
        return "true"
    return f"{' * '.join(f'TRY_CAST({name} AS DOUBLE)' for name in names)} <= {MOST_STATED}"


def plain_method(function: str, cls: type[Projection]) -> str:
    """SQL that writes the stages of a plain call as SQL: like `method_text`, without its checks."""
    checks, hints, parts = statement(cls).checks, get_type_hints(cls), [f"'{plain_stages(function, cls)}('"]
    for name in given(cls):
        check, _ = checks.get(name, ("", ()))
        if name == cls.key_argument:
            continue
        if check == "s":
            parts.append("'''', s, ''', ''', typeof(s), ''', '")
        elif check in ("whole", "degree") and hints[name] is not int:
            parts.append(f"sqlrp_value({name}), ', '")
        elif check in ("whole", "degree", "seed", "flag"):
            parts.append(f"{name}, ', '")
        elif check == "choice":
            parts.append(f"'''', {name}, ''', '")
        else:
            parts.append(f"{'sqlrp_double' if hints.get(name) is float else 'sqlrp_text'}({name}), ', '")
    return f"concat({', '.join(parts)}, '{{n}})')"


def vector_function(function: str, cls: type[Projection]) -> str:
    """The statement that creates a method's function of one vector for DuckDB."""
    values = {
        "function": vector_name(function),
        "parameters": signature(["vector"], given(cls) | VECTOR),
        "step": f"{sized(cls)} || {VECTOR_STEPS[function]}"
        if function in VECTOR_STEPS
        else f"sqlrp_vector_step(n_features, scale, {method_text(function, cls)})",
    }
    return read(HERE / "duckdb" / "one_vector.sql", values) + comment(vector_name(function), described(cls))


def vector_with() -> str:
    """The statement that creates the function of one vector for saved projections in DuckDB."""
    parts = {"function": "vector_with", "parameters": signature(["projection", "vector"], VECTOR)}
    parts["step"] = "sqlrp_saved_vector_step(n_features, scale, projection)"
    text = read(HERE / "duckdb" / "one_vector.sql", parts)
    return text + comment("vector_with", SAVED)


def comment(function: str, words: str, kind: str = "") -> str:
    """The statement that describes a macro in DuckDB."""
    return f"COMMENT ON MACRO{kind} {function} IS {literal(words)};"


def described(cls: type[Projection]) -> str:
    """What the function of a method takes, in words."""
    known = cls.help_by_parameter()
    words = [f"{name}: {known[name]}" for name in given(cls)]
    return f"sqlrp {sqlrp.__version__}, {cls.__name__}. " + "; ".join(words)


def vector_name(function: str) -> str:
    """The name of a method's function of one vector."""
    return function.removesuffix("_project") + "_vector"


def save_name(function: str) -> str:
    """The name of the function of PostgreSQL that saves a method."""
    return function.removesuffix("_project") + "_save"


def method_text(function: str, cls: type[Projection]) -> str:
    """SQL that writes the stages of a call as SQL."""
    return f"{sized(cls)} || '{stages(function)}(' || {' || '.join(written(cls))} || ', {{n}})'"


def sized(cls: type[Projection]) -> str:
    """SQL that is an error for a method whose tables are too large, and else the empty text."""
    return f"sqlrp_sized({sizes(cls)}, [{', '.join(f'TRY_CAST({name} AS DOUBLE)' for name in sizes(cls))}])"


def sizes(cls: type[Projection]) -> list[str]:
    """The parameters whose product is limited, in Python's order."""
    return [name for name in SIZES if name in given(cls)]


def project_with() -> str:
    """The statement that creates the table function of saved projections for DuckDB."""
    return _of_saved("function") + comment("project_with", SAVED, " TABLE")


def project_with_sql() -> str:
    """The statement that creates the function that returns the text of a saved projection's statement in DuckDB."""
    return _of_saved("told") + comment("project_with_sql", SAVED)


def _of_saved(part: str) -> str:
    call = "source, sqlrp_layout(array_column, feature, value), projection, key, keep, features, array_column, feature"
    rest = "value, n_features, output, scale, nulls, lowering, dtype, "
    passed = ["projection", "source", *(name for name in COMMON if name not in NAMES)]
    parts = {"function": "project_with", "parameters": signature(["projection", "source"], COMMON)}
    begin = f"[{_given_texts([*passed, *NAMES])}], source, sqlrp_saved_call(projection), keep, features"
    opened = {
        "open": f"sqlrp_saved_step({call}, {rest}",
        "begin": f"sqlrp_begin('project_with', 'sqlrp_saved_open', {begin}",
    }
    return read(HERE / "duckdb" / f"{part}.sql", parts | opened)


def signature(first: list[str], defaults: Mapping[str, str]) -> str:
    """The parameters of a table function in DuckDB, with their defaults."""
    named = [*first, *(f"{name} :=\0{default}".replace(" :", "\0:") for name, default in defaults.items())]
    return textwrap.fill(", ".join(named), 105, subsequent_indent="    ").replace("\0", " ")


def written(cls: type[Projection]) -> list[str]:
    """The parameters of a method as SQL that writes them as SQL, in the order that its stages take them."""
    checks, hints, parts = statement(cls).checks, get_type_hints(cls), []
    for name in given(cls):
        check, others = checks.get(name, ("", ()))
        if name == cls.key_argument:
            continue
        if check == "s":
            parts += ["sqlrp_text(s)", "sqlrp_string(typeof(s))"]
        elif check == "seed":
            parts.append("sqlrp_seed_number(seed)")
        elif check in ("whole", "degree") and hints[name] is not int:
            parts.append(
                f"CASE WHEN {name} IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('{name}', {name}, 1) AS VARCHAR) END"
            )
        elif check in ("whole", "degree"):
            parts.append(f"sqlrp_whole('{name}', {name}, {others[1] if others else 1})")
        elif check == "flag":
            parts.append(f"sqlrp_flag('{name}', {name})")
        elif check == "choice":
            parts.append(f"sqlrp_string(sqlrp_one_of('{name}', {name}, {list(others[1])}))")
        else:
            parts.append(f"sqlrp_double({name})" if hints.get(name) is float else f"sqlrp_text({name})")
    return [part if at == 0 else f"', ' || {part}" for at, part in enumerate(parts)]


def taken(name: str, cls: type[Projection]) -> str:
    """The parameters of the function that composes a method's stages."""
    own = [parameter for parameter in given(cls) if name == "postgresql" or parameter != cls.key_argument]
    if name == "postgresql":
        return ", ".join(f"{parameter} {'jsonb' if parameter == 's' else kind(cls, parameter)}" for parameter in own)
    return ", ".join("s, s_type" if parameter == "s" else parameter for parameter in own)


def formula(name: str, of: Formula) -> str:
    """A formula as SQL over the entry of a row: @ in DuckDB, and %s in PostgreSQL."""
    return formula_sql.written(of, dialect_named(name), "@" if name == "duckdb" else "%1$s", DOUBLE)


def stages(function: str) -> str:
    """The function that composes a method's stages."""
    return f"sqlrp_{function.removesuffix('_project')}_stages"


def kind(cls: type[Projection], name: str) -> str:
    """The type of a parameter in PostgreSQL; text for what only the function has."""
    hint = get_type_hints(cls).get(name, str)
    return TYPES.get(hint) or next(sql for python, sql in TYPES.items() if python in hint.__args__)


def checked(cls: type[Projection]) -> str:
    """The arguments of `stages`, read from the object `p`; whole numbers and flags are checked here."""
    checks, hints = statement(cls).checks, get_type_hints(cls)
    default = {f.name: f.default for f in fields(cls) if f.default is not MISSING}
    arguments = []
    for name in given(cls):
        read = f"CAST(p ->> '{name}' AS {kind(cls, name)})"
        check, others = checks.get(name, ("", ()))
        if check == "s":
            read = f"coalesce(nullif(p -> 's', 'null'), '{json.dumps(default['s'])}')"
        elif check in ("whole", "degree"):
            optional = "" if hints[name] is int else f"CASE WHEN p ->> '{name}' IS NOT NULL THEN "
            read = f"{optional}sqlrp_whole('{name}', {read}, {others[1] if others else 1}){' END' if optional else ''}"
        elif check == "flag":
            read = f"sqlrp_flag('{name}', {read})"
        elif check == "choice":
            read = f"sqlrp_one_of('{name}', {read}, '{{{','.join(others[1])}}}')"
        arguments.append(read)
    return ", ".join(arguments)


def row(function: str, cls: type[Projection]) -> str:
    """A method's row in the list that the functions of PostgreSQL are made from."""
    own = given(cls)
    s = own.pop("s", None)
    del own["k"]
    signature = ", ".join(f"{name} {kind(cls, name)} DEFAULT {default}" for name, default in own.items())
    number = None if s is None else "s double precision DEFAULT " + ("NULL" if s.startswith("'") else s)
    key = f"coalesce({cls.key_argument}, key)" if cls.key_argument else "key"
    cells = ", ".join("NULL" if cell is None else literal(cell) for cell in (number, signature, key))
    return f"    ('{function}', '{cls.__name__}', {cells},\n      {literal(described(cls))})"


def helped(function: str, cls: type[Projection]) -> tuple[str, str, str, str]:
    """A method's row in the list of all: its function, its class, what it is for, and what it takes."""
    return function, cls.__name__, cls.use, ", ".join(f"{name} = {default}" for name, default in given(cls).items())


def definitions(function: str, cls: type[Projection]) -> Iterator[str]:
    """What PostgreSQL saves a call of a function as: its class and parameters, for each value that chooses them."""
    for vectors in VECTORS if "vectors" in cls.arguments else (None,):
        chosen = {} if vectors is None else {"vectors": vectors}
        name, _ = cls.of_call({**given(cls), **chosen})
        saved = cls if name == cls.__name__ else BY_NAME[name]
        default = {f.name: f.default for f in fields(saved) if f.name != "bound_to"}
        s = literal(json.dumps(default["s"])) if "s" in default else "NULL"
        floats = ",".join(f for f in default if get_type_hints(saved)[f] is float)
        cells = ("NULL" if vectors is None else literal(vectors), literal(name), f"CAST({s} AS jsonb)")
        lists = (f"CAST('{{{','.join(default)}}}' AS text[])", f"CAST('{{{floats}}}' AS text[])")
        yield f"    ('{function}', {', '.join([*cells, *lists])})"


def _bits(order: int) -> str:
    """Paley's matrix in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1."""
    return np.packbits(paley(order) < 0, bitorder="little").tobytes().hex()


def literal(text: str) -> str:
    """Text as SQL; it must be ASCII, as a server may have another encoding."""
    assert text.isascii(), text
    return "'" + text.replace("'", "''") + "'"


if __name__ == "__main__":
    main()
