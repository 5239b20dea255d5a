"""Build DuckDB's extension sqlrp with a C compiler: `python sql/extension/build.py`, or `make extension`.

The file is `sqlrp/_core/sqlrp.duckdb_extension`, where `sqlrp.connect` finds it, or the path after `--out`. It uses
DuckDB's stable C interface of version 1.2: one file of a platform serves DuckDB 1.4, 1.5 and 2.0. DuckDB's headers are
in the source distribution that pip brings, or in the folder DUCKDB_HEADERS. CC and CFLAGS choose compiler and flags.
"""

from __future__ import annotations

import argparse
import os
import re
import runpy
import shlex
import string
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt

import sqlrp
from sqlrp._core.draw import CONSTANTS, P, Purpose
from sqlrp._core.numbers import WORD_BITS
from sqlrp._core.paley import PRIMES, paley
from sqlrp._engines.duckdb.dialect import DuckDB
from sqlrp._projections import FUNCTIONS
from sqlrp._projections.checks import MOST_STATED
from sqlrp._projections.explicit import MOST_MONOMIALS
from sqlrp._store.installed import macros as made
from sqlrp._store.method_data import data

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "extension"
OUT = ROOT / "sqlrp" / "_core" / "sqlrp.duckdb_extension"
HEADERS = ("duckdb.h", "duckdb_extension.h")
HEADERS_OF = "1.4.4"
"""The version of the source distribution with the headers."""
API = "v1.2.0"
"""The version of the C interface that the extension needs."""
FLAGS = "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fvisibility=hidden -fPIC -shared -DDUCKDB_EXTENSION_NAME=sqlrp"
DEFINED = " ".join(
    f"-DDUCKDB_EXTENSION_API_VERSION_{part}={number}"
    for part, number in zip(("MAJOR", "MINOR", "PATCH"), API[1:].split("."), strict=True)
)


def main() -> None:
    """Build the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=OUT)
    print(build(parser.parse_args().out))


def build(out: Path, *flags: str) -> Path:
    """Compile the extension into a file, with more flags."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for name, text in written().items():
        (BUILD / name).write_text(text, encoding="utf-8")
    library = out.with_suffix(".so")
    sources = [str(path) for path in sorted((ROOT / "native").glob("*.c"))]
    command = [
        os.environ.get("CC", "cc"),
        *FLAGS.split(),
        *DEFINED.split(),
        *shlex.split(os.environ.get("CFLAGS", "")),
        *flags,
    ]
    command += [f"-I{headers()}", f"-I{BUILD}", f"-ffile-prefix-map={ROOT}=.", "-o", str(library), *sources, "-lm"]
    subprocess.run(command, check=True)
    found = duckdb.connect().execute("PRAGMA platform").fetchone()
    assert found is not None
    write(out, library.read_bytes() + footer(str(found[0])))
    library.unlink()
    return out


def write(out: Path, data: bytes) -> None:
    """Put a new file in the place of the old one. A process that has loaded the old one keeps it.

    To write into a file that is loaded would end the process.
    """
    fresh = out.with_suffix(".new")
    fresh.write_bytes(data)
    fresh.replace(out)


def written() -> dict[str, str]:
    """The headers that Python writes, by name."""
    return {"sqlrp_macros.h": macros(), "sqlrp_methods.h": methods()}


def methods() -> str:
    """What Python says of the methods: their parameters, refusals, stages and factors, and what is drawn for them."""
    known = runpy.run_path(str(ROOT / "sql" / "build.py"))
    rows = [
        (function, known["parameters_read"](cls), known["refused"](cls), data.stages(cls), data.factor(cls))
        for function, cls in FUNCTIONS.items()
    ]
    listed = ", \\\n".join("{" + ", ".join(map(quoted, row)) + "}" for row in rows)
    constants = "}, {".join(", ".join(map(str, CONSTANTS[8 * i : 8 * i + 8])) for i in range(4))
    numbers = {
        "MOST_MONOMIALS": MOST_MONOMIALS,
        "MOST_STATED": MOST_STATED,
        "MOST_COLUMNS": DuckDB.limits.columns,
        "LONGEST_VECTOR": DuckDB.longest_vector,
        "LAST_FEATURE": P - 2,
        "WORD_BITS": WORD_BITS,
        "LOWEST_WORD": f'"(-{(1 << (WORD_BITS - 1)) - 1}-1)"',
        "CONSTANTS": f"{{{{{constants}}}}}",
        "PALEY": ", ".join(f"{{{order}, {as_bytes(paley(order))}}}" for order in PRIMES),
        "PARAMETERS": quoted(known["common_parameters_read"]()),
        "METHODS": f"\\\n{listed}",
    }
    numbers |= {purpose.name: int(purpose) for purpose in Purpose}
    return "".join(f"#define SQLRP_{name} {number}\n" for name, number in numbers.items())


