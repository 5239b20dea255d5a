"""The text of warehouses: read by sqlglot's grammars, refused as their documentation says, and written as DuckDB's."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

import sqlglot

UNTRANSLATED = {
    "MONOTONICALLY_INCREASING_ID()": "row_number() OVER ()",
    "RAISE_ERROR(": "error(",
    "XXHASH64(": "hash(",
    "FARM_FINGERPRINT(": "hash(",
    "ERROR(": "error(",
    " []": " DOUBLE[]",
}
"""What sqlglot does not translate."""

MERGES = {
    r"WHEN MATCHED THEN UPDATE SET \S+ = \S+ DELETE WHERE (.*)": r"WHEN MATCHED AND \1 THEN DELETE",
    r"WHEN NOT MATCHED (THEN INSERT .*) WHERE (.*)": r"WHEN NOT MATCHED AND \2 \1",
}
"""The conditions of Oracle's MERGE, which stand at its ends, as others write them."""
OWN = {
    "trino": {r"bit_count\((bitwise_xor\([^()]*(?:\([^()]*\))?[^()]*\)), 64\)": r"bit_count(\1)"},
    "bigquery": {r"\bNUMERIC\b": "NUMERIC(38, 9)"},
    "sqlserver": {
        r"CONVERT\(NVARCHAR\(MAX\), ": "style_(",
        r"\bFLOAT\b": "DOUBLE PRECISION",
        r"VARCHAR\(MAX\)": "VARCHAR(9999)",
        r"CONVERT\(VARCHAR\(30\), ": "style_(",
        r"CONVERT\(VARCHAR\(32\), ": "hex_(",
        r"CONVERT\(BINARY\(8\), '0' \+ ": "binary_('0' || ",
        r" COLLATE Latin1_General_100_BIN2_UTF8": "",
        r"JSON_VALUE\(": "json_text_(",
        r"SELECT count\(\*\) FROM OPENJSON\(": "SELECT json_array_length(",
    },
    "oracle": {
        **MERGES,
        r"PRIVATE (TEMPORARY TABLE \S+) ON COMMIT PRESERVE DEFINITION": r"\1",
        r"ORA\$PTT_": "ora_ptt_",
        r"\bNUMBER\(19\)": "BIGINT",
        r" RETURNING CLOB": "",
        r"JSON_VALUE\(((?:[^()]|\([^()]*\))*), '\$\.size\(\)' RETURNING NUMBER\)": r"json_array_length(\1)",
        r"JSON_VALUE\(": "json_text_(",
        r"' RETURNING NUMBER": "'",
        r"\bJSON_ARRAY\(": "list_value(",
        r" NULL ON NULL\)": ")",
        r"TO_VECTOR\(": "to_vector_(",
        r", FLOAT(32|64)\)": r", \1)",
        r"STANDARD_HASH\(": "md5_(",
        r"UTL_I18N.STRING_TO_RAW\(": "utf8_(",
    },
}
"""What sqlglot's grammars of the two databases lack, or do not translate to DuckDB's."""


GRAMMARS: dict[str, Any] = {"sqlserver": "tsql"}
"""sqlglot's grammars, where they are not called as the engine."""
UNKNOWN = {
    r"PRIVATE (TEMPORARY TABLE \S+) ON COMMIT PRESERVE DEFINITION": r"GLOBAL \1",
    **MERGES,
    r"(FROM_VECTOR\(\S+) RETURNING CLOB\)": r"\1)",
}
"""What is documented of Oracle, and what stands in its place for a grammar that does not know it."""


def parsed(text: str, name: str) -> list[Any]:
    """The statements, none of which the parser took for a command it does not know."""
    for theirs, known in UNKNOWN.items() if name == "oracle" else ():
        text = re.sub(theirs, known, text)
    found = sqlglot.parse(text, read=GRAMMARS.get(name, name))
    assert found
    assert all(s is not None and not isinstance(s, sqlglot.exp.Command) for s in found)
    return found