def as_bytes(matrix: npt.NDArray[np.int8]) -> str:
    """The signs of a matrix as a string of C: a bit for each entry, row by row, which is 1 for -1, the lowest first."""
    return '"' + "".join(f"\\{byte:03o}" for byte in np.packbits(matrix.ravel() < 0, bitorder="little")) + '"'


def macros() -> str:
    """The statements of sql/duckdb.sql, and the query that tells whether they are needed, as C.

    The query is an error if a macro of the same name is there that sqlrp did not make (sqlrp/_store/installed.py).
    """
    text = (ROOT / "sql" / "duckdb.sql").read_text(encoding="utf-8")
    statements = re.findall(r"^(?:CREATE OR REPLACE MACRO|COMMENT ON) .*?;$", text, re.MULTILINE | re.DOTALL)
    here = "database_name = current_database() AND schema_name = current_schema()"
    kinds = ", ".join(f"('{name}', '{'table_macro' if table else 'macro'}')" for name, table in made(text))
    folded = f"translate(function_name, '{string.ascii_uppercase}', '{string.ascii_lowercase}')"
    there = (
        "SELECT function_name AS name, starts_with(function_name, 'sqlrp_') AS helper, "
        "coalesce(starts_with(comment, 'sqlrp '), false) AS marked, "
        r"regexp_matches(macro_definition, '\bsqlrp_\w+\(') AS calling "
        f"FROM duckdb_functions() WHERE {here} AND ({folded}, function_type) IN ({kinds})"
    )
    installed = "EXISTS (FROM there WHERE NOT helper AND (marked OR calling))"
    own = f"marked OR CASE WHEN helper THEN {installed} ELSE calling END"
    found = "any_value(name)"
    words = "exists already, and sqlrp did not make it: it is never replaced; rename it, and LOAD again"
    needed = (
        f"WITH there AS MATERIALIZED ({there}), others AS (SELECT min(name) AS name FROM there WHERE NOT ({own})) "
        f"SELECT CASE WHEN bool_or(readonly) OR EXISTS (FROM duckdb_functions() WHERE {here} "
        f"AND function_name = 'project_with' AND starts_with(comment, 'sqlrp {sqlrp.__version__}.')) THEN 0 "
        f"WHEN {found} IS NULL THEN 1 ELSE CAST(error(concat('a macro ', {found}, ' {words}')) AS BIGINT) "
        "END FROM duckdb_databases() CROSS JOIN others WHERE database_name = current_database()"
    )
    listed = ",\n".join(quoted(s) for s in statements)
    return f"#define SQLRP_NEEDED {quoted(needed)}\n\nstatic const char *const SQLRP_MACROS[] = {{\n{listed}\n}};\n"


def quoted(text: str) -> str:
    """A text as a string of C."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'"{escaped}"'


def headers() -> Path:
    """The folder of DuckDB's headers, which pip brings once."""
    if given := os.environ.get("DUCKDB_HEADERS"):
        return Path(given)
    folder = BUILD / f"duckdb@{HEADERS_OF}"
    if not all((folder / name).is_file() for name in HEADERS):
        folder.mkdir(parents=True, exist_ok=True)
        pip = ["-m", "pip", "download", "-qq", "--no-deps", "--no-binary", "duckdb"]
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            if subprocess.run([sys.executable, *pip, f"duckdb=={HEADERS_OF}"], cwd=fresh, check=False).returncode:
                sys.exit("the extension needs DuckDB's headers, and pip fails: name their folder in DUCKDB_HEADERS")
            with tarfile.open(next(Path(fresh).glob("*.tar.gz"))) as archive:
                for name in HEADERS:
                    found = archive.extractfile(f"duckdb-{HEADERS_OF}/external/duckdb/src/include/{name}")
                    assert found is not None
                    (folder / name).write_bytes(found.read())
    return folder


def footer(platform: str) -> bytes:
    """What DuckDB reads at the end of an extension: eight fields in a section, and 256 bytes for a signature."""
    fields = ["", "", "", "C_STRUCT", f"v{sqlrp.__version__}", API, platform, "4"]
    start = bytes([0, 147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
    return start + b"".join(f.encode().ljust(32, b"\0") for f in fields) + bytes(256)


if __name__ == "__main__":
    main()