WORD = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|\[(?:[^]]|\]\])*\]|[\w#$]+|\|\||\S""")
FOLLOWING = {
    "oracle": {"LIMIT", "%", "BOOLEAN", "TRUE", "FALSE"},
    "sqlserver": {"LIMIT", "USING", "TRUE", "FALSE", "||"},
}
"""Words that these engines do not read, at least in the versions that sqlrp writes for."""


def refused(text: str, name: str) -> list[str]:
    """What the engine's own grammar refuses by its documentation, though sqlglot reads it, in one statement or several.

    Oracle: a SELECT without FROM, AS before the alias of a relation, a literal of more than 4,000 bytes. SQL Server: a
    common table expression in a subquery, CREATE TABLE … AS, a subquery without an alias. Both: IF NOT EXISTS, a window
    without order.
    """
    found, words = [], WORD.findall(text)
    relations, last = [], ""
    for word, after in pairwise([*words, ""]):
        merged = word.upper() == "USING" and words[0] == "MERGE"
        if (word.upper() in FOLLOWING[name] and not merged) or (word.upper(), after.upper()) == ("IF", "NOT"):
            found.append(word)
        if word == "(":
            relations.append(last.upper() in ("FROM", "JOIN"))
        elif (word == ")" and relations.pop()) or last.upper() in ("FROM", "JOIN"):
            if name == "oracle" and after.upper() == "AS":
                found.append(f"AS after {word}")
            if name == "sqlserver" and word == ")" and not re.match(r"\w", after):
                found.append("a subquery without an alias")
        if name == "oracle" and word.startswith("'") and len(word.encode()) > 4_000:
            found.append("a long literal")
        last = word
    for statement in parsed(text, name):
        for select in statement.find_all(sqlglot.exp.Select):
            if name == "oracle" and not select.args.get("from_"):
                found.append(f"no FROM: {select.sql()[:80]}")
        for ctes in statement.find_all(sqlglot.exp.With):
            if name == "sqlserver" and ctes.parent is not statement:
                found.append("WITH in a subquery")
        for window in statement.find_all(sqlglot.exp.Window):
            if not window.args.get("order") and isinstance(window.this, sqlglot.exp.RowNumber):
                found.append("a window without order")
        making = isinstance(statement, sqlglot.exp.Create) and statement.kind == "TABLE" and statement.expression
        if name == "sqlserver" and making:
            found.append("CREATE TABLE … AS")
    if name == "oracle":
        found += re.findall(r"PRIVATE TEMPORARY TABLE (?!\"?ORA\$PTT_)\S+", text)
    return found


@cache
def translated(name: str, sql: str) -> str:
    """A statement of the warehouse as one of DuckDB's."""
    sql = sql.replace("TO_NUMBER(", "to_number_(")
    if name == "databricks":  # a field of every element: DuckDB asks for a function
        sql = sql.replace("p.o)", "transform(p, q -> q.o))")
        sql = re.sub(r"(?<= )(sort_array\((?:p|concat\(p, .*?\))\))\.v(?= )", r"transform(\1, q -> q.v)", sql)
    for theirs, ours in OWN.get(name, {}).items():
        sql = re.sub(theirs, ours, sql)
    sql = re.sub(r"OPTIONS \(expiration_timestamp = .*? DAY\)\) ", "", sql)
    (text,) = sqlglot.transpile(sql, read=GRAMMARS.get(name, name), write="duckdb")
    parts = re.split(r"('(?:[^']|'')*')", text)  # strings are every second part
    for i in range(0, len(parts), 2):
        for theirs, ours in UNTRANSLATED.items():
            parts[i] = parts[i].replace(theirs, ours)
        if name == "databricks":  # positions that are no constants count from 0 still
            parts[i] = re.sub(r"(\w+\.\w+)\[(\w+\.\w+)\]", r"\1[\2 + 1]", parts[i])
        # The column of Databricks' range(n) is id, and that of DuckDB's is range.
        parts[i] = re.sub(r"\bid AS (\w+) FROM RANGE\(", r"range AS \1 FROM RANGE(", parts[i])
        parts[i] = re.sub(r"VECTOR\((?:DOUBLE|FLOAT|REAL), (\d+)\)", r"FLOAT[\1]", parts[i])
        parts[i] = re.sub(r"\bVECTOR\((\d+)\)", r"FLOAT[\1]", parts[i])
        parts[i] = re.sub(r"\bVECTOR\b", "DOUBLE[]", parts[i])
    return "".join(parts)


def table_macro(name: str, made: re.Match[str]) -> str:
    """A function of the warehouse that searches, as a macro of DuckDB with the same defaults."""
    query = made["bigquery"] or made["other"]
    if made["snowflake"]:
        query = made["snowflake"].replace("''", "'").replace("\\\\", "\\")
    defaults = re.findall(r"DEFAULT (\d+)", made["arguments"])
    given = [
        "query",
        *(f"{argument} := {value}" for argument, value in zip(("n", "candidates"), defaults, strict=False)),
    ]
    given += ("n", "candidates")[len(defaults) :]
    own = made["name"].replace("`", '"')
    return f"CREATE MACRO {own}({', '.join(given)}) AS TABLE {translated(name, query)}"


def macro(name: str, made: re.Match[str]) -> str:
    """A function of the warehouse as a macro of DuckDB."""
    body = made["bigquery"] or made["other"]
    if made["snowflake"]:
        query = made["snowflake"].replace("''", "'").replace("\\\\", "\\")
        body = f"({query})"
    own = made["name"].replace("`", '"')
    text = translated(name, f"SELECT {body}").removeprefix("SELECT ")
    return f"{made['make']} MACRO {own}({made['argument']}) AS {text}"
